// Plants mutants in a copy of the tree, one at a time, and tells which the tests kill:
//
//   npm run mutants -- [--count 100] [--seed mutants] [--only N|N-M] [--limit SECONDS] [--min KILLED] [--json FILE]
//
// A run of the quick tests records which test files run which mutant's function. Each mutant is tried against some of
// those, the fastest first; then each survivor against slow tests whose paths resemble its file's.
import { writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { apply, drawMutants, readSources } from "./mutants/list.mjs";
import { TreeCopy } from "./mutants/tree.mjs";
import { readOptions } from "./options.mjs";

/** @typedef {import("./mutants/list.mjs").Mutant & { number: number }} Mutant */
/** @typedef {import("./mutants/tree.mjs").Outcome} Outcome */
/** @typedef {import("./mutants/tree.mjs").Suite} Suite */

const options = readOptions({
  count: "100",
  seed: "mutants",
  only: undefined,
  limit: "90",
  min: "0",
  json: undefined,
});
const { seed } = options;
const limitMs = Number(options.limit) * 1000;
/** Share of the quick tests' time that the tests of one mutant may take. */
const QUICK_SHARE = 0.12;
const SLOW_FILES = 3;
const FIRST_RUN_MS = 30 * 60_000;
const SETUP = "test/support/setup.ts";
const REACHED = "reached.jsonl";

const begin = Date.now();
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const sources = readSources(root);
const allMutants = drawMutants(sources, seed, Number(options.count)).map((one, index) => ({
  number: index + 1,
  ...one,
}));
const [first, last = first] = (options.only ?? `1-${allMutants.length}`).split("-").map(Number);
const mutants = allMutants.filter(({ number }) => number >= first && number <= last);
const copy = new TreeCopy(root);

const print = (line) => process.stdout.write(`${line}\n`);
const progress = (line) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${line}`);
const titleOf = ({ room, file, line, kind, before, text }) =>
  `${room}  ${file}:${line}  ${kind}${before === "" ? "" : `: ${before} → ${text || "(nothing)"}`}`;

const plant = (file, edits) => copy.write(file, apply(sources.get(file), edits));
const restore = (file) => plant(file, []);

/** @param {Mutant} mutant @param {string} code where the mutant's function begins */
const probesOf = ({ probes }, code) =>
  probes.map((edit) => ({ ...edit, text: edit.text.replace("PROBE", code) }));

/** Runs all quick tests without a mutant. @returns {Promise<Suite[]>} */
async function runQuickTests() {
  const setup = copy.read(SETUP);
  copy.write(
    SETUP,
    `import { appendFileSync as appendReached } from "node:fs";
    import { afterAll as afterFile, expect as current } from "vitest";
    globalThis.__reached = new Set();
    afterFile(() => {
      const reached = [current.getState().testPath, [...globalThis.__reached]];
      appendReached(${JSON.stringify(join(copy.folder, REACHED))}, JSON.stringify(reached) + "\\n");
    });
    ${setup}`,
  );
  const files = new Set(mutants.map(({ file }) => file));
  for (const file of files) {
    const inFile = mutants.filter((one) => one.file === file);
    const edits = inFile.flatMap((one) => probesOf(one, `globalThis.__reached?.add(${one.number})`));
    plant(file, edits);
  }
  const { suites } = await copy.test([], FIRST_RUN_MS, "--mode=quick");
  copy.write(SETUP, setup);
  for (const file of files) restore(file);
  for (const { file, isGreen } of suites) if (!isGreen) print(`fails without a mutant, left out: ${file}`);
  return suites;
}

/** @returns {Map<number, Suite[]>} the test files that run each mutant's function, the fastest first */
function readReached() {
  const green = new Map(quick.filter(({ isGreen }) => isGreen).map((suite) => [suite.file, suite]));
  const reaching = new Map(mutants.map(({ number }) => [number, []]));
  for (const line of copy.read(REACHED).trim().split("\n")) {
    const [path, numbers] = JSON.parse(line);
    const suite = green.get(relative(copy.folder, path).replaceAll("\\", "/"));
    if (suite !== undefined) for (const number of numbers) reaching.get(number).push(suite);
  }
  for (const suites of reaching.values()) suites.sort((a, b) => a.ms - b.ms);
  return reaching;
}

/** @returns {string[]} */
function quickTestsOf({ number }) {
  const budgetMs = quick.reduce((sum, { ms }) => sum + ms, 0) * QUICK_SHARE;
  let ms = 0;
  const affordable = reaching
    .get(number)
    .filter((suite, index) => (ms += suite.ms) <= budgetMs || index === 0);
  return affordable.map(({ file }) => file);
}

/** Throws unless the tests fail when a function throws: otherwise they would run other files than those changed. */
async function checkPlanting() {
  const certain = mutants.find(({ number }) => reaching.get(number).length > 0);
  if (certain === undefined) return print("no quick test runs any of the mutants");
  plant(certain.file, probesOf(certain, '(() => { throw new Error("planted"); })()'));
  const { status } = await copy.test(quickTestsOf(certain), limitMs, "--bail=1");
  restore(certain.file);
  if (status !== "killed") throw new Error(`${certain.file} throws, and the tests do not fail: ${status}`);
}

const wordsOf = (path) => path.split(/[/.-]/).map((word) => word.replace(/s$/, ""));

/** Without pages in a browser and containers, which take too long. @returns {string[]} */
function slowTestsOf({ file }) {
  const words = new Set(wordsOf(file).filter((word) => !["src", "t"].includes(word)));
  const sharedWords = (test) => new Set(wordsOf(test).filter((word) => words.has(word))).size;
  return copy
    .tests()
    .filter((test) => !quick.some((suite) => suite.file === test) && !failing.has(test))
    .filter((test) => !/browser|containers/.test(test) && sharedWords(test) > 0)
    .sort((a, b) => sharedWords(b) - sharedWords(a))
    .slice(0, SLOW_FILES);
}

/** @param {Mutant} mutant @returns {Promise<Outcome>} against quick tests that run it */
async function tryQuickly(mutant) {
  const tests = quickTestsOf(mutant);
  if (tests.length === 0) return { status: "survived", ms: 0, suites: [] };
  plant(mutant.file, [mutant]);
  const outcome = await copy.test(tests, limitMs, "--bail=1");
  restore(mutant.file);
  return outcome;
}

/** @param {Mutant} mutant @returns {Promise<Outcome>} against slow tests, some of which run what is built */
async function tryWidely(mutant) {
  const tests = slowTestsOf(mutant);
  if (tests.length === 0) return { status: "survived", ms: 0, suites: [] };
  plant(mutant.file, [mutant]);
  const isBuilt = await copy.build();
  const outcome = isBuilt
    ? await copy.test(tests, limitMs, "--bail=1")
    : { status: "killed", by: "scripts/build.mjs", ms: 0, suites: [] };
  restore(mutant.file);
  if (outcome.status !== "killed" || !isBuilt) return outcome;
  const [test] = outcome.by.split(": ");
  return !tests.includes(test) || (await passesAlone(test)) ? outcome : tryWidely(mutant);
}

/** Runs a slow test file without a mutant, once. */
async function passesAlone(test) {
  if (passing.has(test)) return true;
  await copy.build();
  const { status } = await copy.test([test], limitMs * 2);
  (status === "survived" ? passing : failing).add(test);
  return status === "survived";
}

function writeResults() {
  const json = { seed, count: allMutants.length, ms: Date.now() - begin, results: [...results.values()] };
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(json, null, 2)}\n`);
}

progress("quick tests without a mutant");
const quick = await runQuickTests();
const reaching = readReached();
await checkPlanting();
/** Slow test files that pass without a mutant, and those that fail. */
const [passing, failing] = [new Set(), new Set()];
const results = new Map();
for (const attempt of [tryQuickly, tryWidely])
  for (const mutant of mutants) {
    const { number, probes: _, start: __, end: ___, ...described } = mutant;
    const earlier = results.get(number) ?? { status: "survived", ms: 0 };
    if (earlier.status !== "survived") continue;
    progress(`${number} of ${allMutants.length}: ${titleOf(mutant)}`);
    const { status, by, why, ms } = await attempt(mutant);
    const reachedBy = reaching.get(number).length;
    results.set(number, { number, ...described, reachedBy, status, by, why, ms: earlier.ms + ms });
    writeResults();
    progress("");
    if (status !== "survived" || attempt === tryWidely)
      print(`${status.padEnd(9)} ${number} ${titleOf(mutant)}${by === undefined ? "" : ` [${by}]`}`);
  }

const done = [...results.values()];
const countOf = (list, status) => list.filter((one) => one.status === status).length;
const totals = (list) =>
  ["killed", "survived", "limit"].map((status) => `${status} ${countOf(list, status)}`).join(", ");
for (const room of [...new Set(done.map((one) => one.room))].sort())
  print(`${room.padEnd(12)}${totals(done.filter((one) => one.room === room))}`);
print(`all         ${totals(done)}, in ${Math.round((Date.now() - begin) / 1000)} s`);
for (const one of done) if (one.status !== "killed") print(`${one.status}: ${one.number}  ${titleOf(one)}`);
process.exit(countOf(done, "killed") < Number(options.min) ? 1 : 0);
