import { CALL, type ControlCall, ControlClient, type SandboxFetch } from "./control-client.js";
import { KeptAssertions } from "./delivery/assertions.js";
import type { WebhookHandler } from "./delivery/in-process.js";
import type { CheckWebhookOptions } from "./doctor/options.js";
import { vocabularyOf } from "./domain/known-names.js";
import { transitionCharge } from "./engine/commands/charges.js";
import { copied } from "./engine/frozen-state.js";
import type { StateDump } from "./engine/records.js";
import { chargeDetail } from "./engine/views.js";
import type { ExploreReport } from "./explore/report.js";
import { type Apps, createApps, fetchOf } from "./http/app.js";
import type { ControlInProcess } from "./http/control/in-process.js";
import { KEPT_BY_DEFAULT } from "./http/control/sandbox.js";
import { plainAddress } from "./http/hosts.js";
import type { DocumentOf } from "./http/openapi/serve.js";
import {
  advanceTargetOf,
  checkExploreOptions,
  checkRunOptions,
  listenOptionsOf,
  plainJson,
  requestOf,
  resetOptionsOf,
  transitionOf,
  webhookHandlerOptions,
} from "./library-options.js";
import type { Namespace } from "./namespace/namespace.js";
import type { Namespaces } from "./namespace/namespaces.js";
import { type OpenedOptions, type OpenPort, openPort, urlOf } from "./port.js";
import type {
  ChargeDetail,
  ExploreFlowOptions,
  ListenOptions,
  ReconcileOptions,
  ResetOptions,
  RunFileOptions,
  SandboxState,
  WebhookHandlerOptions,
  WebhookSubscription,
} from "./public-types.js";
import type { RunReport } from "./scenario/running/report.js";
import { withoutEndSlashes } from "./schema/addresses.js";
import type { BookReport } from "./schema/books.js";
import type { ChargeStatus } from "./schema/common.js";
import { isRefusal } from "./schema/errors.js";
import { lazily, nothingLoading } from "./schema/lazily.js";
import { DEFAULT_HOST } from "./schema/options.js";
import type { WebhookReport } from "./schema/receiver-report.js";
import { SandboxError } from "./schema/sandbox-error.js";
import { UserError } from "./schema/user-error.js";
import type { AdvanceReport } from "./time/advance.js";

/** Everything a running sandbox is, behind the library's door and under the command. */
export class Sandbox {
  readonly #namespaces: Namespaces;
  readonly #namespace: Namespace;
  readonly #apps: Apps;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #control: ControlInProcess;
  readonly #options: OpenedOptions;
  readonly #version: string;
  readonly #assertions = new KeptAssertions();
  #opening: Promise<OpenPort> | undefined;
  #listening: OpenPort | undefined;
  #host = DEFAULT_HOST;
  #closing: Promise<void> | undefined;

  /** @internal Use `createSandbox()`. */
  constructor(namespaces: Namespaces, options: OpenedOptions, version: string, documentOf: DocumentOf) {
    this.#namespaces = namespaces;
    this.#namespace = namespaces.default;
    this.#options = options;
    this.#version = version;
    this.#apps = createApps({
      namespaces,
      paths: options.paths ?? {},
      errorCodes: options.error_codes ?? {},
      documentOf,
      onError: options.onError,
    });
    this.#fetch = fetchOf(this.#apps.app);
    this.#control = this.#apps.controlInProcess;
  }

  /** The namespace; by here goes every method that needs it, and a closed sandbox refuses it. */
  #here(method: string): Namespace {
    if (this.#closing !== undefined) throw new UserError(`${method}: the sandbox is closed`);
    return this.#namespace;
  }

  /** The API key of test mode. */
  get apiKey(): string {
    return this.#namespace.info.apiKey;
  }

  /** The API key of live mode: other data, the same behaviour. */
  get liveApiKey(): string {
    return this.#namespace.info.liveApiKey;
  }

  /** What webhooks are signed with unless an endpoint has a secret of its own. */
  get webhookSecret(): string {
    return this.#namespace.info.webhookSecret;
  }

  /** What ids and chance follow from. */
  get seed(): string {
    return this.#namespace.info.seed;
  }

  /** Requests a minute and key. @internal */
  get rateLimit(): OpenedOptions["rate_limit"] {
    return this.#options.rate_limit;
  }

  /** What the control API asks for beyond loopback; undefined when it asks for nothing, or is closed. */
  get controlToken(): string | undefined {
    const { control_token } = this.#options;
    return control_token === "off" ? undefined : control_token;
  }

  /** The base URL, without a slash at the end, once `listen()` has resolved; throws a UserError before. */
  get url(): string {
    if (this.#listening === undefined)
      throw new UserError("the sandbox does not listen yet: await sandbox.listen() first");
    return urlOf(this.#host, this.#listening.port, this.#options);
  }

  /**
   * Served over HTTPS, the files a client is to trust it by, once `listen()` has resolved: `caFile` has its certificate's
   * authority alone, `bundleFile` the public ones too. Undefined before, and over HTTP.
   */
  get trust(): { readonly caFile: string; readonly bundleFile: string } | undefined {
    return this.#listening?.trust;
  }

  /** The port, once `listen()` has resolved; undefined before. */
  get port(): number | undefined {
    return this.#listening?.port;
  }

  /**
   * Answers a request in this process, without a port, whatever host it is for. Takes what `fetch` takes, or a path
   * alone, and may be handed to a client in the place of `fetch`.
   */
  readonly fetch = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    this.#here("fetch");
    const isRequest = typeof input !== "string" && "method" in input && init === undefined;
    return this.#fetch(isRequest ? input : requestOf(input, init));
  };

  /** @internal */
  readonly [CALL]: SandboxFetch = (path, init) => {
    this.#here("fetch");
    return this.#control(path, init) ?? this.fetch(path, init);
  };

  /**
   * Webhooks go to a function of this process from now on, in the place of a receiver that listens on a port: the
   * same bytes, headers, order and retries, and `advance()` waits for it. It answers a Response, a status, or nothing
   * (204); what it throws is an answer 500, and an assertion that failed is thrown once more by the next `advance()` or
   * `settled()`, at the latest by `close()`. It hears what comes from the call on; resolves with how to stop.
   */
  async onWebhook(
    handler: WebhookHandler,
    options: WebhookHandlerOptions = {},
  ): Promise<WebhookSubscription> {
    const namespace = this.#here("onWebhook");
    if (typeof handler !== "function") throw new UserError("onWebhook: needs a function");
    const { signature, event_names } = namespace.engine.settings;
    const { url, ...webhook } = webhookHandlerOptions(options, {
      secret: this.webhookSecret,
      signature,
      vocabulary: vocabularyOf({ eventNames: event_names }),
    });
    const stop = namespace.receive({ handler: this.#assertions.of(handler), url }, webhook);
    await namespace.whenKept();
    return Object.assign(stop, { [Symbol.dispose]: stop });
  }

  /**
   * Opens a port and resolves when the sandbox can be reached there. A port that is taken, or a second call, is a
   * UserError.
   */
  async listen(options: ListenOptions = {}): Promise<{ url: string; port: number }> {
    this.#here("listen");
    const { port = this.#options.port ?? 0, host = this.#options.host ?? DEFAULT_HOST } =
      listenOptionsOf(options);
    if (this.#opening !== undefined) throw new UserError("listen: the sandbox is already listening");
    this.#opening = openPort(port, host, {
      apps: this.#apps,
      options: this.#options,
      version: this.#version,
      nowMs: () => this.#namespace.nowMs(),
    });
    try {
      const listening = await this.#opening;
      this.#here("listen");
      this.#listening = listening;
      this.#host = plainAddress(host);
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
    return { url: this.url, port: this.#listening.port };
  }

  /**
   * Moves time: by a duration (`"30m"`), to an instant (a Date or ISO text), or until `"next"` or `"idle"`; resolves
   * when all that was due has happened. Anything else, and an instant in the past, is a UserError; another advance
   * that is under way a SandboxError with the code CLOCK_BUSY.
   */
  async advance(target: string | Date): Promise<AdvanceReport> {
    const { clock } = this.#here("advance");
    const result = await clock.advance(advanceTargetOf(target, this.#namespace.nowMs()));
    if (isRefusal(result)) throw new SandboxError(result);
    this.#assertions.rethrow();
    return result;
  }

  /**
   * Moves a charge to a status, as a person at the control API would; it is moved when the call returns, whether or not
   * it is awaited. One that may not be moved so is a SandboxError with the code INVALID_TRANSITION, one that is not there
   * NOT_FOUND. `reason` is why it failed.
   */
  async transition(chargeId: string, to: ChargeStatus, reason?: string): Promise<ChargeDetail> {
    const namespace = this.#here("transition");
    const move = transitionOf({ chargeId, to, reason });
    const moved = namespace.execute(transitionCharge(move.chargeId, move.to, "control", move.reason));
    const keeping = namespace.whenKept();
    if (keeping !== undefined) await keeping;
    if (isRefusal(moved)) throw new SandboxError(moved, moved.code === "NOT_FOUND" ? chargeId : undefined);
    // The record's instructions are fields by name, the service's by type: what makes a charge keeps to the latter.
    return chargeDetail(moved) as ChargeDetail;
  }

  /**
   * Back to the initial state. Webhooks and keys stay unless told otherwise; ids go on unless they shall repeat. While
   * time is being moved it is a SandboxError with the code CLOCK_BUSY. It is done when the call returns.
   */
  async reset(options: ResetOptions = {}): Promise<void> {
    const namespace = this.#here("reset");
    const { keep = KEPT_BY_DEFAULT, ids } = resetOptionsOf(options);
    const busy = namespace.calm();
    if (busy !== undefined) await busy;
    const refusal = namespace.reset({ keep, repeatIds: ids === "repeat" });
    if (refusal !== undefined) throw new SandboxError(refusal);
  }

  /**
   * Sends a webhook receiver good and bad events and tells what is wrong with it, by default with this sandbox's
   * secret, signature and timeout. A missing scheme of the URL means http. Resolves with a report whatever comes back.
   */
  async checkWebhook(url: string, options: CheckWebhookOptions = {}): Promise<WebhookReport> {
    this.#here("checkWebhook");
    const { checkWebhook } = await lazily(() => import("./doctor/check.js"));
    const { readCheckOptions } = await lazily(() => import("./doctor/options.js"));
    const { signature, webhook_timeout } = this.#options;
    const defaults = { secret: this.webhookSecret, signature, timeout: webhook_timeout };
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return checkWebhook(
      readCheckOptions(
        url,
        { ...defaults, ...given },
        (option) => `checkWebhook: ${option}`,
        new ControlClient({ fetch: this.fetch }),
      ),
    );
  }

  /** @internal Its records as our own tests know them. */
  snapshot(): StateDump;
  /** The whole state as plain JSON; a copy of your own. */
  snapshot(): SandboxState;
  snapshot(): StateDump {
    const namespace = this.#here("snapshot");
    void namespace.calm();
    return copied(namespace.engine.state.freeze());
  }

  /**
   * Puts a state back that was taken here or elsewhere; time goes on from where it stood. One that is none is a
   * SandboxError with the code VALIDATION_ERROR, and changes nothing.
   */
  async restore(snapshot: SandboxState): Promise<void> {
    const namespace = this.#here("restore");
    // A copy of our own: records never change.
    await namespace.calm();
    const refusal = await namespace.snapshots.load(plainJson(snapshot));
    if (refusal !== undefined) throw new SandboxError(refusal);
  }

  /**
   * Any call of the control API: `control("POST", "/_sandbox/faults", { … })`; the JSON of its answer. What it refuses
   * is a SandboxError.
   */
  async control<Answer = unknown>(...call: ControlCall): Promise<Answer> {
    this.#here("control");
    return new ControlClient({ fetch: this.fetch, namesCalls: true }).call<Answer>(...call);
  }

  /**
   * Holds the app's own view of its payments against the ledger: a row an order, with `charge_id` or `metadata.KEY`,
   * `status` and, where it says them, `amount`, `currency` and `delivered`. Resolves with what differs; a row that cannot
   * be understood is a SandboxError with the code VALIDATION_ERROR.
   */
  async reconcile(rows: readonly object[], options: ReconcileOptions = {}): Promise<BookReport> {
    this.#here("reconcile");
    return this.control("POST /_sandbox/reconcile", { ...options, rows });
  }

  /**
   * Carries out the steps of a scenario file on this sandbox: its clock stands still meanwhile, the file's rules
   * are on top and go again. Resolves with a report whether or not they pass; a file with faults is a UserError that
   * has each at its line.
   */
  async run(file: string, options: RunFileOptions = {}): Promise<RunReport> {
    const namespace = this.#here("run");
    checkRunOptions(file, options);
    const { readScenarioFile } = await lazily(() => import("./scenario/files.js"));
    const { runScenario } = await lazily(() => import("./scenario/running/run.js"));
    const { vars, environment = process.env, app, ...rest } = options;
    const loaded = await readScenarioFile(file, {
      given: vars ?? {},
      environment,
      runIdOf: (name) => namespace.nextRunId(name),
    });
    return runScenario(loaded, {
      ...rest,
      app: app && withoutEndSlashes(app),
      fetch: this[CALL],
    });
  }

  /**
   * Explores the flow of a scenario file: runs it with one thing going otherwise, then two, and so on, each time as a new
   * customer of the same running app, which has to call this sandbox. Resolves with the smallest sets that make the app
   * go wrong; a file with faults, and a flow that fails with nothing going wrong, is a UserError.
   */
  async explore(flow: string, options: ExploreFlowOptions): Promise<ExploreReport> {
    const namespace = this.#here("explore");
    checkExploreOptions(flow, options);
    const { exploreAsked } = await lazily(() => import("./explore/file.js"));
    return exploreAsked(flow, options, {
      runIdOf: (name) => namespace.nextRunId(name),
      fetch: this[CALL],
    });
  }

  /** Resolves when nothing is due and no delivery is under way. */
  async settled(): Promise<void> {
    await this.#here("settled").settled();
    this.#assertions.rethrow();
  }

  /** Ends it: no port, timer or delivery is left behind, and nothing to be loaded. A second call does nothing more. */
  async close(): Promise<void> {
    // What went wrong is told the first time.
    if (this.#closing !== undefined) return this.#closing.catch(() => {});
    return (this.#closing = this.#close());
  }

  async #close(): Promise<void> {
    try {
      this.#namespaces.close();
    } finally {
      const listening = await this.#opening?.catch(() => undefined);
      await listening?.close();
      await nothingLoading();
    }
    this.#assertions.rethrow();
  }

  /** What `await using` calls. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
