// `node bench/against.mjs FOLDER [--quick]`: this build against another built checkout, in turns in one run.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { advanceApart } from "./advance.mjs";
import { LoadClient } from "./load.mjs";
import { machineLine, median, medianRatio, round, runMain, table, whole } from "./report.mjs";
import { findCores, ROOT, requireBuild, sandbox, start, withFolder } from "./servers.mjs";
import { measureStart } from "./start.mjs";
import { CASES, medians, runCase } from "./throughput.mjs";

const FULL = { startRounds: 15, rounds: 9, warmUpMs: 200, maxMs: 800, advances: 3, tasks: 60_000 };
const QUICK = { startRounds: 5, rounds: 3, warmUpMs: 80, maxMs: 300, advances: 1, tasks: 9_999 };

runMain(async () => {
  const options = { quick: { type: "boolean", default: false } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const plan = values.quick ? QUICK : FULL;
  if (positionals.length !== 1) throw new Error("usage: node bench/against.mjs FOLDER [--quick]");
  const roots = [resolve(positionals[0]), ROOT];
  for (const root of roots) requireBuild(root);
  const cores = findCores();
  console.log(machineLine());
  await withFolder(async (folder) => {
    const load = new LoadClient(cores?.client);
    try {
      const servers = roots.map((root) => sandbox([], root));
      const rows = [
        ...startRows(await measureStart(servers, { cwd: folder, rounds: plan.startRounds })),
        ...(await throughputRows(load, roots, plan, { cwd: folder, core: cores?.server })),
        ...advanceRows(roots, plan),
      ];
      console.log(table("This build against another", ["", "before", "now", "now / before"], rows));
    } finally {
      load.close();
    }
  });
});

function startRows([before, now]) {
  const names = {
    healthMs: "start to the first 200, ms",
    payinsMs: "start to the first page of payins, ms",
    idleMb: "idle, MB",
  };
  return Object.entries(names).map(([field, name]) => [
    name,
    round(before[field], 1),
    round(now[field], 1),
    round(now[field] / before[field], 2),
  ]);
}

async function throughputRows(load, roots, { rounds, warmUpMs, maxMs }, where) {
  const rows = [];
  const startAll = (isDurable) =>
    Promise.all(
      roots.map((root, index) => {
        const data = isDurable ? ["--data", join(where.cwd, `${index}.json`)] : [];
        return start(sandbox(["--clock", "manual", ...data], root), where);
      }),
    );
  const [inMemory, durable] = [await startAll(false), await startAll(true)];
  for (const kind of CASES) {
    const servers = kind.isDurable ? durable : inMemory;
    for (const server of servers)
      await runCase(load, kind, server, { connections: 10, maxMs: 2 * (warmUpMs + maxMs) });
    const found = [[], []];
    for (let turn = 0; turn < rounds; turn++)
      for (const [index, server] of servers.entries())
        found[index].push(await runCase(load, kind, server, { connections: 10, warmUpMs, maxMs }));
    const texts = found
      .map(medians)
      .map(({ perSecond, cpuUs }) => `${whole(perSecond)} (${round(cpuUs, 1)} us)`);
    const [before, now] = found.map((results) => results.map(({ perSecond }) => perSecond));
    rows.push([`${kind.name}, a second`, ...texts, round(medianRatio(now, before), 2)]);
  }
  for (const server of [...inMemory, ...durable]) await server.stop();
  return rows;
}

/** One advance in memory and one with `--data`, each in a process of its own. */
function advanceRows(roots, { advances, tasks }) {
  return [[], ["--data"]].map((data) => {
    const found = [[], []];
    for (let turn = 0; turn < advances; turn++)
      for (const [index, root] of roots.entries())
        found[index].push(median(advanceApart(["paid", tasks, 3, ...data], root).ms));
    const [before, now] = found.map(median);
    const name = `advance over ${whole(tasks)} tasks, ${data[0] ?? "in memory"}, ms`;
    return [name, round(before), round(now), round(now / before, 2)];
  });
}
