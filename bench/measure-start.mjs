import { call, PAYINS_PATH } from "./requests.mjs";
import { residentMb, start } from "./servers.mjs";
import { median } from "./stats.mjs";

const IDLE_MS = 400;

/** A start is over when whoever waits for it gets its first 200: a script that asks for health, or an app. */
const FIRST_CALLS = { health: "/health", payins: PAYINS_PATH };

/**
 * From the start of the process to its first 200, and its memory when it has been left alone for a moment after
 * it. The servers take turns, each first call in a process of its own, on any core: a user's start is not pinned
 * either. The first round brings the files into the system's cache and does not count.
 *
 * @returns {Promise<StartResult[]>}
 *
 * @typedef {object} StartResult
 * @property {string} name
 * @property {Record<keyof typeof FIRST_CALLS, number>} firstMs
 * @property {number} [idleMb] after the first page of payins
 * @property {Record<keyof typeof FIRST_CALLS, number[]>} rounds
 */
export async function measureStart(servers, { cwd, rounds, memoryRounds }) {
  const found = servers.map(({ name }) => ({ name, rounds: { health: [], payins: [] }, memory: [] }));
  for (let round = 0; round <= rounds; round++)
    for (const [index, server] of servers.entries())
      for (const [name, path] of Object.entries(FIRST_CALLS)) {
        const weighs = name === "payins" && round > 0 && round <= memoryRounds;
        const { firstMs, idleMb } = await startOnce(server, path, cwd, weighs);
        if (round > 0) found[index].rounds[name].push(firstMs);
        if (idleMb !== undefined) found[index].memory.push(idleMb);
      }
  return found.map(({ name, rounds: times, memory }) => ({
    name,
    firstMs: { health: median(times.health), payins: median(times.payins) },
    idleMb: memory.length === 0 ? undefined : median(memory),
    rounds: times,
  }));
}

async function startOnce(server, path, cwd, weighs) {
  const from = performance.now();
  const running = await start(server, { cwd });
  await call(running.port, "GET", path);
  const firstMs = performance.now() - from;
  if (weighs) await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idleMb = weighs ? residentMb(running.pid) : undefined;
  await running.stop();
  return { firstMs, idleMb };
}
