// The measurements: `node bench/run.mjs [--quick] [--json FILE]`. See docs/internal/bench.md for what the rows mean. Ends with
// another code than 0 only when something could not be run, never because of a time.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findCores } from "./cores.mjs";
import { installEmulate } from "./emulate.mjs";
import { LoadClient } from "./load-client.mjs";
import { measureGrowth } from "./measure-growth.mjs";
import { measureStart } from "./measure-start.mjs";
import { measureThroughput } from "./measure-throughput.mjs";
import { growthTable, machine, machineLine, startTable, throughputTable } from "./report.mjs";
import { bareHono, bareHttp, ROOT, sandbox, stopAll } from "./servers.mjs";

const FULL = {
  start: { rounds: 15, memoryRounds: 5 },
  throughput: { connections: [1, 10, 50], rounds: 5, warmUpMs: 200, measureMs: 800 },
  growth: { sizes: [1_000, 10_000, 100_000], readMs: 600, writes: 1_000 },
  growthOnDisk: { sizes: [1_000, 100_000], readMs: 600, writes: 1_000 },
};
const QUICK = {
  start: { rounds: 3, memoryRounds: 1 },
  throughput: { connections: [1, 10, 50], emulateConnections: [10], rounds: 2, warmUpMs: 80, measureMs: 250 },
  growth: { sizes: [1_000, 10_000], readMs: 100, writes: 500 },
  growthOnDisk: { sizes: [1_000, 10_000], readMs: 100, writes: 500 },
};

const SECTIONS = ["start", "throughput", "growth", "advance"];

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    json: { type: "string" },
  },
});
const plan = flags.quick ? QUICK : FULL;
const isWanted = (section) => flags.only === undefined || flags.only.includes(section);

const say = (text) => process.stdout.write(`${text}\n`);

async function main() {
  const unknown = flags.only?.find((section) => !SECTIONS.includes(section));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: choose from ${SECTIONS.join(", ")}`);
  if (!existsSync(join(ROOT, "dist", "cli.cjs"))) throw new Error("there is no dist/cli.cjs: npm run build");

  const cores = findCores();
  const folder = mkdtempSync(join(tmpdir(), "payments-sandbox-bench-"));
  const load = new LoadClient(cores?.client);
  const where = { folder, core: cores?.server };
  const report = { machine: machine(cores) };
  try {
    say(machineLine(report.machine));
    const { server: emulate, missing } =
      isWanted("start") || isWanted("throughput") ? installEmulate(join(folder, "emulate")) : {};
    if (missing !== undefined) say(missing);
    if (isWanted("start")) {
      const servers = [sandbox(), bareHono(), ...(emulate === undefined ? [] : [emulate]), bareHttp()];
      report.start = await measureStart(servers, { cwd: folder, ...plan.start });
      say(startTable(report.start));
    }
    if (isWanted("throughput")) {
      report.throughput = await measureThroughput(load, { ...where, ...plan.throughput, emulate });
      say(throughputTable(report.throughput.results));
    }
    if (isWanted("growth")) {
      const inMemory = await measureGrowth(load, { ...where, ...plan.growth, onDisk: false });
      const onDisk = await measureGrowth(load, { ...where, ...plan.growthOnDisk, onDisk: true });
      report.growth = { inMemory, onDisk };
      say(growthTable([inMemory, onDisk]));
    }
    if (isWanted("advance")) {
      const args = [
        join(fileURLToPath(new URL(".", import.meta.url)), "advance.mjs"),
        ...(flags.quick ? ["--quick"] : []),
      ];
      spawnSync(process.execPath, args, { stdio: "inherit" });
    }
    if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    load.close();
    stopAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.once("exit", stopAll);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

const startedMs = performance.now();
main().then(
  () => say(`measured in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`),
  (error) => {
    process.stderr.write(`bench: ${error.message}\n`);
    process.exitCode = 1;
  },
);
