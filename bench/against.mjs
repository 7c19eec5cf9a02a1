// Two builds in turns in one run: `node bench/against.mjs FOLDER [--quick]`. FOLDER is another checkout, built. See docs/internal/bench.md.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findCores } from "./cores.mjs";
import { LoadClient } from "./load-client.mjs";
import { measureStart } from "./measure-start.mjs";
import { CASES, freshWorld, medians } from "./measure-throughput.mjs";
import { machine, machineLine } from "./report.mjs";
import { processorMs, ROOT, sandboxOf, start, stopAll } from "./servers.mjs";
import { median, medianRatio } from "./stats.mjs";
import { table } from "./table.mjs";

const FULL = {
  start: { rounds: 15, memoryRounds: 5 },
  rounds: 9,
  warmUpMs: 200,
  measureMs: 800,
  advances: 3,
};
const QUICK = { start: { rounds: 5, memoryRounds: 2 }, rounds: 3, warmUpMs: 80, measureMs: 300, advances: 1 };
const CONNECTIONS = 10;
const DUE_TASKS = 60_000;

const { values: flags, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false } },
  allowPositionals: true,
});
const plan = flags.quick ? QUICK : FULL;
const say = (text) => process.stdout.write(`${text}\n`);

async function main() {
  const [other] = positionals;
  if (other === undefined) throw new Error("which other build? node bench/against.mjs FOLDER");
  const builds = [
    { name: "before", root: resolve(other) },
    { name: "now", root: ROOT },
  ];
  for (const { root } of builds)
    if (!existsSync(join(root, "dist", "shipped.json")))
      throw new Error(`there is no build in ${join(root, "dist")}`);

  const cores = findCores();
  const folder = mkdtempSync(join(tmpdir(), "payments-sandbox-bench-"));
  const load = new LoadClient(cores?.client);
  try {
    say(machineLine(machine(cores)));
    const rows = [
      ...startRows(
        await measureStart(
          builds.map(({ name, root }) => sandboxOf(root, name)),
          { cwd: folder, ...plan.start },
        ),
      ),
      ...(await throughputRows(load, builds, { cwd: folder, core: cores?.server })),
      ...(await throughputRows(load, builds, { cwd: folder, core: cores?.server }, "--data")),
      advanceRow(builds),
    ];
    say(table("This build against another", ["", "before", "now", "now / before"], rows));
  } finally {
    load.close();
    stopAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

function startRows([before, now]) {
  const row = (what, of) => [
    what,
    of(before).toFixed(1),
    of(now).toFixed(1),
    (of(now) / of(before)).toFixed(2),
  ];
  return [
    row("start to the first 200 of /health, ms", ({ firstMs }) => firstMs.health),
    row("start to the first page of payins, ms", ({ firstMs }) => firstMs.payins),
    row("idle, MB", ({ idleMb }) => idleMb),
  ];
}

/** Requests a second of both, in turns, and the processor time of each; with `--data`, of writes alone. */
async function throughputRows(load, builds, where, data) {
  const running = [];
  for (const build of builds) {
    const stored = data === undefined ? [] : [data, join(where.cwd, `${build.name}.json`)];
    running.push(await start(sandboxOf(build.root, build.name, "--clock", "manual", ...stored), where));
  }
  const once = async (kind, { port, pid }, timing) => {
    const requests = kind.requests(await freshWorld(port));
    const beforeMs = processorMs(pid);
    const result = await load.run({ port, connections: CONNECTIONS, requests, ...timing });
    if (beforeMs !== undefined) result.processorUs = ((processorMs(pid) - beforeMs) * 1000) / result.sent;
    return result;
  };
  const rows = [];
  for (const kind of data === undefined ? CASES : CASES.filter(({ name }) => name.startsWith("POST"))) {
    // Compiled and optimized before anything counts.
    for (const server of running) await once(kind, server, { maxMs: 2 * (plan.warmUpMs + plan.measureMs) });
    const found = [[], []];
    for (let round = 0; round < plan.rounds; round++)
      for (const [index, server] of running.entries())
        found[index].push(await once(kind, server, { warmUpMs: plan.warmUpMs, maxMs: plan.measureMs }));
    const [before, now] = found.map(medians);
    const perSecond = (results) => results.map((one) => one.perSecond);
    const ratio = medianRatio(perSecond(found[1]), perSecond(found[0]));
    const shown = ({ perSecond: rate, processorUs }) =>
      `${Math.round(rate).toLocaleString("en")}${processorUs === undefined ? "" : ` (${processorUs.toFixed(1)} us)`}`;
    const what = data === undefined ? kind.name : `${kind.name}, ${data}`;
    rows.push([`${what}, a second`, shown(before), shown(now), ratio.toFixed(2)]);
  }
  for (const server of running) await server.stop();
  return rows;
}

/** One advance over many due tasks, each in a process of its own, in turns. */
function advanceRow(builds) {
  const found = [[], []];
  for (let round = 0; round < plan.advances; round++)
    for (const [index, { root }] of builds.entries()) found[index].push(advanceMs(root));
  const [before, now] = found.map(median);
  const what = `advance over ${DUE_TASKS.toLocaleString("en")} due tasks, ms`;
  return [what, before.toFixed(0), now.toFixed(0), (now / before).toFixed(2)];
}

function advanceMs(root) {
  const program = fileURLToPath(new URL("advance.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--max-old-space-size=8192", program, "one", "paid", `${DUE_TASKS}`, "3"],
    { encoding: "utf8", env: { ...process.env, BENCH_ROOT: root } },
  );
  if (status !== 0) throw new Error(`an advance ended with ${status}: ${stderr.slice(-2_000)}`);
  return median(JSON.parse(stdout).measured);
}

process.once("exit", stopAll);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
main().catch((error) => {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 1;
});
