import { join } from "node:path";
import { getText, newQuote, PAYINS_PATH, reset, whitelabelText } from "./requests.mjs";
import { residentMb, sandbox, start } from "./servers.mjs";

const FILL_CONNECTIONS = 20;
const FILL_LIMIT_MS = 90_000;
/** Enough for the compiler to be through with it, so that the small sizes are not slow for being early. */
const WARM_UP_CHARGES = 5_000;
const PAGE_ITEMS = 50;

/** What a page costs: asked over one connection, so that nothing but the server's own work is in the time. */
const PAGES = [
  { name: "payins, first page", path: () => PAYINS_PATH },
  { name: "payins, last page", path: (size) => `${PAYINS_PATH}?offset=${size - PAGE_ITEMS}` },
  { name: "payins, status_filter", path: () => `${PAYINS_PATH}?status_filter=COMPLETED` },
  { name: "control: charges, by status", path: () => "/_sandbox/charges?status=COMPLETED&mode=test" },
  { name: "control: events, by type", path: () => "/_sandbox/events?type=charge.*" },
  { name: "control: next", path: () => "/_sandbox/next" },
];

/** Makes charges until there are so many, one in ten of them paid at once (the scenario `instant`). */
async function fill(load, port, from, to) {
  const quoteId = await newQuote(port);
  const requests = Array.from({ length: 10 }, (_, index) =>
    whitelabelText(quoteId, index === 0 ? "instant" : undefined),
  );
  const filled = await load.run({
    port,
    connections: FILL_CONNECTIONS,
    requests,
    count: to - from,
    maxMs: FILL_LIMIT_MS,
  });
  if (filled.requests < to - from)
    throw new Error(`only ${filled.requests} of ${to - from} charges were made in ${FILL_LIMIT_MS / 1000} s`);
}

/**
 * How the times change with the number of charges, in one server that is filled step by step.
 *
 * @param {import("./load-client.mjs").LoadClient} load
 * @param {object} options
 * @param {boolean} options.onDisk with `--data`: only the write is measured then, the reads are the same
 * @returns {Promise<{ size: number, rows: { name: string, p50Ms: number, p99Ms: number }[], residentMb?: number }[]>}
 */
export async function measureGrowth(load, { folder, core, sizes, readMs, writes, onDisk }) {
  const data = onDisk ? ["--data", join(folder, "growth.json")] : [];
  const server = await start(sandbox("--clock", "manual", ...data), { cwd: folder, core });
  const { port } = server;
  await fill(load, port, 0, WARM_UP_CHARGES);
  await reset(port);

  const found = [];
  let made = 0;
  for (const size of sizes) {
    await fill(load, port, made, size);
    made = size;
    const rows = [];
    for (const { name, path } of onDisk ? [] : PAGES) {
      const requests = [getText(path(size))];
      const read = await load.run({ port, connections: 1, requests, warmUpMs: readMs / 2, maxMs: readMs });
      rows.push({ name, p50Ms: read.p50Ms, p99Ms: read.p99Ms });
    }
    const requests = [whitelabelText(await newQuote(port))];
    const written = await load.run({ port, connections: 1, requests, count: writes, maxMs: FILL_LIMIT_MS });
    made += written.requests;
    const name = onDisk ? "POST whitelabel, --data FILE" : "POST whitelabel, in memory";
    rows.push({ name, p50Ms: written.p50Ms, p99Ms: written.p99Ms });
    found.push({ size, rows, residentMb: residentMb(server.pid) });
  }
  await server.stop();
  return found;
}
