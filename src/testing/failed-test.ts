/** A finished test, as its runner describes it. */
export interface EndedTest {
  readonly name: string;
  readonly isFailed: boolean;
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

/** @param context what the runner passes to `afterEach`. Undefined if the runner does not report the test. */
export function endedTest(context: unknown): EndedTest | undefined {
  // Vitest's is a function with properties.
  const given = Object(context) as object;
  if ("task" in given) return ofVitest(given.task as Task);
  if ("passed" in given) return ofNode(given as NodeTest);
  return ofJest();
}

function ofVitest({ name, suite, file, fails = false, result }: Task): EndedTest {
  const names = [name];
  for (let one = suite; one !== undefined && one.name !== ""; one = one.suite) names.unshift(one.name);
  if (file !== undefined && names[0] !== file.name) names.unshift(file.name);
  return { name: names.join(" > "), isFailed: result?.state === "fail" && !fails };
}

function ofNode({ name, fullName = name, passed }: NodeTest): EndedTest {
  return { name: fullName, isFailed: !passed };
}

/** Jest passes nothing to its hooks; its runner keeps the current test under a symbol on the global object. */
function ofJest(): EndedTest | undefined {
  const states = Object.getOwnPropertySymbols(globalThis)
    .filter(({ description }) => description === "JEST_STATE_SYMBOL")
    .map((symbol) => (globalThis as Record<symbol, unknown>)[symbol]) as {
    readonly currentlyRunningTest?: CircusTest | null;
  }[];
  const test = states.find(({ currentlyRunningTest }) => currentlyRunningTest != null)?.currentlyRunningTest;
  if (test == null) return undefined;
  const names = [test.name];
  // The outermost is the file, without its name.
  for (let one = test.parent; one?.parent !== undefined; one = one.parent) names.unshift(one.name);
  const { expect } = globalThis as { expect?: { getState?(): { testPath?: string } } };
  const file = expect?.getState?.().testPath?.split(/[\\/]/).at(-1);
  if (file !== undefined) names.unshift(file);
  return { name: names.join(" > "), isFailed: test.errors.length > 0 };
}
