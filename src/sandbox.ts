import { getPath } from "hono/utils/url";
import { type ControlCall, ControlClient } from "./control-client.js";
import type { WebhookHandler } from "./delivery/in-process.js";
import type { CheckWebhookOptions } from "./doctor/options.js";
import type { WebhookReport } from "./doctor/report.js";
import { transitionCharge } from "./engine/commands/charges.js";
import { copied } from "./engine/frozen-state.js";
import type { StateDump } from "./engine/records.js";
import { chargeDetail } from "./engine/views.js";
import { createApp, fetchOf, healthReply } from "./http/app.js";
import { KEPT_BY_DEFAULT } from "./http/control/sandbox.js";
import { ControlAccess, controlDoor } from "./http/control-access.js";
import { isDropped } from "./http/dropped.js";
import { HostGuard, hostRefused, isEverywhere, plainAddress } from "./http/hosts.js";
import { type Listening, listen } from "./http/listener.js";
import type { DocumentOf } from "./http/openapi/serve.js";
import { errorReply, replyHeaders, toResponse } from "./http/reply.js";
import { unanswered } from "./http/unanswered.js";
import {
  checkRunOptions,
  type ListenOptions,
  listenOptionsOf,
  type ResetOptions,
  type RunFileOptions,
  resetOptionsOf,
  transitionOf,
  type WebhookHandlerOptions,
  webhookHandlerOptions,
} from "./library-options.js";
import type { Namespace } from "./namespace/namespace.js";
import type { Namespaces } from "./namespace/namespaces.js";
import type { RunReport } from "./scenario/steps/report.js";
import { withoutEndSlashes } from "./schema/addresses.js";
import type { ChargeStatus } from "./schema/common.js";
import { parseDuration } from "./schema/duration.js";
import { isRefusal, refuse } from "./schema/errors.js";
import { lazily, nothingLoading } from "./schema/lazily.js";
import type { StartOptions } from "./schema/option-table.js";
import { DEFAULT_HOST } from "./schema/options.js";
import { printableLines } from "./schema/printable.js";
import { SandboxError } from "./schema/sandbox-error.js";
import { instantText, parseInstant } from "./schema/time.js";
import { UserError } from "./schema/user-error.js";
import { StoreError } from "./store/error.js";
import type { AdvanceReport } from "./time/advance.js";

/** What a sandbox is started with: the options of `start`, checked (see `StartOptions`). */
export interface OpenOptions extends StartOptions {
  /** Where no seed is given and there is no data: a fixed one, so that runs repeat, or one made up. */
  readonly makeUpSeed?: boolean;
  /** Whether this process is ours (the command), or somebody's test run (the library). */
  readonly ownsProcess?: boolean;
  readonly onError?: (error: unknown) => void;
  readonly onNotice?: (notice: string) => void;
}

/** A charge as a read answers it. */
export type ChargeDetail = ReturnType<typeof chargeDetail>;

/** Ends it, when called or at the end of a `using` block. */
export interface WebhookSubscription {
  (): void;
  [Symbol.dispose](): void;
}

/** Everything a running sandbox is, behind the library's door and under the command. */
export class Sandbox {
  readonly #namespaces: Namespaces;
  readonly #namespace: Namespace;
  readonly #app: ReturnType<typeof createApp>;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #options: OpenOptions;
  readonly #version: string;
  #opening: Promise<Listening> | undefined;
  #listening: Listening | undefined;
  #host = DEFAULT_HOST;
  #closing: Promise<void> | undefined;

  /** @internal Use `createSandbox()`. */
  constructor(namespaces: Namespaces, options: OpenOptions, version: string, documentOf: DocumentOf) {
    this.#namespaces = namespaces;
    this.#namespace = namespaces.default;
    this.#options = options;
    this.#version = version;
    this.#app = createApp({
      namespaces,
      paths: options.paths ?? {},
      errorCodes: options.error_codes ?? {},
      documentOf,
      onError: options.onError ?? reportError,
    });
    this.#fetch = fetchOf(this.#app);
  }

  /** The namespace; by here goes every method that needs it. */
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

  /** What the control API asks for beyond loopback; undefined when it asks for nothing, or is closed. */
  get controlToken(): string | undefined {
    const { control_token } = this.#options;
    return control_token === "off" ? undefined : control_token;
  }

  /** The base URL, once `listen()` has resolved. */
  get url(): string {
    if (this.#listening === undefined)
      throw new UserError("the sandbox does not listen yet: await sandbox.listen() first");
    const host = this.#host;
    const name = isEverywhere(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
    return `http://${name}:${this.#listening.port}`;
  }

  /** The port, once `listen()` has resolved. */
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

  /**
   * Webhooks go to a function of this process from now on, in the place of a receiver that listens on a port: the
   * same bytes, headers, order and retries, and `advance()` waits for it. It answers a Response, a status, or nothing
   * (204); what it throws is an answer 500. Returns how to stop.
   */
  onWebhook(handler: WebhookHandler, options: WebhookHandlerOptions = {}): WebhookSubscription {
    const namespace = this.#here("onWebhook");
    if (typeof handler !== "function") throw new UserError("onWebhook: needs a function");
    const { url, ...webhook } = webhookHandlerOptions(options, {
      secret: this.webhookSecret,
      signature: namespace.engine.settings.signature,
    });
    const stop = namespace.receive({ handler, url }, webhook);
    return Object.assign(stop, { [Symbol.dispose]: stop });
  }

  /** Opens a port (0: any free one) and resolves when the sandbox can be reached there. */
  async listen(options: ListenOptions = {}): Promise<{ url: string; port: number }> {
    this.#here("listen");
    const { port = this.#options.port ?? 0, host = this.#options.host ?? DEFAULT_HOST } =
      listenOptionsOf(options);
    if (this.#opening !== undefined) throw new UserError("listen: the sandbox listens already");
    this.#opening = this.#open(port, host);
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

  #open(port: number, host: string): Promise<Listening> {
    const name = plainAddress(host);
    const { public_url, allowed_host = [] } = this.#options;
    const guard = new HostGuard([
      ...allowed_host,
      ...(public_url === undefined ? [] : [new URL(public_url).host]),
      ...(isEverywhere(name) ? [] : [name]),
    ]);
    const access = new ControlAccess(this.#options.control_token);
    const needsToken = controlDoor(host, this.#options.control_token) !== "open";
    return listen({
      port,
      host,
      ownsProcess: this.#options.ownsProcess ?? false,
      fetch: (request, incoming) => {
        const cutIfDropped = (response: Response): Response => {
          if (!isDropped(response)) return response;
          incoming.socket.destroy();
          return new Response(null, { headers: { [ALREADY_SENT_HEADER]: "true" } });
        };
        // A request line with a whole URL names the host there, and the Host header counts for nothing.
        const host = incoming.url?.startsWith("/") ? incoming.headers.host : new URL(request.url).host;
        if (!guard.allows(host)) return hostRefused(host, this.#namespace.nowMs());
        if (
          needsToken &&
          getPath(request).startsWith("/_sandbox") &&
          !access.allows(incoming.headers["sandbox-control-token"], incoming.headers.cookie)
        )
          return access.signIn(request.url, this.#namespace.nowMs()) ?? this.#controlClosed(access);
        const response = this.#app.fetch(request);
        return response instanceof Promise ? response.then(cutIfDropped) : cutIfDropped(response);
      },
      onEarlyHealth: (incoming, outgoing) => {
        if (!guard.allows(incoming.headers.host)) return false;
        const { status, json } = healthReply(this.#version);
        outgoing.writeHead(status, {
          ...replyHeaders(this.#namespace.nowMs()),
          "content-length": Buffer.byteLength(json),
        });
        outgoing.end(json);
        return true;
      },
      ...unanswered({
        nowMs: () => this.#namespace.nowMs(),
        errorCodes: this.#options.error_codes,
        onError: this.#options.onError ?? reportError,
      }),
    });
  }

  #controlClosed(access: ControlAccess): Response {
    const message = access.isClosed
      ? "The control API is closed: this server listens beyond loopback; start it with --control-token"
      : "The control API needs the header Sandbox-Control-Token";
    return toResponse(errorReply(refuse("FORBIDDEN", message)), this.#namespace.nowMs());
  }

  /** Moves time: by a duration (`"30m"`), to an instant (a Date or ISO text), or until `"next"` or `"idle"`. */
  async advance(target: string | Date): Promise<AdvanceReport> {
    const result = await this.#here("advance").clock.advance(this.#advanceTarget(target));
    if (isRefusal(result)) throw new SandboxError(result);
    return result;
  }

  #advanceTarget(target: string | Date) {
    if (target === "next" || target === "idle") return { until: target } as const;
    const byMs = typeof target === "string" ? parseDuration(target) : undefined;
    if (byMs !== undefined) return { byMs };
    const toMs = parseInstant(instantText(target));
    if (toMs === undefined)
      throw new UserError(
        `advance: cannot go by ${JSON.stringify(target)}: give a duration such as 30m, an instant, next or idle`,
      );
    if (toMs < this.#namespace.nowMs())
      throw new UserError("advance: time does not go back: the instant is in the past");
    return { toMs };
  }

  /** Moves a charge to a status, as a person at the control API would; throws a SandboxError if it may not. */
  transition(chargeId: string, to: ChargeStatus, reason?: string): ChargeDetail {
    const namespace = this.#here("transition");
    const move = transitionOf({ chargeId, to, reason });
    const moved = namespace.execute(transitionCharge(move.chargeId, move.to, "control", move.reason));
    if (isRefusal(moved)) throw new SandboxError(moved);
    return chargeDetail(moved);
  }

  /** Back to the initial state. Webhooks and keys stay unless told otherwise; ids go on unless they shall repeat. */
  reset(options: ResetOptions = {}): void {
    const namespace = this.#here("reset");
    const { keep = KEPT_BY_DEFAULT, ids } = resetOptionsOf(options);
    const refusal = namespace.reset({ keep, repeatIds: ids === "repeat" });
    if (refusal !== undefined) throw new SandboxError(refusal);
  }

  /**
   * Sends a webhook receiver good and bad events and tells what is wrong with it, by default with this
   * sandbox's secret and signature.
   */
  async checkWebhook(url: string, options: CheckWebhookOptions = {}): Promise<WebhookReport> {
    this.#here("checkWebhook");
    const { checkWebhook } = await lazily(() => import("./doctor/check.js"));
    const { readCheckOptions } = await lazily(() => import("./doctor/options.js"));
    const { signature, webhook_timeout } = this.#options;
    const defaults = { secret: this.webhookSecret, signature, timeout: webhook_timeout };
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return checkWebhook(
      readCheckOptions(url, { ...defaults, ...given }, (option) => `checkWebhook: ${option}`),
    );
  }

  /** The whole state as plain JSON; a copy of your own. */
  snapshot(): StateDump {
    return copied(this.#here("snapshot").engine.state.freeze());
  }

  /** Puts a state back that was taken here or elsewhere; time goes on from where it stood. */
  async restore(snapshot: StateDump): Promise<void> {
    const namespace = this.#here("restore");
    // A copy of our own: records never change.
    const refusal = await namespace.snapshots.load(plainJson(snapshot));
    if (refusal !== undefined) throw new SandboxError(refusal);
  }

  /** Any call of the control API: `control("POST", "/_sandbox/faults", { … })`; the JSON of its answer. */
  async control<Answer = unknown>(...call: ControlCall): Promise<Answer> {
    this.#here("control");
    return new ControlClient({ fetch: this.fetch }).call<Answer>(...call);
  }

  /**
   * Carries out the steps of a scenario file on this sandbox: its clock stands still meanwhile, the file's rules
   * are on top and go again. Resolves with a report whether or not they pass; throws for a file with faults.
   */
  async run(file: string, options: RunFileOptions = {}): Promise<RunReport> {
    const namespace = this.#here("run");
    checkRunOptions(file, options);
    const { readScenarioFile } = await lazily(() => import("./scenario/files.js"));
    const { runScenario } = await lazily(() => import("./scenario/steps/run.js"));
    const { vars, environment = process.env, app, ...rest } = options;
    const loaded = await readScenarioFile(file, {
      given: vars ?? {},
      environment,
      runIdOf: (name) => namespace.nextRunId(name),
    });
    return runScenario(loaded, {
      ...rest,
      app: app && withoutEndSlashes(app),
      fetch: (path, init) => this.fetch(path, init),
    });
  }

  /** Resolves when nothing is due and no delivery is under way. */
  async settled(): Promise<void> {
    await this.#here("settled").settled();
  }

  /** Ends it: no port, timer or delivery is left behind, and nothing to be loaded. A second call does nothing more. */
  async close(): Promise<void> {
    // What went wrong is told the first time.
    if (this.#closing !== undefined) return this.#closing.catch(() => {});
    this.#closing = this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      this.#namespaces.close();
    } finally {
      const listening = await this.#opening?.catch(() => undefined);
      await listening?.close();
      await nothingLoading();
    }
  }

  /** What `await using` calls. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A path alone is asked of this sandbox; no other host would do otherwise. */
function requestOf(input: Request | URL | string, init: RequestInit | undefined): Request {
  const isPath = typeof input === "string" && input.startsWith("/");
  return new Request(isPath ? `http://sandbox${input}` : input, init);
}

/** As it is written and read again; what cannot be written is nothing. */
function plainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null");
}

/** Tells the adapter that there is nothing left to send. */
const ALREADY_SENT_HEADER = "x-hono-already-sent";

/** What a disk refused is said in a line; of anything else, where it happened is worth knowing. */
export function reportError(error: unknown): void {
  const text =
    error instanceof StoreError
      ? error.message
      : `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  process.stderr.write(`payments-sandbox: ${printableLines(text)}\n`);
}
