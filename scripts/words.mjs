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
const OPERATION_WORDS = [
  "summary",
  "description",
  "tag",
  "assumed",
  "notFound",
  "prefixedParameters",
  "errors",
  "example",
];
const ROWS = {
  defineOperation: OPERATION_WORDS,
  defineControlOperation: OPERATION_WORDS,
  option: ["library"],
};
const SPOKEN = /[\\/]src[\\/](core[\\/]schema|library|server[\\/](service|control))[\\/]/;

export const withoutWords = {
  name: "without-words",
  transform: (code, id) => (SPOKEN.test(id) && id.endsWith(".ts") ? { code: silenced(code, id) } : undefined),
};

/** The source with `""` in the place of each argument that is a word, and without the words of rows. */
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
    .reduce((text, { start, end, by = '""' }) => `${text.slice(0, start)}${by}${text.slice(end)}`, code);
}

function wordsIn({ callee, arguments: given }) {
  const words = Object.hasOwn(ROWS, callee.name ?? "") ? ROWS[callee.name] : [];
  const row = words.length === 0 ? [] : (given[0]?.properties ?? []);
  return [
    ...(WORDS[callee.name] ?? []).map((index) => given[index]).filter((node) => node !== undefined),
    // A property goes with the comma before it; the first of a row is no word.
    ...row.flatMap(({ key, end }, index) =>
      words.includes(key?.name) ? [{ start: row[index - 1].end, end, by: "" }] : [],
    ),
  ];
}
