import ts from "typescript";

/** A test, or a group of tests, as its source names it. */
export interface TestTitle {
  readonly title: string;
  /** Its groups' titles and its own, set apart by ` › `. */
  readonly path: string;
  /** Whether the text is a part of the path, or what the path comes to with its placeholders filled in. */
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
  const filledIn = new RegExp(
    `(^| › )${path
      .split(" › ")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(PLACEHOLDER, ".+"))
      .join(" › ")}$`,
  );
  const alone = new RegExp(filledIn.source.split(" › ").at(-1)!.replace(/^\(\^\|/, "").replace(/^/, "^"));
  const bare = title.replace(PLACEHOLDER, "").trim();
  return {
    title,
    path,
    matches: (text) => path.includes(text) || (bare.length > 10 && (filledIn.test(text) || alone.test(text))),
  };
}

/** `%s`, `%.20s` and the like, and `$name`, as vitest fills them in; the dollar is escaped by then. */
const PLACEHOLDER = /%(\\?\.\d+)?[sdifjoO#]|\\?\$\w+/g;

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
