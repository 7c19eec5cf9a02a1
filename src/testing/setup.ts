// `payments-sandbox/testing`: one sandbox for a test file, tied to the hooks of the test runner. `Setup` forwards each
// call to a TestNamespace, in this process or on a server.
import {
  appEnvironment,
  type ControlCallArguments,
  ControlClient,
  type OperationCall,
} from "../core/client/control-client.js";
import { AssertionCollector, type WebhookHandler } from "../core/delivery/in-process-receivers.js";
import { describeDifferences } from "../core/reports/book-report-text.js";
import type { ChargeStatus } from "../core/schema/common.js";
import type { AdvanceReport } from "../core/schema/control-insight-responses.js";
import type { BookReport } from "../core/schema/control-responses.js";
import type { WebhookReport } from "../core/schema/receiver-report.js";
import type { ChargeDetail } from "../core/schema/responses/charge-responses.js";
import { UserError } from "../core/schema/user-error.js";
import { callerFrames } from "../library/caller-frames.js";
import {
  checkWebhookHandler,
  type ExploreFlowOptions,
  type ExploreOptions,
  parseAdvanceArgument,
  type ReconcileOptions,
  type ResetOptions,
  type RunFileOptions,
  type SandboxOptions,
  type SandboxState,
  type WebhookHandlerOptions,
} from "../library/library-options.js";
import type { ControlOperations } from "../library/operation-types.js";
import type { CheckWebhookOptions } from "../tools/doctor/check-options.js";
import type { ExploreReport } from "../tools/explore/exploration.js";
import type { ExploreFlow } from "../tools/explore/functions/flow.js";
import type { RunReport } from "../tools/scenario/running/run-report.js";
import { findHooks, isConcurrentTest, readFinishedTest, type TestHooks } from "./runner.js";
import { openInProcess, openOnServer, type TestNamespace } from "./test-namespace.js";

export { setImportedHooks as offerHooks } from "./runner.js";

/** Options of `setupSandbox`: those of `createSandbox`, with a manual clock by default. */
export interface SetupOptions extends SandboxOptions {
  /** The test runner's hooks or a module with them, such as `node:test`; default: the global ones or Vitest's. */
  hooks?: TestHooks;
  /** URL of a server to create a namespace in; default: `PAYMENTS_SANDBOX_URL`. False: a sandbox in this process. */
  server?: string | false;
  /** Opens a port, for an app that needs a URL; default true. Ignored with a server. */
  listen?: boolean;
  /**
   * The app's own view of its payments, one row per order as in `reconcile()`. Called when a test has passed and all
   * due webhooks have arrived: any difference from the ledger fails the test.
   */
  reconcile?: () => readonly object[] | Promise<readonly object[]>;
}

/** The sandbox of a test file, for hooks and tests. Until it is open, its properties and methods throw. */
export interface TestSandbox {
  /**
   * Resolves when the sandbox is open; opens it if needed. Await it in a `before` hook of `node:test`, which does not
   * wait for earlier hooks, and at the top level of a file. Rejects if the sandbox cannot open or has been closed.
   */
  readonly ready: Promise<void>;
  /** Base URL without a trailing slash; throws a UserError with `listen: false`. */
  readonly url: string;
  /** The API key for test mode. */
  readonly apiKey: string;
  /** The API key for live mode: separate data, the same behaviour. */
  readonly liveApiKey: string;
  /** Default signing secret of webhooks. */
  readonly webhookSecret: string;
  /** Name of the namespace; `default` if the sandbox runs in this process. */
  readonly namespace: string;
  /** Environment variables for an app that the test starts, as set by `payments-sandbox exec`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sends a request to the sandbox, whatever the host in the URL; accepts a path. Can replace `fetch` in a client. */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>;
  /** Advances the clock; see `Sandbox.advance`. */
  advance(target: string | Date): Promise<AdvanceReport>;
  /** Sets a charge's status; see `Sandbox.transition`. Rejects with a SandboxError for an illegal transition. */
  transition(chargeId: string, to: ChargeStatus, reason?: string): Promise<ChargeDetail>;
  /** Resets to the initial state. By default, changes of keys stay; the reset before each test undoes them. */
  reset(options?: ResetOptions): Promise<void>;
  /**
   * Delivers webhooks to a handler in this process; see `Sandbox.onWebhook`. A handler of a test or a `beforeEach` is
   * unregistered before the next test. A failed assertion of a handler is thrown by the next `advance` or `settled`, or
   * at the end of the test. Resolves with a function that unregisters the handler.
   */
  onWebhook(handler: WebhookHandler, options?: WebhookHandlerOptions): Promise<() => Promise<void>>;
  /** Resolves when nothing is due or in flight; rejects with WAIT_TIMEOUT after `timeout` (default `"10s"`). */
  settled(timeout?: string): Promise<void>;
  /** The whole state as plain JSON. */
  snapshot(): Promise<SandboxState>;
  /** Restores a state of this or another sandbox; time continues from the time of that state. */
  restore(snapshot: SandboxState): Promise<void>;
  /** Compares the app's own view of its payments with the ledger; see `Sandbox.reconcile`. */
  reconcile(rows: readonly object[], options?: ReconcileOptions): Promise<BookReport>;
  /** Finds deviations that break an app which calls this sandbox; see `Sandbox.explore`. */
  explore(flow: ExploreFlow, options?: ExploreOptions): Promise<ExploreReport>;
  /** Explores the flow of a scenario file. */
  explore(flow: string, options: ExploreFlowOptions): Promise<ExploreReport>;
  /** Probes a webhook receiver and reports its faults; see `Sandbox.checkWebhook`. */
  checkWebhook(url: string, options?: CheckWebhookOptions): Promise<WebhookReport>;
  /** Runs the steps of a scenario file; see `Sandbox.runFile`. */
  runFile(path: string, options?: RunFileOptions): Promise<RunReport>;
  /** Calls an operation; see `Sandbox.run`. */
  run<Id extends keyof ControlOperations>(
    id: Id,
    ...[input]: Record<never, never> extends ControlOperations[Id]["input"]
      ? [input?: ControlOperations[Id]["input"]]
      : [input: ControlOperations[Id]["input"]]
  ): Promise<ControlOperations[Id]["output"]>;
  /**
   * Calls the control API: `control("POST", "/_sandbox/faults", { … })`. Resolves with the JSON of the response;
   * rejects with a SandboxError for an error response.
   */
  control<Answer = unknown>(...call: ControlCallArguments): Promise<Answer>;
}

/**
 * Creates a sandbox for a test file; call `setupSandbox` once at the top level. The sandbox opens before the first
 * test, resets before each test and closes after the last test. With `PAYMENTS_SANDBOX_URL`, the sandbox is a namespace
 * of the server at that URL; otherwise the sandbox runs in this process.
 */
export function setupSandbox(options: SetupOptions = {}): TestSandbox {
  const { hooks: runnerHooks, ...rest } = options;
  const hooks = findHooks(runnerHooks);
  const setup = new Setup(rest);
  hooks.beforeAll(() => setup.open());
  // `bind` hides the parameter, which Jest would take for a callback and Vitest for a list of fixtures.
  hooks.beforeEach(setup.beginTest.bind(setup));
  hooks.afterEach(setup.endTest.bind(setup));
  hooks.afterAll(() => setup.close());
  return setup;
}

class Setup implements TestSandbox {
  readonly #options: Omit<SetupOptions, "hooks" | "reconcile">;
  readonly #books: SetupOptions["reconcile"];
  #opening: Promise<TestNamespace> | undefined;
  #opened: TestNamespace | undefined;
  #isClosed = false;
  readonly #assertions = new AssertionCollector();
  #isInTest = false;
  /** The runner runs the current test beside others of the file. */
  #isConcurrent = false;
  /** Number of explorations under way of flows that are objects. */
  #explorations = 0;
  /** Functions that unregister the webhook handlers of the current test. */
  readonly #ofTest = new Set<() => Promise<void>>();
  /** Functions that unregister the webhook handlers of the whole file. */
  readonly #ofFile = new Set<() => Promise<void>>();

  constructor({ reconcile, ...options }: Omit<SetupOptions, "hooks">) {
    if (reconcile !== undefined && typeof reconcile !== "function")
      throw new UserError("setupSandbox: reconcile must be a function that returns the app's rows");
    this.#options = options;
    this.#books = reconcile;
  }

  get ready(): Promise<void> {
    return this.open();
  }

  async open(): Promise<void> {
    if (this.#isClosed) throw new Error(CLOSED_MESSAGE);
    this.#opening ??= this.#open();
    this.#opened = await this.#opening;
  }

  #open(): Promise<TestNamespace> {
    const { server = process.env.PAYMENTS_SANDBOX_URL || false, listen = true, ...rest } = this.#options;
    const options: SandboxOptions = { clock: "manual", ...rest };
    return server === false ? openInProcess(options, listen) : openOnServer(server, options);
  }

  async beginTest(...[context]: unknown[]): Promise<void> {
    if (this.#explorations > 0) throw new UserError(CONCURRENT_MESSAGE);
    this.#isConcurrent = isConcurrentTest(context);
    await this.#stop(this.#ofTest);
    this.#isInTest = true;
    // The reset waits for an advance that the last test did not await, and undoes the last test's changes of keys.
    await this.#reset({ wait: "10s", keep: ["webhooks"] });
  }

  /** Throws if an assertion of a webhook handler failed or if the app's rows are wrong. Exports a failed test first. */
  async endTest(...[context]: unknown[]): Promise<void> {
    this.#isInTest = false;
    const test = readFinishedTest(context);
    const differing = test?.isFailed ? undefined : await this.#differing();
    if (test?.isFailed || (this.#assertions.first ?? differing) !== undefined)
      await this.#exportFailed(test?.name ?? `a test of namespace ${this.namespace}`);
    this.#assertions.rethrow();
    if (differing !== undefined) throw differing;
  }

  /** Compares the app's books with the ledger at the end of a test, if the option `reconcile` is set. */
  async #differing(): Promise<Error | undefined> {
    if (this.#books === undefined) return undefined;
    await this.run("waitFor", { for: "idle" });
    const report = await this.reconcile(await this.#books());
    const { message, differences } = describeDifferences(report);
    return report.passed ? undefined : new Error([message, ...differences].join("\n  "));
  }

  async #exportFailed(test: string): Promise<void> {
    // The error of the test matters more than a failed export.
    await this.run("keepFailedTest", { test }).catch(() => {});
  }

  async close(): Promise<void> {
    const namespace = this.#opened;
    if (namespace === undefined) return;
    try {
      await this.#stop(this.#ofTest);
      await this.#stop(this.#ofFile);
    } finally {
      this.#isClosed = true;
      this.#opened = this.#opening = undefined;
      await namespace.close();
    }
    this.#assertions.rethrow();
  }

  async #stop(stops: Set<() => Promise<void>>): Promise<void> {
    for (const stop of [...stops]) await stop();
  }

  get #namespace(): TestNamespace {
    if (this.#opened === undefined) throw new Error(this.#isClosed ? CLOSED_MESSAGE : NOT_OPEN_MESSAGE);
    return this.#opened;
  }

  /** Waits for `open`: `node:test` does not wait for one hook before it starts the next. */
  async #whenOpen(): Promise<TestNamespace> {
    return this.#opening ?? this.#namespace;
  }

  get url(): string {
    return this.#namespace.url;
  }

  get apiKey(): string {
    return this.#namespace.apiKey;
  }

  get liveApiKey(): string {
    return this.#namespace.liveApiKey;
  }

  get webhookSecret(): string {
    return this.#namespace.webhookSecret;
  }

  get namespace(): string {
    return this.#namespace.namespace;
  }

  get environment(): Record<string, string> {
    return appEnvironment(this.#namespace);
  }

  readonly fetch = async (input: Request | URL | string, init?: RequestInit): Promise<Response> =>
    (await this.#whenOpen()).fetch(input, init);

  readonly #control = new ControlClient({ fetch: this.fetch, includesCallInNotFound: true });

  async control<Answer>(...call: ControlCallArguments): Promise<Answer> {
    return this.#control.call<Answer>(...call);
  }

  async run<Id extends keyof ControlOperations>(
    id: Id,
    input?: object,
  ): Promise<ControlOperations[Id]["output"]> {
    return this.#control.run(...([id, input] as OperationCall));
  }

  async advance(target: string | Date): Promise<AdvanceReport> {
    const report = await this.run("advanceClock", parseAdvanceArgument(target));
    this.#assertions.rethrow();
    return report;
  }

  async transition(chargeId: string, to: ChargeStatus, reason?: string): Promise<ChargeDetail> {
    return this.run("transitionCharge", { charge_id: chargeId, to, reason });
  }

  async reset(options: ResetOptions = {}): Promise<void> {
    await this.#reset(options);
  }

  async #reset(options: object): Promise<void> {
    await this.run("resetSandbox", options);
    await (await this.#whenOpen()).restoreOptions();
  }

  async onWebhook(
    handler: WebhookHandler,
    options: WebhookHandlerOptions = {},
  ): Promise<() => Promise<void>> {
    const stops = this.#isInTest ? this.#ofTest : this.#ofFile;
    const namespace = await this.#whenOpen();
    checkWebhookHandler(handler);
    const end = await namespace.onWebhook(this.#assertions.wrap(handler), options);
    const stop = async (): Promise<void> => {
      if (stops.delete(stop)) await end();
    };
    stops.add(stop);
    return stop;
  }

  async settled(timeout = "10s"): Promise<void> {
    await this.run("waitFor", { for: "idle", timeout });
    this.#assertions.rethrow();
  }

  async snapshot(): Promise<SandboxState> {
    return this.#control.run("getState");
  }

  async restore(snapshot: SandboxState): Promise<void> {
    await this.run("putState", snapshot);
  }

  async explore(
    flow: string | ExploreFlow,
    options?: ExploreFlowOptions | ExploreOptions,
  ): Promise<ExploreReport> {
    const frames = callerFrames(this.explore);
    const takesTimers = typeof flow !== "string";
    if (takesTimers && this.#isConcurrent) throw new UserError(CONCURRENT_MESSAGE);
    this.#explorations += Number(takesTimers);
    try {
      return await (await this.#whenOpen()).tools.explore(flow, options, frames);
    } finally {
      this.#explorations -= Number(takesTimers);
    }
  }

  async checkWebhook(url: string, options: CheckWebhookOptions = {}): Promise<WebhookReport> {
    return (await this.#whenOpen()).tools.checkWebhook(url, options);
  }

  async runFile(path: string, options: RunFileOptions = {}): Promise<RunReport> {
    return (await this.#whenOpen()).tools.runFile(path, options);
  }

  async reconcile(rows: readonly object[], options: ReconcileOptions = {}): Promise<BookReport> {
    return this.run("reconcile", { ...options, rows });
  }
}

const CONCURRENT_MESSAGE =
  "explore: it has the timers of this process: await it, in a test that runs alone, without test.concurrent";
const CLOSED_MESSAGE = "the sandbox exists from beforeAll to afterAll: use it in a hook or a test";
const NOT_OPEN_MESSAGE = `${CLOSED_MESSAGE}. In a hook of node:test, and at the top level of a file, write "await sandbox.ready" first`;
