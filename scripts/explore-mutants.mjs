// Plants mutants in the right apps of test/explore, one at a time, and tells which `explore` finds at depth 2:
//
//   npm run explore-mutants -- [--count 100] [--seed explore] [--only N|N-M] [--limit SECONDS] [--json FILE]
//
// A mutant lacks a lock, a check, an await or a retry, or compares otherwise. It needs a build.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as ts from "typescript/unstable/ast";
import { exploreApp, RIGHT_APPS } from "../test/explore/right-apps/explore-app.mjs";
import { apply, generator } from "./mutants/list.mjs";
import { readOptions } from "./options.mjs";
import { parse } from "./syntax.mjs";

/** @typedef {import("./mutants/list.mjs").Edit & { kind: string, line: number, before: string }} Mutation */

const options = readOptions({
  count: "100",
  seed: "explore",
  only: undefined,
  limit: "300",
  json: undefined,
});
const limitMs = Number(options.limit) * 1000;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const apps = join(root, "test/explore/right-apps");
const SHARED = "service.mjs";
const COMPARISONS = { "===": "!==", "!==": "===", "<": ">=", ">": "<=", "&&": "||", "||": "&&" };
const { createSandbox } = await import(join(root, "dist/index.js"));

/** Lists the mutations of a program. @returns {Mutation[]} */
function mutationsOf(source) {
  const tree = parse(source);
  const found = [];
  const add = (kind, node, text, end = node.end) => {
    const start = node.getStart();
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    const before = source.slice(start, end).replace(/\s+/g, " ").slice(0, 60);
    found.push({ kind, start, end, text, line, before });
  };
  const visit = (node) => {
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText();
      if (/\blocks\.run$/i.test(callee) || callee === "payments.run")
        add("no lock", node, `Promise.resolve().then(${node.arguments[1].getText()})`);
      if (callee === "persist") add("no retry", node, `(${node.arguments[0].getText()})()`);
    }
    if (ts.isIfStatement(node) && node.elseStatement === undefined)
      add("no check", node.expression, ts.isReturnStatement(node.thenStatement) ? "false" : "true");
    if (ts.isConditionalExpression(node)) add("no check", node, node.whenFalse.getText());
    if (ts.isAwaitExpression(node)) add("no await", node, `(${node.expression.getText()})`);
    if (ts.isBinaryExpression(node) && node.operatorToken.getText() in COMPARISONS)
      add("comparison", node.operatorToken, COMPARISONS[node.operatorToken.getText()]);
    node.forEachChild(visit);
  };
  visit(tree);
  return found;
}

/** Draws mutants from all programs, the same for the same seed; one of the shared module is tried in each app in turn. */
function drawMutants(seed, count) {
  const random = generator(seed);
  const names = Object.keys(RIGHT_APPS);
  const files = [...names.map((name) => `${name}.mjs`), SHARED].sort();
  return files
    .flatMap((file) => mutationsOf(readFileSync(join(apps, file), "utf8")).map((one) => ({ file, ...one })))
    .map((mutant) => ({ order: random(), mutant }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ mutant }, index) => ({
      number: index + 1,
      app: mutant.file === SHARED ? names[index % names.length] : mutant.file.replace(".mjs", ""),
      ...mutant,
    }));
}

/** Explores the app with the mutant until something is found. @returns {Promise<{ outcome: string, by?: string, ms: number }>} */
async function tryMutant({ app, file, ...edit }) {
  const folder = mkdtempSync(join(tmpdir(), "explore-mutants-"));
  const begin = Date.now();
  try {
    cpSync(apps, folder, { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, file), apply(readFileSync(join(apps, file), "utf8"), [edit]));
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), limitMs).unref();
    const onRun = (_runs, findings) => void (findings > 0 && stop.abort());
    const place = { program: join(folder, `${app}.mjs`), flow: join(folder, `${app}.yaml`) };
    const search = { depth: 2, signal: stop.signal, onRun };
    const {
      findings,
      notes: all,
      complete_depth,
    } = await exploreApp(createSandbox, { ...RIGHT_APPS[app], ...place, stderr: "ignore" }, search);
    clearTimeout(timer);
    const ms = Date.now() - begin;
    const notes = all.filter((note) => !note.startsWith("good practice: "));
    const [finding] = findings;
    if (finding !== undefined) {
      const by = finding.deviations.map(({ kind, at }) => `${kind} ${at}`).join(" + ");
      return { outcome: "found", by: by || finding.message, ms };
    }
    return { outcome: notes.length > 0 ? "noted" : "missed", by: notes[0], depth: complete_depth, ms };
  } catch (error) {
    return {
      outcome: "flow",
      by: error.message.split("\n")[0].replaceAll(folder, ""),
      ms: Date.now() - begin,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const all = drawMutants(options.seed, Number(options.count));
const [first, last = first] = (options.only ?? `1-${all.length}`).split("-").map(Number);
const results = [];
for (const mutant of all.filter(({ number }) => number >= first && number <= last)) {
  const result = { ...mutant, ...(await tryMutant(mutant)) };
  results.push(result);
  const { number, app, file, line, kind, before, text, outcome, by = "", ms } = result;
  console.log(
    `${outcome.padEnd(6)} ${number} ${app} ${file}:${line} ${kind}: ${before} → ${text.replace(/\s+/g, " ").slice(0, 40)}  [${by}] ${(ms / 1000).toFixed(0)} s`,
  );
}
const count = (outcome) => results.filter((one) => one.outcome === outcome).length;
console.log(
  `${results.length} mutants: the flow itself fails with ${count("flow")}, explore finds ${count("found")}, notes ${count("noted")}, misses ${count("missed")}`,
);
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, undefined, 1));
process.exit(0);
