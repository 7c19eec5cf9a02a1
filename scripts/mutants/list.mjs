// Finds all mutations of src and draws mutants from them, the same for the same seed and source.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript/unstable/ast";
import { parse } from "../syntax.mjs";

/**
 * @typedef {{ start: number, end: number, text: string }} Edit replaces the source from `start` to `end`
 * @typedef {Edit & { kind: string, line: number, before: string, probes: Edit[] }} Mutation `probes` note a run of its function
 * @typedef {Mutation & { room: string, file: string }} Mutant
 */

const SWAPS = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
};
/** Calls whose arguments document an API, and the property that does. */
const DESCRIBING = /^(field|assumedField|shape|lazyShape|closedShape|namedSchema|describe)$/;
const DESCRIPTION = "description";

/** Files that send signals are not mutated: a mutant could kill processes that the tests did not start. Signal 0 only asks. */
const SIGNALING = /\bprocess\.kill\((?![^)]*, 0\))/;

/** @returns {() => number} numbers from 0 to 1, the same for the same seed */
export function generator(seed) {
  let count = 0;
  return () => createHash("sha256").update(`${seed} ${count++}`).digest().readUInt32BE(0) / 2 ** 32;
}

/** @param {string} source @param {Edit[]} edits that do not overlap; several may insert at one place */
export const apply = (source, edits) =>
  [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), source);

/** Lists all mutations of a TypeScript source. Skips code outside of functions: tables and schemas. @returns {Mutation[]} */
export function mutationsOf(source) {
  const tree = parse(source);
  /** @type {Mutation[]} */
  const found = [];
  const visit = (node, probes) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || isDescription(node)) return;
    const body = ts.isFunctionLikeDeclaration(node) ? node.body : undefined;
    if (probes !== undefined) for (const edit of editsAt(node)) add(edit, probes);
    if (body !== undefined && returnsNothing(node))
      add(["return early", body.getStart() + 1, body.getStart() + 1, " return;"], probesOf(body));
    node.forEachChild((child) => visit(child, child === body ? probesOf(body) : probes));
  };
  const add = ([kind, start, end, text], probes) => {
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    const before = source.slice(start, end).replace(/\s+/g, " ").slice(0, 60);
    found.push({ kind, start, end, text, line, before, probes });
  };
  visit(tree, undefined);
  return found;
}

function isDescription(node) {
  if (ts.isPropertyAssignment(node)) return node.name.getText() === DESCRIPTION;
  return (
    ts.isStringLiteralLikeNode(node) &&
    ts.isCallExpression(node.parent) &&
    DESCRIBING.test(node.parent.expression.getText())
  );
}

/** @returns {Edit[]} which put `PROBE` where the function begins */
function probesOf(body) {
  const [start, end] = [body.getStart(), body.end];
  if (ts.isBlock(body)) return [{ start: start + 1, end: start + 1, text: " PROBE;" }];
  return [
    { start, end: start, text: "(PROBE, (" },
    { start: end, end, text: "))" },
  ];
}

function returnsNothing({ type, body, asteriskToken }) {
  const isVoid = ["void", "Promise<void>"].includes(type?.getText() ?? "");
  return isVoid && asteriskToken === undefined && ts.isBlock(body) && body.statements.length > 0;
}

/** @returns {Generator<[kind: string, start: number, end: number, text: string]>} */
function* editsAt(node) {
  const [start, end] = [node.getStart(), node.end];
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) yield negated(node.expression);
  if (ts.isConditionalExpression(node)) yield negated(node.condition);
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken;
    const swapped = SWAPS[operator.getText()];
    const kind = /[<>=]/.test(operator.getText()) ? "swap a comparison" : "swap an operator";
    if (swapped !== undefined) yield [kind, operator.getStart(), operator.end, swapped];
  }
  if (ts.isExpressionStatement(node) && isPlainCall(node.expression)) yield ["drop a call", start, end, ";"];
  if (ts.isAwaitExpression(node)) yield ["drop an await", start, node.expression.getStart(), ""];
  if (ts.isNumericLiteral(node)) yield ["change a number", start, end, String(Number(node.text) + 1)];
  if (ts.isStringLiteral(node) && node.text !== "" && isCompared(node))
    yield ["empty a string", start, end, '""'];
}

const negated = (condition) => {
  const [start, end] = [condition.getStart(), condition.end];
  return ["negate a condition", start, end, `!(${condition.getText()})`];
};

/** `super()` cannot be left out. */
function isPlainCall(expression) {
  const call = ts.isAwaitExpression(expression) ? expression.expression : expression;
  return ts.isCallExpression(call) && call.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

function isCompared({ parent }) {
  return (
    ts.isCaseClause(parent) ||
    (ts.isBinaryExpression(parent) && /^[!=]==$/.test(parent.operatorToken.getText()))
  );
}

/**
 * Draws mutants, from each room (a folder of src, or "src" for the files in it) in proportion to its lines. The
 * proportion holds for every prefix of the list.
 *
 * @param {Map<string, string>} sources by path from the root, `src/…`
 * @returns {Mutant[]} `count` of them, or all there are
 */
export function drawMutants(sources, seed, count) {
  const rooms = new Map();
  for (const [file, source] of [...sources].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const mutations = mutationsOf(source);
    if (mutations.length === 0) continue;
    const name = file.split("/").length > 2 ? file.split("/")[1] : "src";
    const room = rooms.get(name) ?? {
      name,
      files: [],
      lines: 0,
      mutantCount: 0,
      random: generator(`${seed}/${name}`),
    };
    rooms.set(name, room);
    const lines = source.split("\n").length;
    room.files.push({ file, lines, mutations });
    room.lines += lines;
  }
  const mutants = [];
  while (mutants.length < count && rooms.size > 0) {
    const [room] = [...rooms.values()].sort(
      (a, b) => (a.mutantCount + 0.5) / a.lines - (b.mutantCount + 0.5) / b.lines,
    );
    const mutant = { room: room.name, ...drawFrom(room) };
    if (room.files.length === 0) rooms.delete(room.name);
    if (SIGNALING.test(sources.get(mutant.file))) continue;
    mutants.push(mutant);
    room.mutantCount++;
  }
  return mutants;
}

/** Removes one mutation from the room. Draws its kind before its place: most places are negations. */
function drawFrom({ files, random }) {
  let left = random() * files.reduce((sum, { lines }) => sum + lines, 0);
  const chosen = files.find(({ lines }) => (left -= lines) < 0) ?? files.at(-1);
  const any = (list) => list[Math.floor(random() * list.length)];
  const kind = any([...new Set(chosen.mutations.map((mutation) => mutation.kind))]);
  const mutation = any(chosen.mutations.filter((one) => one.kind === kind));
  chosen.mutations.splice(chosen.mutations.indexOf(mutation), 1);
  if (chosen.mutations.length === 0) files.splice(files.indexOf(chosen), 1);
  return { file: chosen.file, ...mutation };
}

/** @returns {Map<string, string>} the files of src by their paths from the root */
export function readSources(root) {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((file) => `src/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}
