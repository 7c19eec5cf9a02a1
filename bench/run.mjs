// `npm run bench [-- --quick] [-- --only start|throughput|growth|advance]`; docs/internal/bench.md explains the rows.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installEmulate } from "./emulate.mjs";
import { growthTable } from "./growth.mjs";
import { LoadClient } from "./load.mjs";
import { machineLine, runMain } from "./report.mjs";
import { findCores, requireBuild, sandbox, withFolder } from "./servers.mjs";
import { measureStart, startTable } from "./start.mjs";
import { bareHono, throughputTable } from "./throughput.mjs";

const FULL = {
  start: { rounds: 15 },
  throughput: { connections: [1, 10, 50], rounds: 5, warmUpMs: 200, measureMs: 800 },
  growth: { sizes: [1_000, 10_000, 100_000], readMs: 600, writes: 1_000 },
};
const QUICK = {
  start: { rounds: 3 },
  throughput: { connections: [1, 10, 50], rounds: 2, warmUpMs: 80, measureMs: 250 },
  growth: { sizes: [1_000, 10_000], readMs: 100, writes: 500 },
};

const options = { quick: { type: "boolean", default: false }, only: { type: "string", multiple: true } };

runMain(async () => {
  const { quick, only } = parseArgs({ options }).values;
  const plan = quick ? QUICK : FULL;
  requireBuild();
  const cores = findCores();
  console.log(machineLine());
  await withFolder(async (folder) => {
    const load = new LoadClient(cores?.client);
    const where = { folder, core: cores?.server };
    const measurements = {
      start: async (emulate) => {
        const servers = [sandbox(), ...(emulate ? [emulate] : []), bareHono()];
        return startTable(await measureStart(servers, { cwd: folder, ...plan.start }));
      },
      throughput: (emulate) => throughputTable(load, { ...where, ...plan.throughput, emulate }),
      growth: () => growthTable(load, { ...where, ...plan.growth }),
      advance: () => {
        const args = [fileURLToPath(new URL("advance.mjs", import.meta.url)), ...(quick ? ["--quick"] : [])];
        return spawnSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
          .stdout;
      },
    };
    try {
      const names = only ?? Object.keys(measurements);
      const unknown = names.find((name) => !Object.hasOwn(measurements, name));
      if (unknown !== undefined)
        throw new Error(`--only ${unknown}: choose from ${Object.keys(measurements).join(", ")}`);
      const isInstalled = names.some((name) => ["start", "throughput"].includes(name));
      const emulate = isInstalled ? installEmulate(folder) : undefined;
      if (isInstalled && emulate === undefined) console.log("without emulate: it could not be installed\n");
      for (const name of names) console.log(await measurements[name](emulate));
    } finally {
      load.close();
    }
  });
});
