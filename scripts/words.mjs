// Leaves the words of the OpenAPI documents out of what is bundled: what is said of a shape, of its fields and of a
// call is read by what makes the documents alone, and the build has made them already.
import { parseAst } from "rolldown/parseAst";

/** Which arguments of a call are words. */
const WORDS = {
  field: [1, 2],
  assumedField: [1, 2],
  shape: [0, 1],
  recordShape: [0, 1],
  lazyShape: [0, 1],
  closedShape: [0, 1],
  namedSchema: [0, 1],
};
/** Which properties of a row are words. */
const ROWS = {
  defineOperation: "docs",
  defineControlOperation: "docs",
  defineControlSpec: "docs",
  option: "library",
};
const SPOKEN = /[\\/]src[\\/](core[\\/]schema|library|server[\\/](service|control))[\\/]/;

export const withoutWords = {
  name: "without-words",
  transform: (code, id) => (SPOKEN.test(id) && id.endsWith(".ts") ? { code: silenced(code, id) } : undefined),
};

/** The source with `""` in the place of each word. */
function silenced(code, id) {
  const words = [];
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    if (node.type === "CallExpression") words.push(...wordsIn(node));
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(code, { lang: "ts" }, id));
  return words
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => `${text.slice(0, start)}""${text.slice(end)}`, code);
}

function wordsIn({ callee, arguments: given }) {
  const row = Object.hasOwn(ROWS, callee.name ?? "") ? (given[0]?.properties ?? []) : [];
  return [
    ...(WORDS[callee.name] ?? []).map((index) => given[index]),
    ...row.filter(({ key }) => key?.name === ROWS[callee.name]).map(({ value }) => value),
  ].filter((node) => node !== undefined);
}
