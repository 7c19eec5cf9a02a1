// `node bench/processes.mjs postgres://USER@HOST/DB [--quick] [--postmaster PID]`: POST whitelabel a second by processes on
// one database, and of one process in memory and with a file. Each process serves a namespace of its own; "forwarded" sends
// every call to another process.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { API_KEY, call, createQuote, whitelabelText } from "./calls.mjs";
import { LoadClient } from "./load.mjs";
import { machineLine, round, runMain, table, whole } from "./report.mjs";
import { cpuMs, requireBuild, sandbox, start, withFolder } from "./servers.mjs";

const CONNECTIONS = 32;

/** CPU time of the database's processes; 0 without their first process. */
function databaseMs(postmaster) {
  if (postmaster === undefined) return 0;
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "latin1");
  return [postmaster, ...children.trim().split(" ")].reduce((sum, pid) => sum + (cpuMs(pid) ?? 0), 0);
}

/** Calls a second, p50, p99, and microseconds of CPU a call: of the sandbox and of the database. */
async function measure(targets, pids, { warmUpMs, measureMs, postmaster }) {
  const loads = targets.map(() => new LoadClient());
  const run = async (timing) =>
    Promise.all(
      targets.map(async ({ port, key }, index) => {
        const requests = [whitelabelText(await createQuote(port, key), { key })];
        return loads[index].run({ port, connections: CONNECTIONS / targets.length, requests, ...timing });
      }),
    );
  const usedMs = () => [pids.reduce((sum, pid) => sum + cpuMs(pid), 0), databaseMs(postmaster)];
  try {
    await run({ maxMs: warmUpMs });
    const before = usedMs();
    const results = await run({ maxMs: measureMs });
    const sent = results.reduce((sum, one) => sum + one.sent, 0);
    const cpuUs = usedMs().map((ms, index) => round(((ms - before[index]) * 1_000) / sent));
    const perSecond = results.reduce((sum, one) => sum + one.perSecond, 0);
    const slowest = ["p50Ms", "p99Ms"].map((field) =>
      round(Math.max(...results.map((one) => one[field])), 1),
    );
    return [whole(perSecond), ...slowest, ...cpuUs];
  } finally {
    for (const load of loads) load.close();
  }
}

runMain(async () => {
  const options = { quick: { type: "boolean", default: false }, postmaster: { type: "string" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [database] = positionals;
  if (database === undefined)
    throw new Error("usage: node bench/processes.mjs postgres://USER@HOST/DB [--quick]");
  // The first calls of a process take up to five times as long, until its code is compiled.
  const plan = {
    ...values,
    ...(values.quick ? { warmUpMs: 1_000, measureMs: 1_000 } : { warmUpMs: 4_000, measureMs: 8_000 }),
  };
  requireBuild();
  console.log(machineLine());
  await withFolder(async (folder) => {
    const run = async (args, count, targetsOf) => {
      const servers = [];
      for (let made = 0; made < count; made++)
        servers.push(await start(sandbox(["--clock", "manual", ...args]), { cwd: folder }));
      const targets = await targetsOf(servers.map(({ port }) => port));
      const figures = await measure(
        targets,
        servers.map(({ pid }) => pid),
        plan,
      );
      for (const server of servers) await server.end();
      return figures;
    };
    const alone = (...args) => run(args, 1, ([port]) => [{ port, key: API_KEY }]);
    let schemas = 0;
    const inDatabase = (count, hop = 0) => {
      const url = new URL(database);
      url.searchParams.set("schema", `bench_${process.pid}_${++schemas}`);
      return run(["--data", url.href], count, async (ports) => {
        for (const [index, port] of ports.entries())
          await call(port, "PUT", `/_sandbox/namespaces/n${index}`);
        return ports.map((_, index) => ({ port: ports[(index + hop) % count], key: `sk_test_ns_n${index}` }));
      });
    };
    const rows = [
      ["memory", ...(await alone())],
      ["file", ...(await alone("--data", join(folder, "d.json")))],
      ["file, --fsync", ...(await alone("--data", join(folder, "f.json"), "--fsync"))],
    ];
    for (const count of [1, 2, 4]) rows.push([`database, processes: ${count}`, ...(await inDatabase(count))]);
    rows.push(["database, processes: 2, forwarded", ...(await inDatabase(2, 1))]);
    console.log(table("POST whitelabel", ["", "a second", "p50 ms", "p99 ms", "CPU us", "database"], rows));
  });
});
