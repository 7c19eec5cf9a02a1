import { CALL, type ControlCall, ControlClient, type SandboxFetch } from "./control-client.js";
import { KeptAssertions } from "./core/delivery/assertions.js";
import type { WebhookHandler } from "./core/delivery/in-process.js";
import { vocabularyOf } from "./core/domain/known-names.js";
import { transitionCharge } from "./core/engine/commands/charges.js";
import { copied } from "./core/engine/frozen-state.js";
import type { StateDump } from "./core/engine/records.js";
import { chargeDetail } from "./core/engine/views.js";
import { KEPT_BY_DEFAULT } from "./core/namespace/beginning.js";
import type { Namespace } from "./core/namespace/namespace.js";
import type { Namespaces } from "./core/namespace/namespaces.js";
import type { BookReport } from "./core/schema/books.js";
import type { ChargeStatus } from "./core/schema/common.js";
import { isRefusal } from "./core/schema/errors.js";
import { lazily, nothingLoading } from "./core/schema/lazily.js";
import { DEFAULT_HOST } from "./core/schema/options.js";
import { withoutEndSlashes } from "./core/schema/printable.js";
import type { WebhookReport } from "./core/schema/receiver-report.js";
import { SandboxError } from "./core/schema/sandbox-error.js";
import { UserError } from "./core/schema/user-error.js";
import type { AdvanceReport } from "./core/time/advance.js";
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
import type { ControlApp } from "./server/control/app.js";
import { type Apps, fetchOf } from "./server/http/app.js";
import { plainAddress } from "./server/http/hosts.js";
import type { CheckWebhookOptions } from "./tools/doctor/options.js";
import type { ExploreReport } from "./tools/explore/report.js";
import type { RunReport } from "./tools/scenario/running/report.js";

/** Everything a running sandbox is, behind the library's door and under the command. */
export class Sandbox {
  readonly #namespaces: Namespaces;
  readonly #namespace: Namespace;
  readonly #apps: Apps;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #options: OpenedOptions;
  readonly #version: string;
  readonly #assertions = new KeptAssertions();
  #opening: Promise<OpenPort> | undefined;
  #listening: OpenPort | undefined;
  #host = DEFAULT_HOST;
  #closing: Promise<void> | undefined;

  /** @internal Use `createSandbox()`. */
  constructor(namespaces: Namespaces, apps: Apps, options: OpenedOptions, version: string) {
    this.#namespaces = namespaces;
    this.#namespace = namespaces.default;
    this.#options = options;
    this.#version = version;
    this.#apps = apps;
    this.#fetch = fetchOf(apps.app);
  }

  /** The namespace; by here goes every method that needs it, and a closed sandbox refuses it. */
  #here(method: string): Namespace {
    if (this.#closing !== undefined) throw new UserError(`${method}: the sandbox is closed`);
    return this.#namespace;
  }

  /** The API key for test mode. */
  get apiKey(): string {
    return this.#namespace.info.apiKey;
  }

  /** The API key for live mode: separate data, the same behaviour. */
  get liveApiKey(): string {
    return this.#namespace.info.liveApiKey;
  }

  /** The secret webhooks are signed with, unless an endpoint has its own. */
  get webhookSecret(): string {
    return this.#namespace.info.webhookSecret;
  }

  /** The seed of IDs and random outcomes. */
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
   * The files a client needs to trust the sandbox over HTTPS, once `listen()` has resolved: `caFile` has its
   * certificate's authority only, `bundleFile` also the public ones. Undefined before, and over HTTP.
   */
  get trust(): { readonly caFile: string; readonly bundleFile: string } | undefined {
    return this.#listening?.trust;
  }

  /** The port, once `listen()` has resolved; undefined before. */
  get port(): number | undefined {
    return this.#listening?.port;
  }

  /**
   * Handles a request in this process, without a port, whatever its host. Takes what `fetch` takes, or just a path,
   * and may be passed to a client instead of `fetch`.
   */
  readonly fetch = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    this.#here("fetch");
    const isRequest = typeof input !== "string" && "method" in input && init === undefined;
    return this.#fetch(isRequest ? input : requestOf(input, init));
  };

  /** @internal */
  readonly [CALL]: SandboxFetch = (path, init) => {
    this.#here("fetch");
    const answer = ({ inProcess }: ControlApp) => inProcess(path, init) ?? this.fetch(path, init);
    const control = this.#apps.control();
    return control instanceof Promise ? control.then(answer) : answer(control);
  };

  /**
   * From now on, delivers webhooks to a function of this process instead of a receiver that listens on a port, with
   * the same bytes, headers, order and retries; `advance()` waits for it. The function returns a Response, a status,
   * or nothing (204). If it throws, the delivery gets a 500; a failed assertion is thrown again by the next
   * `advance()` or `settled()`, at the latest by `close()`. It receives events from this call on; resolves with a
   * function that unregisters it.
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
   * Advances the clock: by a duration (`"30m"`), to an instant (a Date or ISO text), or until `"next"` or `"idle"`;
   * resolves when everything that fell due is done. Any other value, and an instant in the past, is a UserError; if
   * the clock is already being advanced, it is a SandboxError with the code CLOCK_BUSY.
   */
  async advance(target: string | Date): Promise<AdvanceReport> {
    const { clock } = this.#here("advance");
    const result = await clock.advance(advanceTargetOf(target, this.#namespace.nowMs()));
    if (isRefusal(result)) throw new SandboxError(result);
    this.#assertions.rethrow();
    return result;
  }

  /**
   * Sets a charge's status, as the control API does; it is set when the call returns, whether or not it is awaited.
   * An illegal transition is a SandboxError with the code INVALID_TRANSITION, an unknown charge NOT_FOUND. `reason`
   * is why it failed.
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
   * Resets to the initial state. Webhooks and keys are kept by default; IDs continue unless they are to repeat. While
   * the clock is being advanced it is a SandboxError with the code CLOCK_BUSY. It is done when the call returns.
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
   * Sends a webhook receiver good and bad events and reports what is wrong with it, by default with this sandbox's
   * secret, signature and timeout. A missing scheme of the URL means http. Always resolves with a report.
   */
  async checkWebhook(url: string, options: CheckWebhookOptions = {}): Promise<WebhookReport> {
    this.#here("checkWebhook");
    const { checkWebhook } = await lazily(() => import("./tools/doctor/check.js"));
    const { readCheckOptions } = await lazily(() => import("./tools/doctor/options.js"));
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
   * Restores a state saved here or elsewhere; time continues from there. An invalid state is a SandboxError with the
   * code VALIDATION_ERROR, and nothing changes.
   */
  async restore(snapshot: SandboxState): Promise<void> {
    const namespace = this.#here("restore");
    // A copy of our own: records never change.
    await namespace.calm();
    const refusal = await namespace.snapshots.load(plainJson(snapshot));
    if (refusal !== undefined) throw new SandboxError(refusal);
  }

  /**
   * Any call of the control API: `control("POST", "/_sandbox/faults", { … })`; returns the JSON of its response. An
   * error response is a SandboxError.
   */
  async control<Answer = unknown>(...call: ControlCall): Promise<Answer> {
    this.#here("control");
    return new ControlClient({ fetch: this.fetch, namesCalls: true }).call<Answer>(...call);
  }

  /**
   * Compares the app's own view of its payments with the ledger: one row per order, with `charge_id` or
   * `metadata.KEY`, `status` and, optionally, `amount`, `currency` and `delivered`. Resolves with the differences; an
   * invalid row is a SandboxError with the code VALIDATION_ERROR.
   */
  async reconcile(rows: readonly object[], options: ReconcileOptions = {}): Promise<BookReport> {
    this.#here("reconcile");
    return this.control("POST /_sandbox/reconcile", { ...options, rows });
  }

  /**
   * Runs the steps of a scenario file on this sandbox, with its clock frozen and the file's rules on top meanwhile.
   * Resolves with a report whether or not they pass; an invalid file is a UserError that gives the line of each
   * error.
   */
  async run(file: string, options: RunFileOptions = {}): Promise<RunReport> {
    const namespace = this.#here("run");
    checkRunOptions(file, options);
    const { readScenarioFile } = await lazily(() => import("./tools/scenario/files.js"));
    const { runScenario } = await lazily(() => import("./tools/scenario/running/run.js"));
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
   * Explores the flow of a scenario file: runs it with one deviation, then two, and so on, each time as a new
   * customer of the same running app, which must call this sandbox. Resolves with the smallest sets that break the
   * app; an invalid file, and a flow that fails without any deviation, is a UserError.
   */
  async explore(flow: string, options: ExploreFlowOptions): Promise<ExploreReport> {
    const namespace = this.#here("explore");
    checkExploreOptions(flow, options);
    const { exploreAsked } = await lazily(() => import("./tools/explore/file.js"));
    return exploreAsked(flow, options, {
      runIdOf: (name) => namespace.nextRunId(name),
      fetch: this[CALL],
    });
  }

  /** Resolves when nothing is due and no delivery is in flight. */
  async settled(): Promise<void> {
    await this.#here("settled").settled();
    this.#assertions.rethrow();
  }

  /** Closes it: no port, timer or delivery is left, and nothing is loaded afterwards. A second call does nothing. */
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
