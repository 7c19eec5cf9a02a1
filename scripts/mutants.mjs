// Plants mutants in a copy of the tree, one at a time, and tells which of them the tests kill:
//
//   npm run mutants -- [--count 100] [--seed mutants] [--only N] [--limit 90] [--min K] [--json FILE]
//
// One run of the quick tests first notes which test files run which mutant's function. A mutant is tried against those,
// the fastest first; what survives, against the slow tests whose names are like the file's.
import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { apply, drawMutants, readSources } from "./mutants/list.mjs";

/** @typedef {import("./mutants/list.mjs").Mutant} Mutant */
/** @typedef {{ status: "killed" | "survived" | "limit", by?: string, ms: number }} Outcome */

const TEXT = { type: "string" };
const { values: options } = parseArgs({
  options: { count: TEXT, seed: TEXT, only: TEXT, limit: TEXT, min: TEXT, json: TEXT },
});
const seed = options.seed ?? "mutants";
const limitMs = Number(options.limit ?? 90) * 1000;
/** How long the chosen test files took without a mutant. */
const QUICK_MS = 15_000;
const SLOW_FILES = 3;
const TEST_TIMEOUT_MS = 30_000;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const copy = realpathSync(mkdtempSync(join(tmpdir(), "mutants-")));
const SKIPPED = new Set(["node_modules", ".git", "dist", "release"]);
const REACHED = join(copy, "reached.jsonl");
const REPORT = join(copy, "report.json");

/** @type {import("node:child_process").ChildProcess | undefined} */
let running;
const stop = () => {
  try {
    if (running?.pid !== undefined) process.kill(-running.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
};
process.once("exit", () => {
  stop();
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

function copyTree() {
  cpSync(root, copy, { recursive: true, filter: (file) => !SKIPPED.has(basename(file)) });
  // Not one link for the whole folder: vitest.config.ts compiles src into node_modules/.cache.
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules")))
    if (![".cache", ".vite"].includes(name))
      symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
}

/** @returns {Promise<number | "limit">} the exit code of Node */
function runNode(args, ms) {
  return new Promise((resolve) => {
    // A group of its own, which can be killed with all that tests started.
    const child = spawn(process.execPath, args, { cwd: copy, stdio: "ignore", detached: true });
    running = child;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop();
    }, ms);
    child.once("close", (code) => {
      clearTimeout(timer);
      stop();
      running = undefined;
      resolve(isLate ? "limit" : (code ?? 1));
    });
  });
}

/** @param {string[]} files @returns {Promise<Outcome & { suites: { file: string, ms: number, isGreen: boolean }[] }>} */
async function runTests(files, ms, more = []) {
  rmSync(REPORT, { force: true });
  const begin = Date.now();
  const vitest = [
    "node_modules/vitest/vitest.mjs",
    "run",
    ...files,
    "--maxWorkers=1",
    "--reporter=json",
    `--outputFile=${REPORT}`,
  ];
  const code = await runNode(
    [...vitest, `--testTimeout=${TEST_TIMEOUT_MS}`, `--hookTimeout=${TEST_TIMEOUT_MS}`, ...more],
    ms,
  );
  const outcome = { ms: Date.now() - begin, suites: [] };
  if (code === "limit") return { status: "limit", ...outcome };
  const results = readReport();
  const failed = results.find(({ status }) => status === "failed");
  const test =
    failed?.assertionResults.find(({ status }) => status === "failed")?.fullName ?? "(outside of a test)";
  const by = failed === undefined ? "vitest ended" : `${relative(copy, failed.name)}: ${test}`;
  const suites = results.map(({ name, startTime, endTime, status }) => ({
    file: relative(copy, name),
    ms: endTime - startTime,
    isGreen: status === "passed",
  }));
  return { status: code === 0 ? "survived" : "killed", ...(code !== 0 && { by }), ...outcome, suites };
}

function readReport() {
  try {
    return JSON.parse(readFileSync(REPORT, "utf8")).testResults;
  } catch {
    return [];
  }
}

/** Writes the file with each probe of its mutants; in the code of one, ID stands for the mutant's number. */
function plantProbes(file, inFile, code) {
  const edits = inFile.flatMap(({ number, probes }) =>
    probes.map((edit) => ({ ...edit, text: edit.text.replace("PROBE", code.replace("ID", String(number))) })),
  );
  writeFileSync(join(copy, file), apply(sources.get(file), edits));
}

const restore = (file) => writeFileSync(join(copy, file), sources.get(file));

/** Runs all quick tests once. @returns {Promise<Map<number, { file: string, ms: number }[]>>} those that run each mutant's function, the fastest first */
async function findReaching() {
  const setup = join(copy, "test/support/setup.ts");
  const collector = `
    import { appendFileSync as appendReached } from "node:fs";
    import { afterAll as afterFile, expect as current } from "vitest";
    globalThis.__reached = new Set();
    afterFile(() => appendReached(${JSON.stringify(REACHED)}, JSON.stringify([current.getState().testPath, [...globalThis.__reached]]) + "\\n"));
  `;
  const original = readFileSync(setup, "utf8");
  writeFileSync(setup, `${collector}\n${original}`);
  const files = new Set(mutants.map(({ file }) => file));
  for (const file of files)
    plantProbes(
      file,
      mutants.filter((one) => one.file === file),
      "globalThis.__reached?.add(ID)",
    );
  const { suites } = await runTests([], 30 * 60_000, ["--mode", "quick"]);
  writeFileSync(setup, original);
  for (const file of files) restore(file);
  const green = new Map(suites.filter(({ isGreen }) => isGreen).map((suite) => [suite.file, suite]));
  for (const { file, isGreen } of suites) if (!isGreen) print(`fails without a mutant, is left out: ${file}`);
  for (const { file } of suites) quick.add(file);
  const reaching = new Map(mutants.map(({ number }) => [number, []]));
  for (const line of readFileSync(REACHED, "utf8").trim().split("\n")) {
    const [path, numbers] = JSON.parse(line);
    const suite = green.get(relative(copy, path));
    if (suite !== undefined) for (const number of numbers) reaching.get(number).push(suite);
  }
  for (const list of reaching.values()) list.sort((a, b) => a.ms - b.ms);
  return reaching;
}

/** Throws unless a mutant that must be killed is killed: otherwise the tests would not run what is mutated. */
async function checkPlanting() {
  const certain = mutants.find(({ number }) => reaching.get(number).length > 0);
  if (certain === undefined) throw new Error("no quick test runs any of the mutants");
  plantProbes(certain.file, [certain], `(() => { throw new Error("planted") })()`);
  const { status } = await runTests(withinBudget(reaching.get(certain.number)), limitMs, ["--bail=1"]);
  restore(certain.file);
  if (status !== "killed") throw new Error(`${certain.file} throws, and the tests ${status}`);
}

function withinBudget(suites) {
  let ms = 0;
  return suites
    .filter((suite) => (ms += suite.ms) <= QUICK_MS || suite === suites[0])
    .map(({ file }) => file);
}

const wordsOf = (file) => file.split(/[/.-]/).map((word) => word.replace(/s$/, ""));

/** Of the slow tests, those whose paths share most words with the file's. Pages in a browser take too long. */
function slowTestsOf(file) {
  const words = new Set(wordsOf(file).filter((word) => !["src", "t"].includes(word)));
  return readdirSync(join(copy, "test"), { recursive: true, encoding: "utf8" })
    .map((test) => `test/${test.replaceAll("\\", "/")}`)
    .filter((test) => test.endsWith(".test.ts") && !quick.has(test) && !unfit.has(test))
    .filter((test) => !/browser|containers/.test(test))
    .map((test) => ({ test, shared: new Set(wordsOf(test).filter((word) => words.has(word))).size }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, SLOW_FILES)
    .map(({ test }) => test);
}

const build = () => runNode(["scripts/build.mjs", "--no-types"], 5 * 60_000);

/** @param {Mutant} mutant @returns {Promise<Outcome & { tests: number }>} */
async function tryMutant(mutant) {
  const plant = () => writeFileSync(join(copy, mutant.file), apply(sources.get(mutant.file), [mutant]));
  const files = withinBudget(reaching.get(mutant.number));
  plant();
  let outcome =
    files.length > 0 ? await runTests(files, limitMs, ["--bail=1"]) : { status: "survived", ms: 0 };
  let slow = slowTestsOf(mutant.file);
  while (outcome.status === "survived" && slow.length > 0) {
    plant();
    if ((await build()) !== 0)
      return { status: "killed", by: "scripts/build.mjs", ms: outcome.ms, tests: files.length };
    outcome = await runTests(slow, limitMs, ["--bail=1"]);
    const [file] = (outcome.by ?? "").split(": ");
    if (outcome.status !== "killed" || (await isGreen(file, mutant.file))) break;
    outcome.status = "survived";
    slow = slowTestsOf(mutant.file);
  }
  restore(mutant.file);
  const { status, by, ms } = outcome;
  return { status, ...(status === "killed" && { by }), ms, tests: files.length + slow.length };
}

/** Whether a slow test file passes without a mutant; it is run once. */
async function isGreen(test, mutated) {
  if (known.has(test)) return true;
  restore(mutated);
  await build();
  const { status } = await runTests([test], limitMs * 2);
  (status === "survived" ? known : unfit).add(test);
  return status === "survived";
}

const print = (line) => process.stdout.write(`${line}\n`);
const progress = (line) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${line}`);
const titleOf = ({ room, file, line, kind, before, text }) =>
  `${room}  ${file}:${line}  ${kind}${before === "" ? "" : `: ${before} → ${text || "(nothing)"}`}`;

const begin = Date.now();
const sources = readSources(root);
const all = drawMutants(sources, seed, Number(options.count ?? 100)).map((one, index) => ({
  number: index + 1,
  ...one,
}));
const mutants =
  options.only === undefined ? all : all.filter(({ number }) => number === Number(options.only));
/** Test files of the quick run; slow ones that pass without a mutant; slow ones that fail. */
const [quick, known, unfit] = [new Set(), new Set(), new Set()];
copyTree();
progress("quick tests, without a mutant");
const reaching = await findReaching();
await checkPlanting();
const results = [];
for (const mutant of mutants) {
  progress(`${mutant.number} of ${all.length}: ${titleOf(mutant)}`);
  const { probes: _, start: __, end: ___, ...described } = mutant;
  const result = { ...described, ...(await tryMutant(mutant)) };
  results.push(result);
  progress("");
  print(
    `${result.status.padEnd(8)}  ${mutant.number}  ${titleOf(mutant)}${result.by === undefined ? "" : `  [${result.by}]`}`,
  );
  if (options.json !== undefined)
    writeFileSync(
      options.json,
      `${JSON.stringify({ seed, count: all.length, ms: Date.now() - begin, results }, null, 2)}\n`,
    );
}
const countOf = (list, status) => list.filter((one) => one.status === status).length;
const totals = (list) =>
  ["killed", "survived", "limit"].map((status) => `${status} ${countOf(list, status)}`).join(", ");
for (const room of [...new Set(results.map((one) => one.room))].sort())
  print(`${room.padEnd(12)}${totals(results.filter((one) => one.room === room))}`);
print(`all         ${totals(results)}, in ${Math.round((Date.now() - begin) / 1000)} s`);
for (const one of results)
  if (one.status !== "killed") print(`${one.status}: ${one.number}  ${titleOf(one)}`);
process.exit(countOf(results, "killed") < Number(options.min ?? 0) ? 1 : 0);
