import { getPath } from "hono/utils/url";
import { Catalogue } from "./domain/catalogue.js";
import { transitionCharge } from "./engine/commands/charges.js";
import { copied } from "./engine/frozen-state.js";
import type { StateDump } from "./engine/records.js";
import { chargeDetail } from "./engine/views.js";
import { Host } from "./host.js";
import { createApp, fetchOf, healthReply } from "./http/app.js";
import { ControlAccess, controlDoor } from "./http/control-access.js";
import { isDropped } from "./http/dropped.js";
import { HostGuard, hostRefused, isEverywhere, plainAddress } from "./http/hosts.js";
import type { AdvanceReply } from "./http/ports.js";
import { errorReply, replyHeaders, toResponse } from "./http/reply.js";
import { unanswered } from "./http/unanswered.js";
import { readService } from "./options.js";
import type { CheckWebhookOptions } from "./runtime/doctor/options.js";
import type { WebhookReport } from "./runtime/doctor/report.js";
import type { WebhookHandler } from "./runtime/in-process.js";
import { type Listening, listen } from "./runtime/listener.js";
import { packageVersion } from "./runtime/shipped.js";
import type { RunReport, StepReport } from "./runtime/steps/report.js";
import { StoreError } from "./runtime/store/error.js";
import { madeUpSeed, madeUpToken, systemWall } from "./runtime/wall.js";
import type { ChargeStatus } from "./schema/common.js";
import { durationMs, parseDuration } from "./schema/duration.js";
import { isRefusal, type Refusal, refuse } from "./schema/errors.js";
import { check, issueMessage, issuePath } from "./schema/issues.js";
import { lazily, nothingLoading } from "./schema/lazily.js";
import { nearest } from "./schema/nearest.js";
import {
  clockSetting,
  DEFAULT_API_KEY,
  DEFAULT_HOST,
  DEFAULT_LIVE_API_KEY,
  DEFAULT_WEBHOOK_SECRET,
  FIXED_SEED,
  type StartOptions,
  startOptionsSchema,
  webhookHandlerSchema,
  webhookUrl,
} from "./schema/options.js";
import { printableLines } from "./schema/printable.js";
import { settingsOf } from "./schema/settings.js";
import { parseInstant } from "./schema/time.js";
import { UserError } from "./schema/user-error.js";
import { type Signature, secretFault } from "./schema/webhooks.js";
import { namespaceStorage } from "./storage.js";
import type { LocalWorld, WebhookOption, WorldOptions } from "./world.js";

/** A refusal of the sandbox, thrown by the library's methods: `code` as on the wire. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code: string;
  readonly details: Readonly<Record<string, string>> | undefined;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.code = refusal.code;
    this.details = refusal.details;
  }
}

/** What a sandbox is started with: the options of `start`, checked (see `StartOptions`). */
export interface OpenOptions extends StartOptions {
  /** Where no seed is given and there is no data: a fixed one, so that runs repeat, or one made up. */
  readonly makeUpSeed?: boolean;
  /** Whether this process is ours (the command), or somebody's test run (the library). */
  readonly ownsProcess?: boolean;
  readonly onError?: (error: unknown) => void;
  readonly onNotice?: (notice: string) => void;
}

/** How a scenario file is run. */
export interface RunFileOptions {
  /** Variables, in the place of the file's own. */
  readonly vars?: Readonly<Record<string, string>>;
  /** What `${env.NAME}` reads; default: this process's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The base URL of the app under test, for `app` steps. */
  readonly app?: string | undefined;
  /** Called for `manual` steps; resolves when it is done. */
  readonly manual?: (text: string) => Promise<void>;
  /** Ends the run early; what it has changed is put back. */
  readonly signal?: AbortSignal;
  readonly onStepBegin?: (title: string, number: number, of: number) => void;
  readonly onStep?: (step: StepReport, of: number) => void;
}

/** A charge as a read answers it. */
export type ChargeDetail = ReturnType<typeof chargeDetail>;

/** How a function of this process hears webhooks. */
export interface WebhookHandlerOptions {
  /** Types it hears, as globs; default: all. */
  events?: string[];
  mode?: "test" | "live";
  /** Default: the sandbox's. */
  secret?: string;
  /** Default: the sandbox's. */
  signature?: Signature;
  /** The URL of the requests it gets, for an app that finds its route by it; default `http://localhost/webhooks`. */
  url?: string;
}

/** Ends it, when called or at the end of a `using` block. */
export interface WebhookSubscription {
  (): void;
  [Symbol.dispose](): void;
}

/** Everything a running sandbox is, behind the library's door and under the command. */
export class Sandbox {
  readonly #worlds: Host;
  readonly #world: LocalWorld;
  readonly #app: ReturnType<typeof createApp>;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #options: OpenOptions;
  readonly #version: string;
  #opening: Promise<Listening> | undefined;
  #listening: Listening | undefined;
  #host = DEFAULT_HOST;
  #closing: Promise<void> | undefined;

  /** @internal Use `createSandbox()`. */
  constructor(host: Host, options: OpenOptions, version: string) {
    this.#worlds = host;
    this.#world = host.default;
    this.#options = options;
    this.#version = version;
    this.#app = createApp({
      worlds: host,
      paths: options.paths ?? {},
      errorCodes: options.error_codes ?? {},
      onError: options.onError ?? reportError,
    });
    this.#fetch = fetchOf(this.#app);
  }

  /** The API key of test mode. */
  get apiKey(): string {
    return this.#world.info.apiKey;
  }

  /** The API key of live mode: other data, the same behaviour. */
  get liveApiKey(): string {
    return this.#world.info.liveApiKey;
  }

  /** What webhooks are signed with unless an endpoint has a secret of its own. */
  get webhookSecret(): string {
    return this.#world.info.webhookSecret;
  }

  /** What ids and chance follow from. */
  get seed(): string {
    return this.#world.info.seed;
  }

  /** What the control API asks for beyond loopback; undefined when it asks for nothing, or is closed. */
  get controlToken(): string | undefined {
    const { control_token } = this.#options;
    return control_token === "off" ? undefined : control_token;
  }

  /** The base URL, once `listen()` has resolved. */
  get url(): string {
    if (this.#listening === undefined)
      throw new Error("the sandbox does not listen yet: await sandbox.listen() first");
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
    const isRequest = typeof input !== "string" && "method" in input && init === undefined;
    return this.#fetch(isRequest ? input : requestOf(input, init));
  };

  /**
   * Webhooks go to a function of this process from now on, in the place of a receiver that listens on a port: the
   * same bytes, headers, order and retries, and `advance()` waits for it. It answers a Response, a status, or nothing
   * (204); what it throws is an answer 500. Returns how to stop.
   */
  onWebhook(handler: WebhookHandler, options: WebhookHandlerOptions = {}): WebhookSubscription {
    if (typeof handler !== "function") throw new UserError("onWebhook: needs a function");
    const { url, ...webhook } = webhookHandlerOptions(options, {
      secret: this.webhookSecret,
      signature: this.#world.engine.settings.signature,
    });
    const stop = this.#world.receive({ handler, url }, webhook);
    return Object.assign(stop, { [Symbol.dispose]: stop });
  }

  /** Opens a port (0: any free one) and resolves when the sandbox can be reached there. */
  async listen(where: { port?: number; host?: string } = {}): Promise<{ url: string; port: number }> {
    if (this.#opening !== undefined) throw new Error("the sandbox listens already");
    const host = where.host ?? this.#options.host ?? DEFAULT_HOST;
    this.#opening = this.#open(where.port ?? this.#options.port ?? 0, host);
    try {
      const listening = await this.#opening;
      if (this.#closing !== undefined) throw new UserError("listen: the sandbox was closed meanwhile");
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
        if (!guard.allows(host)) return hostRefused(host, this.#world.nowMs());
        if (
          needsToken &&
          getPath(request).startsWith("/_sandbox") &&
          !access.allows(incoming.headers["sandbox-control-token"], incoming.headers.cookie)
        )
          return access.signIn(request.url, this.#world.nowMs()) ?? this.#controlClosed(access);
        const response = this.#app.fetch(request);
        return response instanceof Promise ? response.then(cutIfDropped) : cutIfDropped(response);
      },
      onEarlyHealth: (incoming, outgoing) => {
        if (!guard.allows(incoming.headers.host)) return false;
        const { status, json } = healthReply(this.#version);
        outgoing.writeHead(status, {
          ...replyHeaders(this.#world.nowMs()),
          "content-length": Buffer.byteLength(json),
        });
        outgoing.end(json);
        return true;
      },
      ...unanswered({
        nowMs: () => this.#world.nowMs(),
        errorCodes: this.#options.error_codes,
        onError: this.#options.onError ?? reportError,
      }),
    });
  }

  #controlClosed(access: ControlAccess): Response {
    const message = access.isClosed
      ? "The control API is closed: this server listens beyond loopback; start it with --control-token"
      : "The control API needs the header Sandbox-Control-Token";
    return toResponse(errorReply(refuse("FORBIDDEN", message)), this.#world.nowMs());
  }

  /** Moves time: by a duration (`"30m"`), to an instant (a Date or ISO text), or until `"next"` or `"idle"`. */
  async advance(target: string | Date): Promise<AdvanceReply> {
    const result = await this.#world.clock.advance(this.#advanceTarget(target));
    if (isRefusal(result)) throw new SandboxError(result);
    return result;
  }

  #advanceTarget(target: string | Date) {
    if (target === "next" || target === "idle") return { until: target } as const;
    const byMs = typeof target === "string" ? parseDuration(target) : undefined;
    if (byMs !== undefined) return { byMs };
    const toMs = parseInstant(typeof target === "string" ? target : target.toISOString());
    if (toMs === undefined)
      throw new UserError(
        `cannot advance by ${JSON.stringify(target)}: give a duration such as 30m, an instant, next or idle`,
      );
    if (toMs < this.#world.nowMs()) throw new UserError("time does not go back: the instant is in the past");
    return { toMs };
  }

  /** Moves a charge to a status, as a person at the control API would; throws a SandboxError if it may not. */
  transition(chargeId: string, to: ChargeStatus, reason?: string): ChargeDetail {
    const moved = this.#world.execute(transitionCharge(chargeId, to, "control", reason));
    if (isRefusal(moved)) throw new SandboxError(moved);
    return chargeDetail(moved);
  }

  /** Back to the initial state. Webhooks and keys stay unless told otherwise; ids go on unless they shall repeat. */
  reset(options: { keep?: ("webhooks" | "keys" | "scenarios")[]; ids?: "repeat" } = {}): void {
    const refusal = this.#world.reset({
      keep: options.keep ?? ["webhooks", "keys"],
      repeatIds: options.ids === "repeat",
    });
    if (refusal !== undefined) throw new SandboxError(refusal);
  }

  /**
   * Sends a webhook receiver good and bad events and tells what is wrong with it, by default with this
   * sandbox's secret and signature.
   */
  async checkWebhook(url: string, options: CheckWebhookOptions = {}): Promise<WebhookReport> {
    const { checkWebhook } = await lazily(() => import("./runtime/doctor/check.js"));
    const { readCheckOptions } = await lazily(() => import("./runtime/doctor/options.js"));
    const { signature, webhook_timeout } = this.#options;
    const defaults = { secret: this.webhookSecret, signature, timeout: webhook_timeout };
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return checkWebhook(
      readCheckOptions(url, { ...defaults, ...given }, (option) => `checkWebhook: ${option}`),
    );
  }

  /** The whole state as plain JSON; a copy of your own. */
  snapshot(): StateDump {
    return copied(this.#world.engine.state.freeze());
  }

  /**
   * Carries out the steps of a scenario file on this sandbox: its clock stands still meanwhile, the file's rules
   * are on top and go again. Resolves with a report whether or not they pass; throws for a file with faults.
   */
  async run(file: string, options: RunFileOptions = {}): Promise<RunReport> {
    const { readScenarioFile } = await lazily(() => import("./runtime/scenario-files.js"));
    const { runScenario } = await lazily(() => import("./runtime/steps/run.js"));
    const { vars, environment = process.env, app, ...rest } = options;
    const loaded = await readScenarioFile(file, {
      given: vars ?? {},
      environment,
      runIdOf: (name) => this.#worlds.runIdOf(this.#world, name),
    });
    return runScenario(loaded, {
      ...rest,
      app: app?.replace(/\/+$/, ""),
      fetch: (path, init) => this.fetch(path, init),
    });
  }

  /** Resolves when nothing is due and no delivery is under way. */
  async settled(): Promise<void> {
    await this.#world.runner.settled();
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
      this.#worlds.close();
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

/** Tells the adapter that there is nothing left to send. */
const ALREADY_SENT_HEADER = "x-hono-already-sent";

/** What a disk refused is said in a line; of anything else, where it happened is worth knowing. */
function reportError(error: unknown): void {
  const text =
    error instanceof StoreError
      ? error.message
      : `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  process.stderr.write(`payments-sandbox: ${printableLines(text)}\n`);
}

/** Reads the files, makes the world, wires it to HTTP. Throws a UserError for what the user can mend. */
export async function openSandbox(asked: OpenOptions): Promise<Sandbox> {
  const options = asked.control_token === "generate" ? { ...asked, control_token: madeUpToken() } : asked;
  const version = packageVersion();
  const { fixtures, scenarios, active } = await readService(options);
  const webhooks: WebhookOption[] = [
    ...(options.webhooks ?? []).map((one) => ({
      ...one,
      url: one.url === undefined ? undefined : webhookUrl(one.url),
    })),
    ...(options.webhook_url ?? []).map((url) => ({ url: webhookUrl(url)! })),
  ];
  const shared: Omit<WorldOptions, "name" | "store" | "snapshots"> = {
    seed: options.seed,
    defaultSeed: options.makeUpSeed ? madeUpSeed() : FIXED_SEED,
    clock: options.clock === undefined ? undefined : clockSetting(options.clock),
    startMs: options.start_time === undefined ? undefined : parseInstant(options.start_time),
    catalogue: new Catalogue(fixtures),
    settings: settingsOf(options),
    scenarios,
    activeScenarios: active,
    webhooks,
    webhookSecret: options.webhook_secret ?? DEFAULT_WEBHOOK_SECRET,
    rateLimit:
      options.rate_limit === undefined || options.rate_limit === "off" ? undefined : options.rate_limit,
    publicUrl: options.public_url?.replace(/\/+$/, ""),
    webhookTimeoutMs: durationMs(options.webhook_timeout ?? "15s"),
    apiKey: DEFAULT_API_KEY,
    liveApiKey: DEFAULT_LIVE_API_KEY,
    wall: systemWall,
    version,
    onError: options.onError ?? reportError,
    onNotice: options.onNotice,
  };
  const host = new Host({
    base: shared,
    autoNamespaces: options.auto_namespaces ?? false,
    storage: await namespaceStorage(options),
  });
  return new Sandbox(host, options, version);
}

/** Options of the library: those of `start`, in camelCase. */
export interface SandboxOptions {
  /** `"real"` (default), `"manual"`, or a speed such as `"60x"`. */
  clock?: string;
  /** ISO 8601; default: the time it is. */
  startTime?: string;
  /** The same seed and the same calls give the same bytes. Default: a fixed one. */
  seed?: string;
  /** Receivers of webhooks. */
  webhooks?: (
    | string
    | {
        url?: string;
        /** Instead of a URL: deliveries wait there to be collected over the control API. */
        mailbox?: string;
        mode?: "test" | "live";
        events?: string[];
        secret?: string;
        signature?: Signature;
        unreachable?: "hold" | "fail";
      }
  )[];
  webhookSecret?: string;
  /** How webhooks are signed: a preset's name or a scheme of your own; default `"standard"`. */
  signature?: Signature;
  /** Wall time a receiver has to answer; default `"15s"`. */
  webhookTimeout?: string;
  /** A scenario's name or file, or several; the last is asked first. */
  scenario?: string | string[];
  /** A fixtures file, merged over the shipped ones. */
  fixtures?: string;
  /** Keep the state in this file; default: in memory. */
  data?: string;
  fsync?: boolean;
  /** Requests a minute and key; default `"off"`. */
  rateLimit?: number | "off";
  port?: number;
  host?: string;
  publicUrl?: string;
  allowedHosts?: string[];
  controlToken?: string;
  /** The key `sk_test_ns_NAME` makes the namespace NAME on first use. */
  autoNamespaces?: boolean;
  /** Operation id → path. This and what follows is as in a config file, names inside included. */
  paths?: Record<string, string>;
  eventNames?: Record<string, string>;
  errorCodes?: Record<string, string>;
  retrySchedule?: string[];
  unreachable?: "hold" | "fail";
  fees?: Record<string, { platform_percent?: string; gateway_percent?: string }>;
  rates?: Record<string, string>;
  limits?: { quote_valid?: string; quote_locked?: string; checkout_default_minutes?: number };
  retention?: { requests?: number; events?: number };
}

/** Starts a sandbox in this process. Nothing listens until `listen()`; nothing is left after `close()`. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { scenario, webhooks, allowedHosts, ...rest } = options;
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined) renamed[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
  if (scenario !== undefined) renamed.scenario = typeof scenario === "string" ? [scenario] : scenario;
  if (allowedHosts !== undefined) renamed.allowed_host = allowedHosts;
  if (webhooks !== undefined)
    renamed.webhooks = webhooks.map((one) => (typeof one === "string" ? { url: one } : one));
  const checked = check(startOptionsSchema, renamed);
  if (!checked.ok)
    throw new UserError(
      checked.issues
        .map((issue) => `createSandbox: ${optionFault(issue, Object.keys(startOptionsSchema.shape))}`)
        .join("\n"),
    );
  return openSandbox({ ...checked.data, makeUpSeed: false, ownsProcess: false });
}

const WEBHOOK_HANDLER_URL = "http://localhost/webhooks";

/** The options of `onWebhook`, checked as those of any other receiver. */
export function webhookHandlerOptions(
  options: WebhookHandlerOptions,
  defaults: { readonly secret: string; readonly signature: Signature },
) {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const checked = check(webhookHandlerSchema, { url: WEBHOOK_HANDLER_URL, ...given });
  if (!checked.ok)
    throw new UserError(
      checked.issues
        .map((issue) => `onWebhook: ${optionFault(issue, Object.keys(webhookHandlerSchema.shape))}`)
        .join("\n"),
    );
  const { url, secret = defaults.secret, signature = defaults.signature, ...rest } = checked.data;
  const fault = secretFault(signature, secret);
  if (fault !== undefined) throw new UserError(`onWebhook: secret ${fault}`);
  return { ...rest, secret, signature, url: webhookUrl(url ?? WEBHOOK_HANDLER_URL)! };
}

/** What is wrong with an option, by the name the library has for it. */
function optionFault(issue: Parameters<typeof issueMessage>[0], options: readonly string[]): string {
  if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
    const known = options.map(camelCase);
    return issue.keys
      .map((key) => {
        const near = nearest(camelCase(key), known);
        return `there is no option ${camelCase(key)}${near === undefined ? "" : `; did you mean ${near}?`}`;
      })
      .join("; ");
  }
  return `${camelCase(issuePath(issue))} ${issueMessage(issue)}`;
}

function camelCase(name: string): string {
  return name
    .replace(/^allowed_host\b/, "allowed_hosts")
    .replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
