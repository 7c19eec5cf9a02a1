import { UserError } from "../core/schema/user-error.js";

// Hooks and test results of the test runners Vitest, Jest, Mocha and `node:test`.

/** Registers a function that the test runner calls. */
// biome-ignore lint/suspicious/noExplicitAny: each runner passes other arguments
type Hook = (run: (...args: any[]) => Promise<void>) => unknown;

/** The hooks of a test runner, named as in Vitest and Jest or as in `node:test` and Mocha. */
export interface TestHooks {
  /** Runs once before the tests of the file, in Vitest and Jest. Required, unless `before` is given. */
  readonly beforeAll?: Hook;
  /** `beforeAll` of `node:test` and Mocha. */
  readonly before?: Hook;
  /** Runs before each test. */
  readonly beforeEach: Hook;
  /**
   * Runs after each test. Without this hook, `exec --artifacts` gets no file for a failed test, and the option
   * `reconcile` is never called. Also, the end of a test does not throw the failed assertions of webhook handlers.
   */
  readonly afterEach?: Hook;
  /** Runs once after the tests of the file, in Vitest and Jest. Required, unless `after` is given. */
  readonly afterAll?: Hook;
  /** `afterAll` of `node:test` and Mocha. */
  readonly after?: Hook;
}

type FoundHooks = Required<Pick<TestHooks, "beforeAll" | "beforeEach" | "afterEach" | "afterAll">>;

let imported: Partial<TestHooks> | undefined;

/** Sets the hooks of a runner without globals. */
export function setImportedHooks(hooks: Partial<TestHooks> | undefined): void {
  imported = hooks;
}

/** Returns `hooks` if given, else the global ones, else Vitest's. */
export function findHooks(hooks: TestHooks | undefined): FoundHooks {
  const candidates = hooks === undefined ? [globalThis as Partial<TestHooks>, imported ?? {}] : [hooks];
  for (const { beforeAll, before, beforeEach, afterEach, afterAll, after } of candidates) {
    const [first, last] = [beforeAll ?? before, afterAll ?? after];
    if (first !== undefined && beforeEach !== undefined && last !== undefined)
      return { beforeAll: first, beforeEach, afterEach: afterEach ?? (() => {}), afterAll: last };
  }
  throw new UserError(
    "setupSandbox() finds no hooks of a test runner: pass them, as in setupSandbox({ hooks: { before, beforeEach, afterEach, after } })",
  );
}

export interface FinishedTest {
  readonly name: string;
  readonly isFailed: boolean;
}

/**
 * @param context argument of the runner's `beforeEach`
 * @returns true if the runner says that it runs the test beside others
 */
export function isConcurrentTest(context: unknown): boolean {
  const { task } = Object(context) as { readonly task?: { readonly concurrent?: boolean } };
  return task?.concurrent === true;
}

interface Task {
  readonly name: string;
  readonly suite?: Task;
  readonly file?: { readonly name: string };
  readonly fails?: boolean;
  readonly result?: { readonly state?: string };
}

interface NodeTest {
  readonly name: string;
  readonly fullName?: string;
  readonly passed: boolean;
}

interface CircusTest {
  readonly name: string;
  readonly parent?: CircusTest;
  readonly errors: readonly unknown[];
}

/**
 * @param context argument of the runner's `afterEach`
 * @returns undefined if the runner does not report the test
 */
export function readFinishedTest(context: unknown): FinishedTest | undefined {
  // Vitest's context is a function with properties.
  const properties = Object(context) as object;
  if ("task" in properties) return fromVitest(properties.task as Task);
  if ("passed" in properties) return fromNode(properties as NodeTest);
  return fromJest();
}

function fromVitest({ name, suite, file, fails = false, result }: Task): FinishedTest {
  const names = [name];
  for (let outer = suite; outer !== undefined && outer.name !== ""; outer = outer.suite)
    names.unshift(outer.name);
  if (file !== undefined && names[0] !== file.name) names.unshift(file.name);
  return { name: names.join(" > "), isFailed: result?.state === "fail" && !fails };
}

function fromNode({ name, fullName = name, passed }: NodeTest): FinishedTest {
  return { name: fullName, isFailed: !passed };
}

/** Jest passes nothing to hooks; jest-circus stores the current test under a symbol on the global object. */
function fromJest(): FinishedTest | undefined {
  const states = Object.getOwnPropertySymbols(globalThis)
    .filter(({ description }) => description === "JEST_STATE_SYMBOL")
    .map((symbol) => (globalThis as Record<symbol, unknown>)[symbol]) as {
    readonly currentlyRunningTest?: CircusTest | null;
  }[];
  const test = states.find(({ currentlyRunningTest }) => currentlyRunningTest != null)?.currentlyRunningTest;
  if (test == null) return undefined;
  const names = [test.name];
  // Skips Jest's root block, which stands for the file but does not name it.
  for (let outer = test.parent; outer?.parent !== undefined; outer = outer.parent) names.unshift(outer.name);
  const { expect } = globalThis as { expect?: { getState?(): { testPath?: string } } };
  const file = expect?.getState?.().testPath?.split(/[\\/]/).at(-1);
  if (file !== undefined) names.unshift(file);
  return { name: names.join(" > "), isFailed: test.errors.length > 0 };
}
