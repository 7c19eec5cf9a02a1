import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { startServer } from "../support/started.js";

const COUNT = 1_000;
/** Number of rounds that delete and create every namespace again. */
const ROUNDS = 1;
/** Heap limit in MB: enough for a thousand namespaces, but not for deleted ones too. */
const HEAP_MIB = 82;

const ORDER = { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "card" };

/** Starts a server with little memory. */
async function smallServer() {
  const { client, ready } = await startServer(["--clock", "manual"], {
    env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` },
  });
  const send = (line: string, key: string, body?: unknown) =>
    client.ask(line, body, { authorization: `Bearer ${key}` });
  const call = async (line: string, body?: unknown, key = "sk_test_sandbox") => {
    const { status, text, json } = await send(line, key, body);
    if (status !== 200) throw new Error(`${line}: ${status} ${text}`);
    return json;
  };
  return { send, call, residentMib: () => residentMib(ready.pid) };
}

function residentMib(pid: number): number {
  return Math.round(
    Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024,
  );
}

/** Runs the work for every number, twenty at a time. */
async function forEach(work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < COUNT) await work(next++);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
}

it("deleting a thousand namespaces frees their memory", async () => {
  const { call, send, residentMib } = await smallServer();
  const keyOf = (number: number) => `sk_test_ns_n${number}`;
  const make = () =>
    forEach(async (number) => {
      await call("POST /_sandbox/namespaces", { name: `n${number}`, webhooks: [{ mailbox: "inbox" }] });
    });
  const remove = () =>
    forEach(async (number) => {
      await call(`DELETE /_sandbox/namespaces/n${number}`);
    });

  const before = residentMib();
  const begun = performance.now();
  await make();
  const makingMs = performance.now() - begun;
  expect((await call("GET /_sandbox/namespaces?limit=1")).total).toBe(COUNT + 1);

  const ids: string[] = [];
  await forEach(async (number) => {
    const key = keyOf(number);
    const { quote_id } = await call("POST /api/v1/payments/quotes", ORDER, key);
    const body = { ...ORDER, quote_id, customer_email: "ada@example.com" };
    ids[number] = (await call("POST /api/v1/payments/whitelabel", body, key)).charge_id;
    // Only every second charge reaches COMPLETED.
    await call("POST /_sandbox/clock/advance", { by: number % 2 === 0 ? `${5 + number}s` : "2s" }, key);
  });
  expect(new Set(ids).size).toBe(COUNT);
  for (const number of [0, 1, 2, 499, 500, 998, 999]) {
    const key = keyOf(number);
    const isPaid = number % 2 === 0;
    const { items, total } = await call("GET /api/v1/payments/payins", undefined, key);
    const status = isPaid ? "COMPLETED" : "AWAITING_PAYMENT";
    expect([total, items[0].charge_id, items[0].status]).toEqual([1, ids[number], status]);
    expect((await call("GET /_sandbox/events", undefined, key)).total).toBe(isPaid ? 3 : 1);
    const next = ids[(number + 1) % COUNT];
    expect((await send(`GET /api/v1/payments/charges/${next}`, key)).status).toBe(404);
  }
  console.info(
    `${COUNT} namespaces: ${(makingMs / COUNT).toFixed(2)} ms each to make, resident ${before} → ${residentMib()} MiB`,
  );

  await remove();
  for (let round = 0; round < ROUNDS; round++) {
    await make();
    await remove();
  }
  expect((await call("GET /_sandbox/namespaces")).total).toBe(1);
  expect((await send("GET /api/v1/payments/payins", keyOf(7))).status).toBe(401);
});
