import { statSync } from "node:fs";
import { join } from "node:path";
import { newQuote, whitelabelText } from "./requests.mjs";
import { sandbox, start } from "./servers.mjs";

const LIMIT_MS = 240_000;
const LOOK_EVERY_MS = 200;
const CONNECTIONS = 10;

/**
 * So many charges made one after the other, in memory and on disk: more than the journal holds before it becomes a
 * snapshot, so that what that costs those who call meanwhile is among the latencies.
 *
 * @param {import("./load-client.mjs").LoadClient} load
 * @param {{ folder: string, core?: number, charges: number, scenario?: string }} options
 */
export async function measureCompaction(load, { folder, core, charges, scenario }) {
  const once = async (...options) => {
    const server = await start(sandbox("--clock", "manual", ...options), { cwd: folder, core });
    const requests = [whitelabelText(await newQuote(server.port), scenario)];
    const job = { port: server.port, connections: CONNECTIONS, requests, count: charges, maxMs: LIMIT_MS };
    const result = await load.run(job);
    await server.stop();
    return result;
  };
  const inMemory = await once();
  const file = join(folder, "compaction.json");
  const seen = new Set();
  const looking = setInterval(
    () => seen.add(statSync(file, { throwIfNoEntry: false })?.mtimeMs),
    LOOK_EVERY_MS,
  );
  try {
    const onDisk = await once("--data", file);
    seen.add(statSync(file).mtimeMs);
    seen.delete(undefined);
    // The first is that of the empty state.
    const snapshots = seen.size - 1;
    if (snapshots === 0) throw new Error(`${charges} charges have led to no compaction: measure more`);
    return { inMemory, onDisk, charges, scenario, snapshots };
  } finally {
    clearInterval(looking);
  }
}
