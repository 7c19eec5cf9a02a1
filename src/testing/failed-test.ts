/** A test that has ended, as its runner has it. */
export interface EndedTest {
  readonly name: string;
  readonly isFailed: boolean;
  /** Why it failed, where there is something to be told. */
  readonly error: unknown;
  /** Jest takes an error's message out of its stack, which it shows, and for `node:assert` writes another. */
  readonly showsStackOnly?: true;
}

interface Task {
  readonly name: string;
  readonly suite?: Task;
  readonly file?: { readonly name: string };
  readonly fails?: boolean;
  readonly result?: { readonly state?: string; readonly errors?: readonly unknown[] };
}

interface NodeTest {
  readonly name: string;
  readonly fullName?: string;
  readonly passed: boolean;
  readonly error: { readonly cause?: unknown } | null;
}

interface CircusTest {
  readonly name: string;
  readonly parent?: CircusTest;
  readonly errors: readonly unknown[];
}

/** @param context what the runner hands its `afterEach`; undefined where no more is known of the test */
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
  const isFailed = result?.state === "fail" && !fails;
  return { name: names.join(" > "), isFailed, error: result?.errors?.at(-1) };
}

function ofNode({ name, fullName = name, passed, error }: NodeTest): EndedTest {
  return { name: fullName, isFailed: !passed, error: error?.cause };
}

/** Jest hands its hooks nothing. What its runner knows of the test stands under a symbol of its own on the global object. */
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
  const last = test.errors.at(-1);
  const error = Array.isArray(last) ? (last[0] ?? last[1]) : last;
  return { name: names.join(" > "), isFailed: test.errors.length > 0, error, showsStackOnly: true };
}

/** Puts a text behind what an error says. Some reporters show an error's message, others its stack, which has the message in it. */
export function attachTo(error: unknown, text: string, showsStackOnly = false): void {
  if (typeof error !== "object" || error === null) return;
  const shown = error as { message?: unknown; stack?: unknown };
  const { message, stack } = shown;
  if (typeof message !== "string") return;
  const longer = `${message}\n\n${text}\n`;
  if (typeof stack === "string") {
    const at = stack.indexOf(message);
    shown.stack =
      at === -1 ? `${longer}${stack}` : stack.slice(0, at) + longer + stack.slice(at + message.length);
  }
  if (!showsStackOnly || typeof stack !== "string") shown.message = longer;
}
