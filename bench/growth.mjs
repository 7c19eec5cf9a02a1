import { join } from "node:path";
import { createQuote, PAGE_ITEMS, PAYINS_PATH, requestText, reset, whitelabelText } from "./calls.mjs";
import { round, table, whole } from "./report.mjs";
import { residentMb, sandbox, start } from "./servers.mjs";

const FILL_TIMEOUT_MS = 90_000;
/** Compiles and optimizes the code, so that the smallest size is not slow for being first. */
const WARM_UP_CHARGES = 5_000;
const PAGES = {
  "payins, first page": () => PAYINS_PATH,
  "payins, last page": (size) => `${PAYINS_PATH}?offset=${size - PAGE_ITEMS}`,
  "payins, status_filter": () => `${PAYINS_PATH}?status_filter=COMPLETED`,
  "control: charges, by status": () => "/_sandbox/charges?status=COMPLETED&mode=test",
  "control: events, by type": () => "/_sandbox/events?type=charge.*",
  "control: next": () => "/_sandbox/next",
};

/** p50 over one connection by the number of charges, of pages and of a write; with `--data` of the write alone. */
export async function growthTable(load, { folder, core, sizes, readMs, writes }) {
  const rows = [];
  for (const data of [[], ["--data", join(folder, "growth.json")]]) {
    const server = await start(sandbox(["--clock", "manual", ...data]), { cwd: folder, core });
    const { port } = server;
    const found = {};
    const megabytes = [];
    await createCharges(load, port, WARM_UP_CHARGES);
    await reset(port);
    let made = 0;
    for (const size of sizes) {
      await createCharges(load, port, size - made);
      for (const [name, path] of data.length > 0 ? [] : Object.entries(PAGES)) {
        const requests = [requestText("GET", path(size))];
        const { p50Ms } = await load.run({
          port,
          connections: 1,
          requests,
          warmUpMs: readMs / 2,
          maxMs: readMs,
        });
        (found[name] ??= []).push(p50Ms);
      }
      const requests = [whitelabelText(await createQuote(port))];
      const written = await load.run({
        port,
        connections: 1,
        requests,
        count: writes,
        maxMs: FILL_TIMEOUT_MS,
      });
      made = size + written.requests;
      (found[`POST whitelabel, ${data[0] ?? "in memory"}`] ??= []).push(written.p50Ms);
      megabytes.push(residentMb(server.pid));
    }
    await server.stop();
    for (const [name, values] of Object.entries(found))
      rows.push([name, ...values.map((value) => round(value, 3)), `${round(values.at(-1) / values[0], 2)}x`]);
    const bytes = ((megabytes.at(-1) - megabytes[0]) * 2 ** 20) / (sizes.at(-1) - sizes[0]);
    rows.push([
      `resident MB, ${data[0] ?? "in memory"}`,
      ...megabytes.map((value) => round(value)),
      `${round(bytes)} B a charge`,
    ]);
  }
  return table(
    "Growth: p50 in ms over one connection, by the number of charges",
    ["", ...sizes.map(whole), "last/first"],
    rows,
  );
}

/** Creates charges, one in ten of them paid at once by the scenario `instant`. */
async function createCharges(load, port, count) {
  const quoteId = await createQuote(port);
  const requests = Array.from({ length: 10 }, (_, index) =>
    whitelabelText(quoteId, index === 0 ? { scenario: "instant" } : {}),
  );
  const filled = await load.run({ port, connections: 20, requests, count, maxMs: FILL_TIMEOUT_MS });
  if (filled.requests < count)
    throw new Error(`${filled.requests} of ${count} charges in ${FILL_TIMEOUT_MS} ms`);
}
