import { UserError } from "../core/schema/user-error.js";

/** What a runner takes a function by, to call it at its time. */
// biome-ignore lint/suspicious/noExplicitAny: each runner hands its hooks something else, and we take nothing of it
type Hook = (run: (...given: any[]) => Promise<void>) => unknown;

/** The hooks of a test runner, under the names Vitest and Jest or `node:test` and Mocha have for them. */
export interface TestHooks {
  /** Runs once before the tests of the file; Vitest's and Jest's word. */
  readonly beforeAll?: Hook;
  /** The same in `node:test` and Mocha; one of the two is needed. */
  readonly before?: Hook;
  /** Runs before each test. */
  readonly beforeEach: Hook;
  /** Runs after each test; default: handlers registered in a test are stopped when the next begins. */
  readonly afterEach?: Hook;
  /** Runs once after the tests of the file; Vitest's and Jest's word. */
  readonly afterAll?: Hook;
  /** The same in `node:test` and Mocha; one of the two is needed. */
  readonly after?: Hook;
}

/** The hooks, each by one name. */
export interface FoundHooks {
  readonly beforeAll: Hook;
  readonly beforeEach: Hook;
  readonly afterEach: Hook;
  readonly afterAll: Hook;
}

let imported: Partial<TestHooks> | undefined;

/** Hooks of a runner that has no globals, found when this was imported. */
export function offerHooks(hooks: Partial<TestHooks> | undefined): void {
  imported = hooks;
}

/** Those that were given, else the global ones, else those of Vitest. */
export function findHooks(given: TestHooks | undefined): FoundHooks {
  const candidates = given === undefined ? [globalThis as Partial<TestHooks>, imported ?? {}] : [given];
  for (const { beforeAll, before, beforeEach, afterEach, afterAll, after } of candidates) {
    const [first, last] = [beforeAll ?? before, afterAll ?? after];
    if (first !== undefined && beforeEach !== undefined && last !== undefined)
      return { beforeAll: first, beforeEach, afterEach: afterEach ?? (() => {}), afterAll: last };
  }
  throw new UserError(
    "setupSandbox() finds no hooks of a test runner: pass them, as in setupSandbox({ hooks: { before, beforeEach, afterEach, after } })",
  );
}
