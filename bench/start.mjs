import { call, PAYINS_PATH } from "./calls.mjs";
import { median, round, table } from "./report.mjs";
import { cpuMs, residentMb, start } from "./servers.mjs";

const IDLE_MS = 400;

/**
 * Medians from spawning to the first 200 of /health and of a page of payins, with CPU time, and the memory of a server
 * that has been idle. The servers take turns, on any core; the first round fills the file cache and does not count.
 */
export async function measureStart(servers, { cwd, rounds }) {
  const found = servers.map(() => ({ healthMs: [], payinsMs: [], cpuMs: [], idleMb: [] }));
  for (let turn = 0; turn <= rounds; turn++)
    for (const [index, server] of servers.entries())
      for (const [field, path] of [
        ["healthMs", "/health"],
        ["payinsMs", PAYINS_PATH],
      ]) {
        const beginMs = performance.now();
        const running = await start(server, { cwd });
        await call(running.port, "GET", server.health ?? path);
        const ms = performance.now() - beginMs;
        const usedMs = cpuMs(running.pid);
        if (field === "payinsMs") await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
        if (turn > 0) {
          found[index][field].push(ms);
          if (field === "payinsMs") {
            found[index].cpuMs.push(usedMs);
            found[index].idleMb.push(residentMb(running.pid));
          }
        }
        await running.stop();
      }
  return found.map((values, index) => ({
    name: servers[index].name,
    fastestMs: Math.min(...values.healthMs),
    ...Object.fromEntries(Object.entries(values).map(([field, all]) => [field, median(all)])),
  }));
}

/** Each figure, and its ratio to the last server's. */
export function startTable(results) {
  const columns = {
    healthMs: "health, ms",
    fastestMs: "fastest",
    payinsMs: "payins, ms",
    cpuMs: "CPU ms",
    idleMb: "idle MB",
  };
  const base = results.at(-1);
  const rows = results.map((one) => [
    one.name,
    ...Object.keys(columns).flatMap((field) => [round(one[field]), `${round(one[field] / base[field], 2)}x`]),
  ]);
  const head = ["", ...Object.values(columns).flatMap((column) => [column, "x Hono"])];
  return table("Start to the first 200, and idle memory", head, rows);
}
