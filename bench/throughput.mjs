import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, PAYINS_PATH, requestText, resetToOnePage, whitelabelText } from "./calls.mjs";
import { fillEmulate, MAX_REQUESTS } from "./emulate.mjs";
import { median, medianRatio, round, table, whole } from "./report.mjs";
import { cpuMs, sandbox, start } from "./servers.mjs";

/** What is asked of the sandbox and of bare Hono alike. A durable case asks a sandbox with `--data`. */
export const CASES = [
  { name: "GET charge", request: ({ chargePath }) => requestText("GET", chargePath) },
  { name: "GET payins (50 items)", request: () => requestText("GET", PAYINS_PATH) },
  { name: "POST whitelabel", request: ({ quoteId }) => whitelabelText(quoteId) },
  { name: "POST whitelabel, --data", isDurable: true, request: ({ quoteId }) => whitelabelText(quoteId) },
];
/** Bare Hono gives the same response for any id. */
const ANY = { chargePath: "/api/v1/payments/charges/ch_0", quoteId: "qt_0" };

export function bareHono(...args) {
  return { name: "bare Hono", args: [fileURLToPath(new URL("bare-hono.mjs", import.meta.url)), ...args] };
}

/** One run of a case. `isSandbox` resets the server first, so that earlier charges cost nothing. */
export async function runCase(
  load,
  { request },
  server,
  { connections, warmUpMs = 0, maxMs, isSandbox = true },
) {
  const requests = [request(isSandbox ? await resetToOnePage(server.port) : ANY)];
  const beforeMs = cpuMs(server.pid);
  const result = await load.run({ port: server.port, connections, requests, warmUpMs, maxMs });
  return { ...result, cpuUs: ((cpuMs(server.pid) - beforeMs) * 1_000) / result.sent };
}

export function medians(results) {
  const fields = ["perSecond", "p50Ms", "p99Ms", "cpuUs"];
  return Object.fromEntries(fields.map((field) => [field, median(results.map((result) => result[field]))]));
}

/** Requests a second of the sandbox (manual clock) and of bare Hono, in turns; emulate once per case at ten connections. */
export async function throughputTable(
  load,
  { folder, core, emulate, connections, rounds, warmUpMs, measureMs },
) {
  const where = { cwd: folder, core };
  const inMemory = await start(sandbox(["--clock", "manual"]), where);
  const durable = await start(
    sandbox(["--clock", "manual", "--data", join(folder, "throughput.json")]),
    where,
  );
  const { chargePath, whitelabel } = await resetToOnePage(inMemory.port);
  const [charge, payins] = [
    await call(inMemory.port, "GET", chargePath),
    await call(inMemory.port, "GET", PAYINS_PATH),
  ];
  const bodies = join(folder, "bodies.json");
  writeFileSync(bodies, JSON.stringify({ charge, payins, whitelabel }));
  const hono = await start(bareHono(bodies), where);
  const rows = [];
  for (const kind of CASES) {
    const ours = kind.isDurable ? durable : inMemory;
    const both = [
      [ours, true],
      [hono, false],
    ];
    // Compiles and optimizes the code before the measurement.
    for (const [server, isSandbox] of both)
      await runCase(load, kind, server, { connections: 10, maxMs: 2 * (warmUpMs + measureMs), isSandbox });
    for (const count of connections) {
      const found = [[], []];
      for (let turn = 0; turn < rounds; turn++)
        for (const [index, [server, isSandbox]] of both.entries())
          found[index].push(
            await runCase(load, kind, server, { connections: count, warmUpMs, maxMs: measureMs, isSandbox }),
          );
      const [sandboxMedians, honoMedians] = found.map(medians);
      const rates = found.map((results) => results.map(({ perSecond }) => perSecond));
      const hasRival = emulate !== undefined && count === 10 && !kind.isDurable;
      const rival = hasRival
        ? whole(await emulateRate(load, emulate, where, kind.name, warmUpMs + measureMs))
        : "";
      const pairs = [
        ["p50Ms", 2],
        ["p99Ms", 2],
        ["cpuUs", 0],
      ].flatMap(([field, digits]) => [sandboxMedians, honoMedians].map((one) => round(one[field], digits)));
      rows.push([
        kind.name,
        count,
        whole(sandboxMedians.perSecond),
        whole(honoMedians.perSecond),
        round(medianRatio(...rates), 2),
        rival,
        ...pairs,
      ]);
    }
  }
  const head = [
    "request",
    "conns",
    "req/s",
    "Hono",
    "ratio",
    "emulate",
    "p50 ms",
    "Hono",
    "p99 ms",
    "Hono",
    "CPU us",
    "Hono",
  ];
  return table("Throughput: the sandbox and bare Hono with the same bodies, in turns", head, rows);
}

/** A new emulate for each case, because its list slows down as it grows. */
async function emulateRate(load, emulate, where, name, maxMs) {
  const server = await start(emulate, where);
  const requests = (await fillEmulate(server.port))[name];
  const job = { port: server.port, connections: 10, requests: [requests], maxMs, count: MAX_REQUESTS / 2 };
  await load.run(job);
  const { perSecond } = await load.run(job);
  await server.stop();
  return perSecond;
}
