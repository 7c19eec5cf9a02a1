import {
  type ControlCallArguments,
  ControlClient,
  IN_PROCESS_FETCH,
  type OperationCall,
  type SandboxFetch,
} from "../core/client/control-client.js";
import { AssertionCollector, type WebhookHandler } from "../core/delivery/in-process-receivers.js";
import { vocabularyOf } from "../core/domain/name-check.js";
import { transitionCharge } from "../core/engine/commands/charge-commands.js";
import { deepCopyState, type StateDump } from "../core/engine/records.js";
import { chargeDetailView } from "../core/engine/wire-views.js";
import { advanceAndReport } from "../core/namespace/advance-summary.js";
import type { Namespaces } from "../core/namespace/namespaces.js";
import type { ChargeStatus } from "../core/schema/common.js";
import type { AdvanceReport } from "../core/schema/control-insight-responses.js";
import type { BookReport } from "../core/schema/control-responses.js";
import { toPlainJson } from "../core/schema/json-objects.js";
import { DEFAULT_HOST } from "../core/schema/option-schemas.js";
import type { WebhookReport } from "../core/schema/receiver-report.js";
import { isRefusal, SandboxError } from "../core/schema/refusals.js";
import type { ChargeDetail } from "../core/schema/responses/charge-responses.js";
import { UserError } from "../core/schema/user-error.js";
import { waitForLazyLoads } from "../core/time/load-lazily.js";
import type { ControlApp } from "../server/control/app.js";
import { isLoopback, normalizeAddress } from "../server/http/access.js";
import { type Apps, inProcessFetch } from "../server/http/app.js";
import type { ListeningServer } from "../server/http/listener.js";
import { throughDoor } from "../server/http/reply.js";
import type { CheckWebhookOptions } from "../tools/doctor/check-options.js";
import type { ExploreReport } from "../tools/explore/exploration.js";
import type { ExploreFlow } from "../tools/explore/functions/flow.js";
import type { RunReport } from "../tools/scenario/running/run-report.js";
import { callerFrames } from "./caller-frames.js";
import { ExploredSandbox } from "./explored-sandbox.js";
import {
  checkWebhookHandler,
  type ExploreFlowOptions,
  type ExploreOptions,
  type ListenOptions,
  parseAdvanceTarget,
  parseListenOptions,
  parseResetOptions,
  parseTransition,
  parseWebhookHandlerOptions,
  type ReconcileOptions,
  type ResetOptions,
  type RunFileOptions,
  type SandboxState,
  toRequest,
  type WebhookHandlerOptions,
  type WebhookSubscription,
} from "./library-options.js";
import type { ControlOperations } from "./operation-types.js";
import { openPort, type ResolvedOpenOptions, sandboxUrl } from "./port.js";
import { SandboxTools, TOOLS } from "./sandbox-tools.js";

/** A running sandbox. Create it with `createSandbox()`. */
export class Sandbox {
  readonly #namespaces: Namespaces;
  readonly #apps: Apps;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #options: ResolvedOpenOptions;
  readonly #assertions = new AssertionCollector();
  #opening: Promise<ListeningServer> | undefined;
  #listening: ListeningServer | undefined;
  #host = DEFAULT_HOST;
  #closing: Promise<void> | undefined;

  /** @internal Use `createSandbox()`. */
  constructor(namespaces: Namespaces, apps: Apps, options: ResolvedOpenOptions) {
    this.#namespaces = namespaces;
    this.#options = options;
    this.#apps = apps;
    this.#fetch = inProcessFetch(apps.app);
  }

  /** Throws a UserError after `close()`. */
  #requireOpen(method: string): Namespaces {
    if (this.#closing !== undefined) throw new UserError(`${method}: the sandbox is closed`);
    return this.#namespaces;
  }

  /** API key of test mode. */
  get apiKey(): string {
    return this.#namespaces.defaultInfo.apiKey;
  }

  /** API key of live mode: separate data, same behaviour. */
  get liveApiKey(): string {
    return this.#namespaces.defaultInfo.liveApiKey;
  }

  /** Default signing secret of webhooks. */
  get webhookSecret(): string {
    return this.#namespaces.defaultInfo.webhookSecret;
  }

  /** Seed of IDs and random outcomes. */
  get seed(): string {
    return this.#namespaces.defaultInfo.seed;
  }

  /** Maximum number of requests per minute of an API key. @internal */
  get rateLimit(): ResolvedOpenOptions["rate_limit"] {
    return this.#options.rate_limit;
  }

  /** Token that other machines need for the control API; undefined without one. */
  get controlToken(): string | undefined {
    const { control_token } = this.#options;
    return control_token === "off" ? undefined : control_token;
  }

  /** The base URL, without a slash at the end, once `listen()` has resolved; throws a UserError before. */
  get url(): string {
    if (this.#listening === undefined)
      throw new UserError("the sandbox does not listen yet: await sandbox.listen() first");
    return sandboxUrl(this.#host, this.#listening.port, this.#options);
  }

  /** The port, once `listen()` has resolved; undefined before. */
  get port(): number | undefined {
    return this.#listening?.port;
  }

  /**
   * Sends a request to the sandbox in this process, without a port; ignores the URL's host. Takes the arguments of
   * `fetch` or only a path; can replace `fetch` in a client. Throws a UserError after `close()`, as all methods do.
   */
  readonly fetch = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    this.#requireOpen("fetch");
    const isRequest = typeof input !== "string" && "method" in input && init === undefined;
    return this.#fetch(isRequest ? input : toRequest(input, init));
  };

  /** @internal */
  readonly [IN_PROCESS_FETCH]: SandboxFetch = (path, init) => {
    this.#requireOpen("fetch");
    if (this.#namespaces.ownership !== undefined) return this.fetch(path, init);
    const send = ({ inProcess }: ControlApp) => inProcess(path, init) ?? this.fetch(path, init);
    const control = this.#apps.control();
    return control instanceof Promise ? control.then(send) : send(control);
  };

  /**
   * Delivers the webhooks of later events to a handler in this process. Bytes, headers, order and retries are as for a
   * receiver with a port. The handler returns a Response, a status, or nothing (204); `advance()` waits for the
   * response. If the handler throws, the response is a 500. The next `advance()`, `settled()` or `close()` rethrows an
   * assertion that failed in the handler. Resolves with a function that unregisters the handler.
   */
  async onWebhook(
    handler: WebhookHandler,
    options: WebhookHandlerOptions = {},
  ): Promise<WebhookSubscription> {
    const namespace = this.#requireOpen("onWebhook").default;
    checkWebhookHandler(handler);
    const { signature, event_names } = namespace.engine.settings;
    const { url, ...webhook } = parseWebhookHandlerOptions(options, {
      secret: this.webhookSecret,
      signature,
      vocabulary: vocabularyOf({ eventNames: event_names }),
    });
    const stop = namespace.registerReceiver({ handler: this.#assertions.wrap(handler), url }, webhook);
    await throughDoor(namespace, () => {});
    return Object.assign(stop, { [Symbol.dispose]: stop });
  }

  /**
   * Opens a port and resolves when the sandbox accepts requests there. Throws a UserError if the port is taken, or if
   * the sandbox listens already.
   */
  async listen(options: ListenOptions = {}): Promise<{ url: string; port: number }> {
    this.#requireOpen("listen");
    const { port = this.#options.port ?? 0, host = this.#options.host ?? DEFAULT_HOST } =
      parseListenOptions(options);
    if (this.#opening !== undefined) throw new UserError("listen: the sandbox is already listening");
    this.#opening = openPort(port, host, {
      apps: this.#apps,
      options: this.#options,
      namespaces: this.#namespaces,
    });
    try {
      const listening = await this.#opening;
      this.#requireOpen("listen");
      this.#listening = listening;
      this.#host = normalizeAddress(host);
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
    await this.#namespaces.ownership?.advertise(
      this.#options.advertise_url ?? (isLoopback(this.#host) ? this.url : null),
    );
    return { url: this.url, port: this.#listening.port };
  }

  /**
   * Advances the clock: by a duration (`"30m"`), to an instant (a Date or ISO text), or until `"next"` or `"idle"`;
   * resolves when everything that fell due is done. Throws a SandboxError: VALIDATION_ERROR for any other value and for
   * a past instant, CLOCK_BUSY while the clock is already being advanced.
   */
  async advance(target: string | Date): Promise<AdvanceReport> {
    const namespace = this.#requireOpen("advance").default;
    const result = await advanceAndReport(namespace, parseAdvanceTarget(target, this.#namespaces.nowMs()));
    if (isRefusal(result)) throw new SandboxError(result);
    this.#assertions.rethrow();
    return result;
  }

  /**
   * Sets a charge's status at once, even if the call is not awaited. Throws a SandboxError: INVALID_TRANSITION for an
   * illegal transition, NOT_FOUND for an unknown charge, VALIDATION_ERROR for an invalid argument. `reason` is the
   * reason of a failure.
   */
  async transition(chargeId: string, to: ChargeStatus, reason?: string): Promise<ChargeDetail> {
    const namespace = this.#requireOpen("transition").default;
    const move = parseTransition({ chargeId, to, reason });
    const result = namespace.execute(transitionCharge(move.chargeId, move.to, "control", move.reason));
    await throughDoor(namespace, () => {});
    if (isRefusal(result)) throw new SandboxError(result, result.code === "NOT_FOUND" ? chargeId : undefined);
    // The cast narrows the instructions to the public union by `type`.
    return chargeDetailView(result) as ChargeDetail;
  }

  /**
   * Resets to the initial state. By default webhooks and keys are kept, and IDs continue. Throws a SandboxError:
   * VALIDATION_ERROR for invalid options, CLOCK_BUSY while the clock is being advanced.
   */
  async reset(options: ResetOptions = {}): Promise<void> {
    const namespace = this.#requireOpen("reset").default;
    const request = parseResetOptions(options);
    const refusal = namespace.reset(request);
    if (refusal !== undefined) throw new SandboxError(refusal);
    await throughDoor(namespace, () => {});
  }

  /**
   * Sends good and bad events to a webhook receiver and reports its faults. By default it uses this sandbox's secret,
   * signature and timeout. A missing scheme of the URL means http. Always resolves with a report.
   */
  async checkWebhook(url: string, options: CheckWebhookOptions = {}): Promise<WebhookReport> {
    this.#requireOpen("checkWebhook");
    return this[TOOLS].checkWebhook(url, options);
  }

  /** @internal Typed records for tests of the sandbox. */
  snapshot(): StateDump;
  /** Returns a copy of the whole state as plain JSON. */
  snapshot(): SandboxState;
  snapshot(): StateDump {
    const namespace = this.#requireOpen("snapshot").default;
    return deepCopyState(namespace.engine.state.freeze());
  }

  /**
   * Restores a state of this or another sandbox. Sandbox time continues from the state's time. An invalid state changes
   * nothing and throws a SandboxError with the code VALIDATION_ERROR.
   */
  async restore(snapshot: SandboxState): Promise<void> {
    const namespace = this.#requireOpen("restore").default;
    // Copies the records, because stored records are immutable and the caller may change its copy.
    const refusal = await namespace.snapshots.load(toPlainJson(snapshot));
    if (refusal !== undefined) throw new SandboxError(refusal);
    await throughDoor(namespace, () => {});
  }

  /**
   * Calls the control API: `control("POST", "/_sandbox/faults", { … })`. Resolves with the JSON of the response; throws
   * a SandboxError for an error response.
   */
  async control<Answer = unknown>(...call: ControlCallArguments): Promise<Answer> {
    this.#requireOpen("control");
    return this.#control.call<Answer>(...call);
  }

  /** @internal */
  get [TOOLS](): SandboxTools {
    const { default: namespace } = this.#namespaces;
    const { signature, webhook_timeout } = this.#options;
    return new SandboxTools({
      fetch: this[IN_PROCESS_FETCH],
      runIdOf: (name) => namespace.nextRunId(name),
      local: () => new ExploredSandbox(namespace, this[IN_PROCESS_FETCH]),
      webhookDefaults: { secret: this.webhookSecret, signature, timeout: webhook_timeout },
    });
  }

  get #control(): ControlClient {
    return new ControlClient({ fetch: this.fetch, includesCallInNotFound: true });
  }

  /**
   * Compares the app's own view of its payments with the ledger. Each row is one order of the app: `charge_id` or
   * `metadata.KEY`, `status` and, optionally, `amount`, `currency` and `delivered`. Resolves with the differences;
   * throws a SandboxError with the code VALIDATION_ERROR for an invalid row.
   */
  async reconcile(rows: readonly object[], options: ReconcileOptions = {}): Promise<BookReport> {
    this.#requireOpen("reconcile");
    return this.#control.run("reconcile", { ...options, rows });
  }

  /**
   * Calls an operation: `run("advanceClock", { by: "30m" })`, or one of the service with the API key of test mode:
   * `run("createQuote", { … })`. The input has the fields of path, query and body together. Resolves with the JSON of the
   * response; throws a UserError for an unknown operation and a SandboxError for an error response.
   */
  async run<Id extends keyof ControlOperations>(
    id: Id,
    ...[input]: Record<never, never> extends ControlOperations[Id]["input"]
      ? [input?: ControlOperations[Id]["input"]]
      : [input: ControlOperations[Id]["input"]]
  ): Promise<ControlOperations[Id]["output"]> {
    this.#requireOpen("run");
    return this.#control.run(...([id, input] as OperationCall));
  }

  /**
   * Runs the steps of a scenario file on this sandbox; meanwhile the clock is frozen and the file's rules apply first.
   * Resolves with a report even if steps fail; throws a UserError for an invalid file, with the line of each fault.
   */
  async runFile(path: string, options: RunFileOptions = {}): Promise<RunReport> {
    this.#requireOpen("runFile");
    return this[TOOLS].runFile(path, options);
  }

  /**
   * Runs a flow with one deviation, such as a lost response, then with the next, and so on. Each run acts as a new
   * customer of an app that calls this sandbox: an app in this process for a flow that is an object, an app at
   * `options.app` for the path of a scenario file. Rejects with an ExploreError unless the exploration passed; with
   * `throws: false`, resolves with the report. Throws a UserError for an invalid flow, and for one that fails without
   * deviations. A flow that is an object has the timers of this process: explore one at a time, without fake timers.
   */
  async explore(flow: ExploreFlow, options?: ExploreOptions): Promise<ExploreReport>;
  /** Explores the flow of a scenario file. */
  async explore(flow: string, options: ExploreFlowOptions): Promise<ExploreReport>;
  async explore(
    flow: string | ExploreFlow,
    options?: ExploreFlowOptions | ExploreOptions,
  ): Promise<ExploreReport> {
    const frames = callerFrames(this.explore);
    this.#requireOpen("explore");
    return this[TOOLS].explore(flow, options, frames);
  }

  /** Resolves when nothing is due and no delivery is in flight. */
  async settled(): Promise<void> {
    await this.#requireOpen("settled").default.whenIdle();
    this.#assertions.rethrow();
  }

  /** Stops ports, timers and deliveries. Throws a failed assertion of a webhook handler. A second call does nothing. */
  async close(): Promise<void> {
    // Only the first call rejects.
    if (this.#closing !== undefined) return this.#closing.catch(() => {});
    return (this.#closing = this.#close());
  }

  async #close(): Promise<void> {
    const { ownership } = this.#namespaces;
    try {
      ownership?.stop();
      if (ownership !== undefined) await this.#namespaces.passGate()?.catch(() => {});
      this.#namespaces.close();
    } finally {
      await ownership?.release();
      const listening = await this.#opening?.catch(() => undefined);
      await listening?.close();
      await waitForLazyLoads();
    }
    this.#assertions.rethrow();
  }

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
