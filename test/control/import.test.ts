import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FileStore } from "../../src/core/store/file-store.js";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { withChecksum } from "../support/kept.js";
import { Client } from "../support/receiver-client.js";

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary parts of states
type Json = any;

async function started(data?: string) {
  const sandbox = await openSandbox({
    webhooks: [{ mailbox: "post" }],
    ...(data === undefined ? {} : { data }),
  });
  return { sandbox, client: Client.of(sandbox) };
}

/** Opens a sandbox with charges and pending deliveries. */
async function busy(data?: string) {
  const world = await started(data);
  await world.client.pay();
  await world.client.pay({ scenario: "instant" });
  await world.sandbox.advance("2s");
  return world;
}

type Fault = readonly [what: string, change: (part: Json) => unknown, fields: readonly string[]];

/** Damaged collections, each with the field that the error response names. */
const IN_COLLECTIONS: readonly Fault[] = [
  ["an unknown collection", (all) => (all.payments = []), ["payments"]],
  ["no namespace", (all) => (all.namespace = []), ["namespace"]],
  ["a namespace that is null", (all) => (all.namespace[0][1] = null), ["namespace.0.1"]],
  ["a task of no kind", (all) => (all.tasks[0][1].kind = "nope"), ["tasks.0.1.kind"]],
  [
    "a task without its object",
    (all) => (all.tasks[0][1].ref = "ch_nobody"),
    ["charges.0.1.tasks.expiry", "tasks.0.1.ref"],
  ],
  [
    "a clock with an unknown mode",
    (all) => Object.assign(all.clock[0][1], { mode: "weird", speed: "x" }),
    ["clock.0.1.mode", "clock.0.1.speed"],
  ],
  ["an unknown signature", (all) => (all.endpoints[0][1].signature = "x"), ["endpoints.0.1.signature"]],
  ...["not a url", "shop.test:3000/hooks", "http://169.254.169.254/", "http://[64:ff9b:1::a9fe:a9fe]/"].map(
    (url): Fault => [
      `an endpoint at ${url}`,
      (all) => Object.assign(all.endpoints[0][1], { url, mailbox: null }),
      ["endpoints.0.1.url"],
    ],
  ),
  [
    "a charge whose parts do not add up to its amount",
    (all) => (all.charges[1][1].amount = "1.00"),
    ["charges.1.1.amount"],
  ],
  [
    "money from nowhere",
    (all) => (all.holdings[0][1].balances.available = "7.00"),
    ["holdings.0.1.balances.available"],
  ],
  ["an unknown currency", (all) => (all.charges[0][1].currency = "EUR"), ["charges.0.1.currency"]],
  [
    "a delivery without an event",
    (all) => (all.deliveries[0][1].event_id = "evt_nobody"),
    ["deliveries.0.1.event_id"],
  ],
  ["a charge with an unknown field", (all) => (all.charges[0][1].colour = "red"), ["charges.0.1.colour"]],
  ["a key that is another's", (all) => (all.charges[0][0] = "ch_other"), ["charges.0.1.charge_id"]],
  ["a change of status without an actor", (all) => all.charges[0][1].actors.pop(), ["charges.0.1.actors"]],
  [
    "a fault with an invalid header",
    ({ faults }) => {
      const rule = { respond: { status: 500, headers: { "x a": "b" } } };
      faults.push(["flt_1", { fault_id: "flt_1", seq: 1, rule }]);
    },
    ["faults.0.1.rule.respond.headers.x a"],
  ],
];

/** Broken states, and the fields that the response names. */
const WRONG: readonly Fault[] = [
  ["a time after the end of time", (state) => (state.at = 9e15), ["at"]],
  ["a time before 1970", (state) => (state.at = -9e15), ["at"]],
  ["another version", (state) => (state.version = 2), ["version"]],
  ["a counter that would count again", (state) => (state.counters.charge_seq = 1), ["counters.charge_seq"]],
  ...IN_COLLECTIONS.map(
    ([what, change, fields]): Fault => [
      what,
      ({ collections }) => change(collections),
      fields.map((field) => `collections.${field}`),
    ],
  ),
];

/** Faults are found before storage, so a database run tries only a few. */
const TRIED = import.meta.url.endsWith("?postgres") ? WRONG.slice(-4) : WRONG;

it.each(TRIED)("an import returns 400 and changes nothing with %s", async (_what, change, fields) => {
  const { sandbox, client } = await busy();
  const before = sandbox.snapshot();
  const state = sandbox.snapshot();
  change(state);
  const { status, json } = await client.ask("PUT /_sandbox/state", state);
  expect([status, json.error?.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect(Object.keys(json.error.details).sort()).toEqual([...fields].sort());
  const { clock: _then, ...kept } = before.collections;
  const { clock: _now, ...there } = sandbox.snapshot().collections;
  expect(there).toEqual(kept);
  // Scheduled tasks still run.
  await sandbox.advance("1h");
  expect((await client.ask("GET /_sandbox/charges?status=COMPLETED")).json.total).toBe(2);
});

it("an import names the first of many faults", async () => {
  const { sandbox, client } = await busy();
  const state: Json = sandbox.snapshot();
  state.collections.rates = Array.from({ length: 1000 }, (_, n) => [`X${n}`, { code: `X${n}`, rate: -1 }]);
  const { status, json } = await client.ask("PUT /_sandbox/state", state);
  expect([status, Object.keys(json.error.details).length]).toEqual([400, 20]);
  expect(json.error.details["collections.rates.0.1.rate"]).toBe("must be a string");
  expect(json.error.message).toContain("the first 20");
});

it("an import finds one invalid record among many", async () => {
  const { sandbox, client } = await busy();
  const state: Json = sandbox.snapshot();
  state.collections.rates = Array.from({ length: 1000 }, (_, n) => [`X${n}`, { code: `X${n}`, rate: "1" }]);
  expect((await client.ask("PUT /_sandbox/state", state)).status).toBe(200);
  state.collections.rates[777][1].rate = "0";
  const { status, json } = await client.ask("PUT /_sandbox/state", state);
  expect([status, json.error.details]).toEqual([
    400,
    { "collections.rates.777.1.rate": "must be more than 0" },
  ]);
});

it("an import accepts a state without empty collections", async () => {
  const { sandbox, client } = await busy();
  const state: Json = sandbox.snapshot();
  delete state.collections.rates;
  delete state.collections.faults;
  expect((await client.ask("PUT /_sandbox/state", state)).status).toBe(200);
});

it("an import accepts a receiver that was a function", async () => {
  const one = await started();
  await one.sandbox.onWebhook(() => 204);
  const { client } = await started();
  expect((await client.ask("PUT /_sandbox/state", one.sandbox.snapshot())).status).toBe(200);
});

it("a corrupt snapshot file is refused and changes nothing", async () => {
  const data = `${temporaryFolder()}/data.json`;
  const { client } = await busy(data);
  await client.ask("POST /_sandbox/snapshots", { name: "now" });
  const file = `${data}.snapshots/now.json`;
  const kept = JSON.parse(readFileSync(file, "utf8"));
  kept.dump.collections.tasks[0][1].kind = "nope";
  delete kept.checksum;
  writeFileSync(file, withChecksum(kept));
  const { status, json } = await client.ask("POST /_sandbox/snapshots/now/restore");
  expect([status, Object.keys(json.error.details)]).toEqual([400, ["collections.tasks.0.1.kind"]]);
  expect((await client.ask("GET /_sandbox/charges")).json.total).toBe(2);
});

/** Writes a data file, including checksums. */
function write(data: string, state: Json): void {
  const store = new FileStore({ file: data });
  store.load();
  store.replace(state);
  store.close();
}

it("reading a valid data file does not change it", async () => {
  const data = `${temporaryFolder()}/data.json`;
  const { sandbox } = await busy();
  write(data, sandbox.snapshot());
  const again = await started(data);
  expect((await again.client.ask("GET /_sandbox/charges")).json.total).toBe(2);
});

it.each(TRIED.filter(([what]) => !/version|an unknown collection/.test(what)))(
  "a data file is refused at startup with %s",
  async (_what, change, [field]) => {
    const data = `${temporaryFolder()}/data.json`;
    const { sandbox } = await busy();
    const state = sandbox.snapshot();
    change(state);
    let refused: unknown;
    try {
      write(data, state);
      await started(data);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ name: "StoreError" });
    const { message } = refused as Error;
    expect(message).toContain(data);
    expect(message).not.toContain("\n");
    if (field?.startsWith("collections.") && !field.endsWith("namespace.0.1"))
      expect(message).toContain(field);
  },
);
