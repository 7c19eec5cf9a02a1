// Marks of tests: numbers of rules at the end of a title, `[R7.1]` or `[R1.5 R1.6]`.
import * as ts from "typescript/unstable/ast";
import { parse } from "../syntax.mjs";

const NOT_RUN = ["skip", "todo", "fails", "skipIf"];

/**
 * The marks in the source of a test file, but for those of tests that do not run.
 *
 * @param {string} source
 * @returns {string[]}
 */
export function marksIn(source) {
  const found = [];
  const visit = (node) => {
    const called = ts.isCallExpression(node) ? calledTest(node.expression) : undefined;
    const title = ts.isCallExpression(node) ? node.arguments[0] : undefined;
    if (called !== undefined && title !== undefined && ts.isStringLiteralLikeNode(title)) {
      if (!called.runs) return;
      found.push(...(/\[(R[\d.]+(?: R[\d.]+)*)\]$/.exec(title.text)?.[1].split(" ") ?? []));
    }
    node.forEachChild(visit);
  };
  visit(parse(source));
  return found;
}

/** Not undefined for `it`, `test` or `describe`, also as `it.each(…)` or `it.runIf(…)`. */
function calledTest(callee) {
  if (ts.isIdentifier(callee))
    return ["it", "test", "describe"].includes(callee.text) ? { runs: true } : undefined;
  if (ts.isPropertyAccessExpression(callee)) {
    const inner = calledTest(callee.expression);
    return inner && { runs: inner.runs && !NOT_RUN.includes(callee.name.text) };
  }
  return ts.isCallExpression(callee) ? calledTest(callee.expression) : undefined;
}
