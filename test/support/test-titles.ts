import ts from "typescript";

/** A test, or a group of tests, as its source names it. */
export interface TestTitle {
  readonly title: string;
  /** Its groups' titles and its own, set apart by ` › `. */
  readonly path: string;
  /** Whether the text is a part of the path, or the title with its placeholders filled in. */
  matches(text: string): boolean;
}

const NOT_RUN = ["skip", "todo", "fails", "skipIf"];

/** The titles of all tests and groups in the source of a test file, but for those that do not run. */
export function titlesOf(source: string): TestTitle[] {
  const found: TestTitle[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const called = ts.isCallExpression(node) ? calledTest(node.expression) : undefined;
    const first = ts.isCallExpression(node) ? node.arguments[0] : undefined;
    if (called === undefined || first === undefined || !ts.isStringLiteralLike(first)) {
      ts.forEachChild(node, (child) => visit(child, groups));
      return;
    }
    if (!called.runs) return;
    const inside = [...groups, first.text];
    found.push(titleOf(first.text, inside.join(" › ")));
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(ts.createSourceFile("x.test.ts", source, ts.ScriptTarget.Latest), []);
  return found;
}

function titleOf(title: string, path: string): TestTitle {
  const said = title.replace(PLACEHOLDER, "");
  const filledIn = new RegExp(
    `^${title
      .split(PLACEHOLDER)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".+")}$`,
  );
  return {
    title,
    path,
    matches: (text) => path.includes(text) || (said.trim().length >= SAID_LEAST && filledIn.test(text)),
  };
}

/** `%s`, `%.20s` and the like, and `$name`, as vitest fills them in. */
const PLACEHOLDER = /%(?:\.\d+)?[sdifjoO#]|\$\w+/g;
/** A title of little else than placeholders stands for anything: it must be named as it is written. */
const SAID_LEAST = 10;

/** `it`, `test` or `describe`, also as `it.each(…)` or `it.runIf(…)`; whether what it names runs. */
function calledTest(callee: ts.Expression): { runs: boolean } | undefined {
  if (ts.isIdentifier(callee))
    return ["it", "test", "describe"].includes(callee.text) ? { runs: true } : undefined;
  if (ts.isPropertyAccessExpression(callee)) {
    const inner = calledTest(callee.expression);
    return inner && { runs: inner.runs && !NOT_RUN.includes(callee.name.text) };
  }
  if (ts.isCallExpression(callee)) return calledTest(callee.expression);
  return undefined;
}
