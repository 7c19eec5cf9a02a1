// Explores the incidents of examples/incidents and writes what it finds into their READMEs, and the totals into ours:
//
//   npm run build && npm run incidents -- [--only NAME] [--times 10] [--at-once 1] [--check]
//
// Each app is explored at the depth that finds its bug, and its fix at depth 2, which must find nothing. The saved scenario
// runs `--times` times against both, each time with a sandbox and an app that have just started. `--check` writes nothing
// and fails if the READMEs say something else; seconds, and the order of calls in a race, are not compared. Several at once
// take longer each.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSandbox } from "../dist/index.js";
import { FOLDER, flowOf, INCIDENTS, isSavedFor, languageOf, programOf } from "./incidents/list.mjs";
import { withProgram } from "./incidents/program.mjs";
import { readOptions } from "./options.mjs";

/** @typedef {import("./incidents/list.mjs").Incident} Incident */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = join(ROOT, "bin/payments-sandbox.js");
const FIX_DEPTH = 2;

const options = readOptions({ only: undefined, times: "10", "at-once": "1", check: false });
const times = Number(options.times);
const incidents = INCIDENTS.filter(({ name }) => options.only === undefined || name === options.only);
if (incidents.length === 0) throw new Error(`no incident ${options.only}`);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** @returns {Promise<{ code: number, output: string, seconds: number }>} */
function runCommand(args) {
  const startedMs = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", COLUMNS: "120" },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => {
        output += text;
      });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output, seconds: (Date.now() - startedMs) / 1000 }));
  });
}

function explore(incident, kind, depth, flags) {
  return withProgram(createSandbox, programOf(incident, kind), async ({ app, url }) => {
    const args = ["explore", flowOf(incident), "--app", app, "--url", url, "--depth", String(depth)];
    const raised = incident.failOn === undefined ? [] : ["--fail-on", incident.failOn.join(",")];
    return runCommand([...args, ...flags, ...raised]);
  });
}

/** Selects the part of a report that tells of the bug. */
function findingOf({ found: { kind, at } }, report) {
  const isTold = (part) => part.includes("deviation") && part.includes(`${kind} at ${at}`);
  return report.split("\n\n").find((part) => part.startsWith("✗ ") && isTold(part));
}

/** Runs a saved scenario against a cold app; returns how often it ended with that outcome. */
async function replay(incident, kind, file, outcome) {
  let count = 0;
  for (let time = 0; time < times; time++) {
    const report = await withProgram(createSandbox, programOf(incident, kind), ({ sandbox, app }) =>
      sandbox.runFile(file, { app }),
    );
    if (report.outcome === outcome) count++;
  }
  return count;
}

const print = (line) => process.stdout.write(`${line}\n`);
const failures = [];

/** Explores one incident; returns its row of the table and the words of `explore`. */
async function examine(incident) {
  const { name, depth } = incident;
  const save = mkdtempSync(join(tmpdir(), "incidents-"));
  try {
    const bug = await explore(incident, "app", depth, ["--save", save]);
    const finding = findingOf(incident, bug.output);
    const fix = await explore(incident, "fixed", FIX_DEPTH, ["--json"]);
    const report = fix.code === 2 ? undefined : JSON.parse(fix.output);
    if (report?.passed !== true || report.complete_depth !== FIX_DEPTH)
      failures.push(`${name}: the fix is not silent at depth ${FIX_DEPTH}\n${fix.output}`);
    const [runs] = /\d+(?= single deviations)/.exec(bug.output) ?? ["?"];
    const row = { incident, runs: Number(runs), seconds: bug.seconds, fix: report };
    if (finding === undefined) {
      failures.push(`${name}: not found\n${bug.output}`);
      return { ...row, text: summaryOf(bug.output) };
    }
    const file = readdirSync(save).find((one) => isSavedFor(incident, one));
    const replays = file && {
      bug: await replay(incident, "app", join(save, file), "failed"),
      fix: await replay(incident, "fixed", join(save, file), "passed"),
    };
    if (replays && (replays.bug < times || replays.fix < times))
      failures.push(
        `${name}: of ${times} replays ${replays.bug} failed with the bug, ${replays.fix} passed with the fix`,
      );
    return {
      ...row,
      isFound: true,
      replays,
      text: textOf(finding, bug.output),
    };
  } finally {
    rmSync(save, { recursive: true });
  }
}

const MAX_DIFFERENCES = 5;

/** The finding with the first lines in which the run differs from a plain one. */
function textOf(finding, report) {
  const lines = finding.split("\n");
  const differences = lines.filter((line) => /^ {6}[-+] \d/.test(line));
  const shown = differences.slice(0, MAX_DIFFERENCES);
  return [
    ...lines.filter((line) => /^✗ | at .+#\d+: | {6}- a plain run/.test(line)),
    ...(shown.length < differences.length ? [...shown, "        …"] : shown),
    summaryOf(report),
  ].join("\n");
}

/** The summary, without the number of behaviours, which can differ between two searches of a race. */
function summaryOf(report) {
  return report
    .split("\n")
    .findLast((line) => /^[✓✗] /.test(line))
    ?.replace(/ \d+ behaviours?,|; --depth 2 adds .*/g, "");
}

function rowOf({ incident, isFound, runs, seconds }) {
  const { name, found, failOn } = incident;
  const [reported] = readFileSync(join(FOLDER, name, "README.md"), "utf8").match(/(?<=^Reported: ).*?\)/m);
  const cells = [
    `[${name}](${name})`,
    reported,
    languageOf(incident),
    isFound ? `\`${found.kind}\`${failOn === undefined ? "" : " (`--fail-on`)"}` : "not found",
    runs,
    seconds.toFixed(1),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The README's sentence: the table's totals. */
function sentenceOf(results) {
  const found = results.filter(({ isFound }) => isFound).length;
  const count = found === results.length ? "the" : `${found} of the`;
  return (
    `- [\`explore\`](docs/explore.md) finds ${count} [${results.length} public bugs](examples/incidents/README.md) rebuilt here ` +
    "and nothing in the fixed apps. In a sample of 40 public reports it would [miss 16](docs/explore.md#what-it-misses).\n"
  );
}

/** Replaces the text between two markers of a page, or compares it. */
function put(page, marker, text, comparable = (one) => one) {
  const [begin, end] = [`<!-- ${marker} -->\n`, `<!-- /${marker} -->`];
  const before = readFileSync(page, "utf8");
  const [from, to] = [before.indexOf(begin) + begin.length, before.indexOf(end)];
  if (from < begin.length || to < from) throw new Error(`${page} has no ${begin.trim()} … ${end}`);
  if (!options.check) return writeFileSync(page, before.slice(0, from) + text + before.slice(to));
  if (comparable(before.slice(from, to)) !== comparable(text))
    failures.push(`${page}: ${marker} differs\n${text}`);
}

async function tell(incident) {
  const result = await examine(incident);
  const { isFound, runs, seconds, fix, replays, text } = result;
  const outcome = isFound ? "found" : "not found";
  const replayed = replays === undefined ? "" : `; replays ${replays.bug} and ${replays.fix} of ${times}`;
  print(
    `${incident.name}: ${outcome}, ${runs} runs, ${seconds.toFixed(1)} s; fix ${fix?.runs} runs${replayed}`,
  );
  const withoutDifferences = (block) => block.replaceAll(/^ {6}([-+] \d| {2}…).*\n/gm, "");
  put(
    join(FOLDER, incident.name, "README.md"),
    "explore",
    `\`\`\`text\n${text}\n\`\`\`\n`,
    withoutDifferences,
  );
  return result;
}

const results = [];
let next = 0;
const work = async () => {
  while (next < incidents.length) {
    const index = next++;
    results[index] = await tell(incidents[index]);
  }
};
await Promise.all(Array.from({ length: Number(options["at-once"]) }, work));
if (options.only === undefined) {
  const head =
    "| incident | reported | built with | found by | runs | seconds |\n|---|---|---|---|---|---|\n";
  const withoutSeconds = (table) => table.replaceAll(/[\d.]+ \|$/gm, "|");
  put(join(FOLDER, "README.md"), "incidents", `${head}${results.map(rowOf).join("\n")}\n`, withoutSeconds);
  put(join(ROOT, "README.md"), "incidents", sentenceOf(results));
}
for (const failure of failures) process.stderr.write(`\n${failure}\n`);
if (failures.length > 0) process.exitCode = 1;
