import { call, PAYINS_PATH } from "./requests.mjs";
import { residentMb, start } from "./servers.mjs";
import { median } from "./stats.mjs";

const IDLE_MS = 400;

/**
 * From the start of the process to its first 200 (a page of payins), and its memory when it has been left alone
 * for a moment. The servers take turns, on any core: a user's start is not pinned either. The first round
 * brings the files into the system's cache and does not count.
 *
 * @returns {Promise<{ name: string, firstMs: number, idleMb: number | undefined, rounds: number[] }[]>}
 */
export async function measureStart(servers, { cwd, rounds, memoryRounds }) {
  const times = servers.map(() => []);
  const memory = servers.map(() => []);
  for (let round = 0; round <= rounds; round++)
    for (const [index, server] of servers.entries()) {
      const from = performance.now();
      const running = await start(server, { cwd });
      await call(running.port, "GET", PAYINS_PATH);
      const tookMs = performance.now() - from;
      if (round > 0) times[index].push(tookMs);
      if (round > 0 && round <= memoryRounds) {
        await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
        const megabytes = residentMb(running.pid);
        if (megabytes !== undefined) memory[index].push(megabytes);
      }
      await running.stop();
    }
  return servers.map(({ name }, index) => ({
    name,
    firstMs: median(times[index]),
    idleMb: memory[index].length === 0 ? undefined : median(memory[index]),
    rounds: times[index],
  }));
}
