import { call, PAYINS_PATH } from "./requests.mjs";
import { processorMs, residentMb, start } from "./servers.mjs";
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
 * @property {number} [processorMs] processor time used until the first page of payins
 * @property {number} [idleMb] after the first page of payins
 * @property {Record<keyof typeof FIRST_CALLS, Started[]>} rounds
 *
 * @typedef {{ firstMs: number, processorMs?: number, idleMb?: number }} Started
 */
export async function measureStart(servers, { cwd, rounds, memoryRounds }) {
  // One that has neither call is asked for what it has.
  const found = servers.map(({ name }) => ({ name, rounds: { health: [], payins: [] } }));
  for (let round = 0; round <= rounds; round++)
    for (const [index, server] of servers.entries())
      for (const [name, path] of Object.entries(FIRST_CALLS)) {
        const started = await startOnce(server, path, cwd, name === "payins" && round <= memoryRounds);
        if (round > 0) found[index].rounds[name].push(started);
      }
  return found.map((one) => {
    const { health, payins } = one.rounds;
    return {
      ...one,
      firstMs: { health: middle(health, "firstMs"), payins: middle(payins, "firstMs") },
      processorMs: middle(payins, "processorMs"),
      idleMb: middle(payins, "idleMb"),
    };
  });
}

async function startOnce(server, path, cwd, isWeighed) {
  const from = performance.now();
  const running = await start(server, { cwd });
  await call(running.port, "GET", server.health ?? path);
  const started = { firstMs: performance.now() - from, processorMs: processorMs(running.pid) };
  if (isWeighed) {
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    started.idleMb = residentMb(running.pid);
  }
  await running.stop();
  return started;
}

/** The median of a field over the rounds that have it; undefined when none has. */
function middle(rounds, field) {
  const values = rounds.map((round) => round[field]).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}
