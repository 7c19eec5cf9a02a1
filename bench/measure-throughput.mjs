import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EMULATE_REQUESTS, fillEmulate, MOST_REQUESTS } from "./emulate.mjs";
import {
  call,
  chargePath,
  getText,
  newCharge,
  newQuote,
  PAYINS_PATH,
  reset,
  whitelabelText,
} from "./requests.mjs";
import { bareHono, processorMs, sandbox, start } from "./servers.mjs";
import { median, medianRatio } from "./stats.mjs";

const PAGE_ITEMS = 50;

/** What is asked, of the sandbox and of the bare server alike, and what comes nearest to it at emulate. */
export const CASES = [
  {
    name: "GET charge",
    requests: ({ chargeId }) => [getText(chargePath(chargeId))],
    ofEmulate: (intentId) => [EMULATE_REQUESTS.one(intentId)],
  },
  {
    name: "GET payins (50 items)",
    requests: () => [getText(PAYINS_PATH)],
    ofEmulate: () => [EMULATE_REQUESTS.list()],
  },
  {
    name: "POST whitelabel",
    requests: ({ quoteId }) => [whitelabelText(quoteId)],
    ofEmulate: () => [EMULATE_REQUESTS.make()],
  },
];

/**
 * A small world: one page of charges and a quote. Made anew before each measurement, so that the charges that
 * POST whitelabel leaves behind weigh on nothing that comes after it.
 */
export async function freshWorld(port) {
  await reset(port);
  const quoteId = await newQuote(port);
  let charge;
  for (let made = 0; made < PAGE_ITEMS; made++) charge = await newCharge(port, quoteId);
  return { quoteId, chargeId: charge.chargeId, whitelabel: charge.text };
}

/** The bodies the sandbox gives, for the bare server to give the same. */
async function keepAnswers(port, folder) {
  const { chargeId, whitelabel } = await freshWorld(port);
  const file = join(folder, "answers.json");
  const charge = await call(port, "GET", chargePath(chargeId));
  const payins = await call(port, "GET", PAYINS_PATH);
  writeFileSync(file, JSON.stringify({ charge, payins, whitelabel }));
  return { file, bytes: { charge: charge.length, payins: payins.length, whitelabel: whitelabel.length } };
}

/**
 * Requests a second and latencies of the sandbox (manual clock) and of bare Hono, in turns: whatever slows the
 * machine down for a while slows both.
 *
 * @param {import("./load-client.mjs").LoadClient} load
 * @param {object} options
 * @param {{ name: string, args: string[] }} [options.emulate] how to start it, where it could be had
 * @param {number[]} [options.emulateConnections] at which connections it is measured; a start of its own each
 */
export async function measureThroughput(
  load,
  { folder, core, connections, emulateConnections = connections, rounds, warmUpMs, measureMs, emulate },
) {
  mkdirSync(folder, { recursive: true });
  const where = { cwd: folder, core };
  const ours = await start(sandbox("--clock", "manual"), where);
  const answers = await keepAnswers(ours.port, folder);
  const hono = await start(bareHono(answers.file), where);

  const once = async (kind, server, count, timing) => {
    // The bare server answers the same to any id.
    const world = server === ours ? await freshWorld(ours.port) : { chargeId: "ch_0", quoteId: "qt_0" };
    const requests = kind.requests(world);
    const before = processorMs(server.pid);
    const result = await load.run({ port: server.port, connections: count, requests, ...timing });
    const after = processorMs(server.pid);
    if (before !== undefined) result.processorUs = ((after - before) * 1000) / result.sent;
    return result;
  };
  const ofEmulate = async (kind, count, timing) => {
    // Anew each time, for its list is slower the longer it is.
    const server = await start(emulate, where);
    const intentId = await fillEmulate(server.port, PAGE_ITEMS);
    const job = { port: server.port, connections: count, count: MOST_REQUESTS, ...timing };
    await load.run({ ...job, requests: kind.ofEmulate(intentId), maxMs: timing.maxMs });
    const result = await load.run({ ...job, requests: kind.ofEmulate(intentId) });
    await server.stop();
    return result;
  };
  // Compiled and optimized before anything counts.
  for (const kind of CASES)
    for (const server of [ours, hono]) await once(kind, server, 10, { maxMs: 2 * (warmUpMs + measureMs) });

  const results = [];
  for (const kind of CASES)
    for (const count of connections) {
      const found = { sandbox: [], hono: [] };
      for (let round = 0; round < rounds; round++) {
        const timing = { warmUpMs, maxMs: measureMs };
        found.sandbox.push(await once(kind, ours, count, timing));
        found.hono.push(await once(kind, hono, count, timing));
      }
      const isAsked = emulate !== undefined && emulateConnections.includes(count);
      const other = isAsked ? await ofEmulate(kind, count, { warmUpMs, maxMs: measureMs }) : undefined;
      results.push({
        name: kind.name,
        connections: count,
        sandbox: medians(found.sandbox),
        hono: medians(found.hono),
        emulate: other,
        ratio: medianRatio(
          found.sandbox.map((one) => one.perSecond),
          found.hono.map((one) => one.perSecond),
        ),
        rounds: found,
      });
    }
  await ours.stop();
  await hono.stop();
  return { results, bytes: answers.bytes };
}

export function medians(results) {
  const of = (field) => median(results.map((result) => result[field]));
  const processorUs = results[0].processorUs === undefined ? undefined : of("processorUs");
  return { perSecond: of("perSecond"), p50Ms: of("p50Ms"), p99Ms: of("p99Ms"), processorUs };
}
