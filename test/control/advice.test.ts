import { expect, it } from "vitest";
import { BAD_HABITS } from "../../src/core/namespace/advice.js";
import { KES_ORDER, openApi, openSandbox, START } from "../support/api-client.js";
import { closedAtEnd } from "../support/lifetime.js";
import { Client } from "../support/receiver-client.js";
import { accept, type Handler, hold, Receiver, refuseWith } from "../support/receiver-server.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";

interface Advice {
  id: string;
  why: string;
  times: number;
  example: string;
}

const told = async (client: Pick<Client, "ask">, query = ""): Promise<Advice[]> =>
  (await client.ask(`GET /_sandbox/advice${query}`)).json.items;

const read = (client: Client, id: string) => client.ask(`GET /api/v1/payments/charges/${id}`);
const balances = (client: Client) => client.ask("GET /api/v1/accounts/balances");

/** Opens an app with a fake wall clock. */
async function running() {
  const wall = new FakeWall(Date.parse(START));
  return { wall, ...(await worldOn(wall, { clockText: "real" })) };
}
/** Reads a charge with these pauses in between. */
async function polled(pauses: readonly number[]) {
  const { wall, client } = await running();
  const id = await client.pay({ scenario: "stuck" });
  for (const pause of [0, ...pauses]) {
    wall.elapse(pause);
    await read(client, id);
  }
  return client;
}

/** Opens an app with a manual sandbox clock. */
const standing = async (options = {}) => {
  const sandbox = await openSandbox(options);
  return { sandbox, client: Client.of(sandbox) };
};
async function calling(...calls: readonly [line: string, body?: object, headers?: Record<string, string>][]) {
  const { client } = await standing();
  for (const call of calls) await client.ask(...call);
  return client;
}

/** Opens an app that receives a webhook. */
async function hearing(handler: Handler) {
  const receiver = closedAtEnd(await Receiver.open(handler));
  const { sandbox, client } = await standing({ webhooks: [receiver.url] });
  await client.ask("POST /_sandbox/events", { type: "webhook.test" });
  await sandbox.advance("10m");
  return client;
}
/** Opens an app that responds to webhooks after this time. */
async function heardAfter(durationMs: number) {
  const receiver = closedAtEnd(await Receiver.open(hold));
  const { wall, client, sandbox } = await running();
  await client.ask("POST /_sandbox/webhook-endpoints", { url: receiver.url });
  await client.ask("POST /_sandbox/events", { type: "webhook.test" });
  const received = await receiver.arrived(1);
  wall.elapse(durationMs);
  received.answer();
  await sandbox.settled();
  return client;
}

const WITHDRAWAL = { destination_id: "pd_1", amount: "1000.00", currency: "KES" };
/** Opens an app that makes this many withdrawals. */
async function withdrawn(times: number, headers: Record<string, string> = {}) {
  const api = await openApi();
  await api.transition((await api.pay({ pricing: { base_currency: "KES", amount: "9000.00" } })).charge_id, {
    to: "COMPLETED",
  });
  const destination_id = await api.destination();
  for (let n = 0; n < times; n++)
    await api.ask("POST /api/v1/payouts/withdrawals", { ...WITHDRAWAL, destination_id }, headers);
  return api;
}

const QUOTE = "POST /api/v1/payments/quotes";
const many = <Item>(count: number, item: Item) => Array<Item>(count).fill(item);

/** Calls a sandbox on a manual clock, and advances it after each call. */
async function repeated(times: number, call: (client: Client, id: string) => Promise<unknown>, pause = "0s") {
  const { sandbox, client } = await standing();
  const id = await client.pay({ scenario: "stuck" });
  for (let n = 0; n < times; n++) {
    await call(client, id);
    await sandbox.advance(pause);
  }
  return client;
}

type App = () => Promise<Pick<Client, "ask">>;

/** Apps with a problem, and the start of the example in the advice. */
const HAS: readonly (readonly [id: string, what: string, app: App, example: RegExp])[] = [
  ["balances_too_often", "three reads in a row", () => repeated(3, balances), /^request 5 at 2026/],
  [
    "charge_polling",
    "thirty reads in a row on a clock that stands",
    () => repeated(30, read),
    /^30 reads of ch_\w+$/,
  ],
  ["charge_polling", "every hundred milliseconds", () => polled(many(30, 100)), /^\d\d reads/],
  ["charge_polling", "every two seconds", () => polled(many(6, 2_000)), /^7 reads of ch_/],
  ["charge_polling", "without a pause on a busy machine", () => polled([0, 1, 3, 4, 260, 6]), /^7 reads/],
  [
    "charge_polling",
    "for seventeen minutes",
    () => polled([1_000, ...[2, 4, 8, 16, 32, 64, 128, 256, 512].map((s) => s * 1_000)]),
    /^\d+ reads of ch_\w+ in more than 15 minutes$/,
  ],
  ["withdrawal_without_key", "one", () => withdrawn(1), /^request \d+ at/],
  ["withdrawal_without_key", "the same twice", () => withdrawn(2), /^request \d+ at/],
  [
    "tolerated",
    "a misspelt field",
    () => calling([QUOTE, { pricing: KES_ORDER.pricing, payment_method: "mobile_money", to_curency: "KES" }]),
    /^createQuote body\.to_curency: not a field of this call; did you mean to_currency\?$/,
  ],
  ["webhook_responses", "six seconds", () => heardAfter(6_000), /^dlv_\w+ at \S+: 6000 ms$/],
  [
    "webhook_responses",
    "302",
    () => hearing(refuseWith(302, { location: "http://localhost:9/" })),
    /^dlv_\w+ at \S+: redirect 302$/,
  ],
];

/** Similar apps without the problem. */
const HAS_NOT: readonly (readonly [id: string, what: string, app: App])[] = [
  [
    "balances_too_often",
    "a read before and after what changes them",
    async () => {
      const { client } = await standing();
      await balances(client);
      await client.pay();
      await balances(client);
      return client;
    },
  ],
  ["balances_too_often", "every ten seconds", () => repeated(4, balances, "10s")],
  [
    "charge_polling",
    "a read after each of ten changes",
    () =>
      repeated(10, async (client) => {
        const id = await client.pay();
        await read(client, id);
        await client.transition(id, "COMPLETED");
        await read(client, id);
      }),
  ],
  [
    "charge_polling",
    "a backoff from ten milliseconds on",
    () => polled([10, 20, 40, 80, 160, 320, 640, 1_280, 2_560]),
  ],
  ["charge_polling", "pauses that double", () => polled([1, 2, 4, 8, 16, 32, 64].map((s) => s * 1_000))],
  ["charge_polling", "few reads", () => polled(many(4, 2_000))],
  ["charge_polling", "a read after each leap of an hour", () => repeated(8, read, "1h")],
  ["charge_polling", "one read after a leap of two hours", () => repeated(2, read, "2h")],
  ["charge_polling", "one that comes back after an hour", () => polled([1_000, 3_600_000, 3_600_000])],
  [
    "withdrawal_without_key",
    "the same twice, with a key",
    () => withdrawn(2, { "idempotency-key": "rent-1" }),
  ],
  [
    "withdrawal_without_key",
    "one that was refused",
    () => calling(["POST /api/v1/payouts/withdrawals", WITHDRAWAL]),
  ],
  ["tolerated", "what the call takes", async () => (await openApi()).pay().then(() => openApi())],
  ["webhook_responses", "four seconds", () => heardAfter(4_000)],
  ["webhook_responses", "200", () => hearing(accept)],
];

it("each kind of advice has an app with and without the problem", () => {
  for (const rows of [HAS, HAS_NOT])
    expect([...new Set(rows.map(([id]) => id))]).toEqual(Object.keys(BAD_HABITS));
});

it.each(HAS)("gives the advice %s: %s", async (id, _what, app, example) => {
  const found = (await told(await app())).find((one) => one.id === id);
  expect(found?.example).toMatch(example);
});

it.each(HAS_NOT)("does not give the advice %s: %s", async (_id, _what, app) => {
  expect(await told(await app())).toEqual([]);
});

it("GET /_sandbox/advice returns an empty list for a correct app", async () => {
  await using receiver = await Receiver.open();
  const { sandbox, client } = await standing({ webhooks: [receiver.url] });
  const id = await client.pay();
  for (const pause of ["1s", "2s", "4s", "8s", "16s", "32s", "64s"]) {
    await read(client, id);
    await sandbox.advance(pause);
  }
  await balances(client);
  await sandbox.advance("10s");
  await balances(client);
  expect(await told(client)).toEqual([]);
});

it("GET /_sandbox/advice reports frequent balance reads although the clock moves in small steps", async () => {
  const { sandbox, client } = await standing();
  for (let n = 0; n < 3; n++) {
    await balances(client);
    await sandbox.advance("9999ms");
  }
  expect(await told(client)).toMatchObject([{ why: "balances were read again too soon", times: 2 }]);
});

it("GET /_sandbox/advice does not report fast reads after a restore", async () => {
  const { sandbox, client } = await standing();
  await client.ask("POST /_sandbox/snapshots", { name: "before" });
  await sandbox.advance("1m");
  await balances(client);
  await client.ask("POST /_sandbox/snapshots/before/restore");
  await balances(client);
  expect(await told(client)).toEqual([]);
});

it("GET /_sandbox/advice counts reads of each account separately", async () => {
  const { sandbox, client } = await standing();
  const readWith = (key: string) =>
    client.ask("GET /api/v1/accounts/balances", undefined, { authorization: `Bearer ${key}` });
  const { apiKey, liveApiKey } = sandbox;
  for (const key of [apiKey, liveApiKey, "sk_test_other", "sk_test_nobody", "sk_test_nobody"])
    await readWith(key);
  expect(await told(client)).toEqual([]);
  // Another key of the organization reads the same balances.
  await readWith("sk_test_readonly");
  await readWith(liveApiKey);
  expect(await told(client)).toMatchObject([{ why: "balances were read again too soon", times: 2 }]);
});

it("GET /_sandbox/advice counts reads at a constant interval", async () => {
  const { sandbox, client } = await standing();
  const id = await client.pay({ scenario: "stuck" });
  for (let n = 0; n < 30; n++) {
    await read(client, id);
    await sandbox.advance("1s");
  }
  await sandbox.advance("20m");
  await read(client, id);
  expect(await told(client)).toMatchObject([
    { why: "a charge was polled without backoff or for too long", times: 1, example: `31 reads of ${id}` },
  ]);
});

it("GET /_sandbox/advice is cleared by a reset", async () => {
  const { client } = await standing();
  for (const forget of ["DELETE /_sandbox/requests", "POST /_sandbox/reset"]) {
    await balances(client);
    await balances(client);
    expect(await told(client)).toHaveLength(1);
    await client.ask(forget);
    expect(await told(client)).toEqual([]);
  }
  await client.ask("PUT /_sandbox/namespaces/gone");
  for (let n = 0; n < 2; n++) await balances(client.in("gone"));
  await client.ask("DELETE /_sandbox/namespaces/gone");
  expect(await told(client, "?of=server")).toMatchObject([{ id: "balances_too_often", times: 3 }]);
});
