import ts from "typescript";

const NOT_RUN = ["skip", "todo", "fails", "skipIf"];

/** The titles of all tests and groups in the source of a test file, but for those that do not run. */
export function titlesOf(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const called = ts.isCallExpression(node) ? calledTest(node.expression) : undefined;
    const first = ts.isCallExpression(node) ? node.arguments[0] : undefined;
    if (called !== undefined && first !== undefined && ts.isStringLiteralLike(first)) {
      if (!called.runs) return;
      found.push(first.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("x.test.ts", source, ts.ScriptTarget.Latest));
  return found;
}

/** True for `it`, `test` or `describe`, also as `it.each(…)` or `it.runIf(…)`, that runs. */
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
