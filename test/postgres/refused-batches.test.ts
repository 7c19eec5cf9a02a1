import { afterAll, beforeAll, expect } from "vitest";
import { openSandbox, START } from "../support/api-client.js";
import type { Answer } from "../support/caller.js";
import { itOnPostgres, Postgres } from "../support/postgres.js";
import { Client } from "../support/receiver-client.js";
import { startServer } from "../support/started.js";
import { BEFORE_COMMIT, BEFORE_REFUSAL, type Locks, openLocks, REFUSED, SLOW } from "./locks.js";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.start();
});
afterAll(() => postgres.end());

const credit = (client: Client, amount: string): Promise<Answer<unknown>> =>
  client.ask("POST /_sandbox/balances", { currency: "KES", amount });

async function balanceOf(client: Client): Promise<string | undefined> {
  const { status, json } = await client.get("/api/v1/accounts/balances");
  if (status !== 200) return undefined;
  return json.balances.find(({ currency }: { currency: string }) => currency === "KES")?.available_balance;
}

/**
 * A sandbox whose database is about to refuse a change of the default namespace, in one batch with a slow change of
 * `w2`. Four changes of the default namespace wait behind the batch.
 */
async function openRefusedBatch() {
  const url = postgres.url();
  const sandbox = await openSandbox({ data: url });
  const client = Client.of(sandbox);
  const slow = client.in("w2");
  await client.ask("PUT /_sandbox/namespaces/w2", {});
  expect((await credit(client, "1000.00")).status).toBe(200);
  const locks = await openLocks(postgres, url);
  const { seq } = sandbox.snapshot();
  /** Resolves when the engine has made this many changes, stored or not. */
  const hasChanged = (times: number) => expect.poll(() => sandbox.snapshot().seq - seq).toBe(times);
  const slowCalls = [credit(slow, SLOW)];
  await locks.hasWaiting(BEFORE_COMMIT);
  const calls = [credit(client, REFUSED)];
  slowCalls.push(credit(slow, SLOW));
  await hasChanged(1);
  await locks.letPass(BEFORE_COMMIT);
  await locks.hasWaiting(BEFORE_REFUSAL);
  for (let count = 0; count < 4; count++) calls.push(credit(client, "3500.00"));
  await hasChanged(5);
  return { url, sandbox, client, locks, hasChanged, calls, slowCalls };
}

type RefusedBatch = Awaited<ReturnType<typeof openRefusedBatch>>;

/** Lets the refusal happen; resolves when the default namespace is read again and `w2` is tried alone. */
async function refuse({ locks, hasChanged }: RefusedBatch): Promise<void> {
  await locks.release(BEFORE_REFUSAL);
  await locks.hasWaiting(BEFORE_COMMIT);
  await hasChanged(0);
}

/** Checks that the stored rows of each namespace have no gap, and end with the last committed number. */
async function checkRows(url: string): Promise<void> {
  const rows = await postgres.query<{ name: string; seq: number; numbers: number[] }>(
    url,
    `select name, n.seq::int, array_agg(e.seq::int order by e.seq) as numbers from namespaces n
      join entries e using (id) where e.seq >= (select max(seq) from entries where id = e.id and is_state)
      group by name, n.seq`,
  );
  expect(rows).toHaveLength(2);
  for (const { name, seq, numbers } of rows)
    expect([name, numbers]).toEqual([name, numbers.map((_, index) => seq - numbers.length + 1 + index)]);
}

/** Starts another process on the data, and returns the balances that it reads. */
async function balancesAfterRestart(url: string): Promise<(string | undefined)[]> {
  const client = Client.of(await openSandbox({ data: url }));
  const balances: (string | undefined)[] = [];
  for (const one of [client, client.in("w2")]) {
    await expect.poll(() => balanceOf(one)).toBeDefined();
    balances.push(await balanceOf(one));
  }
  await checkRows(url);
  return balances;
}

const statusesOf = async (calls: readonly Promise<Answer<unknown>>[]) =>
  (await Promise.all(calls)).map(({ status }) => status);

itOnPostgres("changes that waited behind a refused one are never stored", async () => {
  const batch = await openRefusedBatch();
  await refuse(batch);
  await batch.locks.release(BEFORE_COMMIT);
  for (const { status, headers } of await Promise.all(batch.calls))
    expect([status, headers.get("retry-after")]).toEqual([500, null]);
  expect((await batch.client.get("/health")).json.storage).toBe("ok");
  expect(await statusesOf(batch.slowCalls)).toEqual([200, 200]);
  expect(await balanceOf(batch.client)).toBe("1000.00");
  await checkRows(batch.url);
  await batch.sandbox.close();
  expect(await balancesAfterRestart(batch.url)).toEqual(["1000.00", "1555.54"]);
});

itOnPostgres("a change after a refused one is stored, and the namespace opens again", async () => {
  const batch = await openRefusedBatch();
  await refuse(batch);
  const next = credit(batch.client, "10.00");
  await batch.locks.release(BEFORE_COMMIT);
  expect((await next).status).toBe(200);
  await batch.sandbox.close();
  expect(await balancesAfterRestart(batch.url)).toEqual(["1010.00", "1555.54"]);
});

itOnPostgres("a change after a refused one is answered when it is stored, not before", async () => {
  const batch = await openRefusedBatch();
  await refuse(batch);
  await batch.locks.letPass(BEFORE_COMMIT);
  await Promise.all(batch.calls);
  let answered = 0;
  const next = [SLOW, "1.00", "2.00", "3.00", "4.00"].map((amount) =>
    credit(batch.client, amount).finally(() => answered++),
  );
  await batch.locks.hasWaiting(BEFORE_COMMIT);
  await batch.hasChanged(5);
  expect(answered).toBe(0);
  await batch.locks.release(BEFORE_COMMIT);
  expect(await statusesOf(next)).toEqual([200, 200, 200, 200, 200]);
  await batch.sandbox.close();
  expect(await balancesAfterRestart(batch.url)).toEqual(["1787.77", "1555.54"]);
});

/** Moments of a process that has the refused batch, and how the test gets there. */
const WINDOWS: readonly [
  string,
  (locks: Locks, send: (amount: string) => Promise<unknown>) => Promise<void>,
][] = [
  ["while the batch is refused", async () => {}],
  [
    "while the slow change is tried alone",
    async (locks) => {
      await locks.release(BEFORE_REFUSAL);
      await locks.hasWaiting(BEFORE_COMMIT);
    },
  ],
  [
    "after the next batch",
    async (locks, send) => {
      await locks.release(BEFORE_REFUSAL);
      await locks.hasWaiting(BEFORE_COMMIT);
      await locks.release(BEFORE_COMMIT);
      await send("5.00");
    },
  ],
];

const centsOf = (amount: string) => Number(amount.replace(".", ""));

itOnPostgres.each(WINDOWS)("after a kill %s, the data is as acknowledged", async (_, reach) => {
  const url = postgres.url();
  const options = ["--data", url, "--clock", "manual", "--start-time", START];
  const { command, client, ...server } = await startServer(options);
  const slow = client.in("w2");
  await client.ask("PUT /_sandbox/namespaces/w2", {});
  expect((await credit(client, "1000.00")).status).toBe(200);
  const locks = await openLocks(postgres, url);
  const calls: Promise<unknown>[] = [];
  let sentCents = 0;
  let acknowledgedCents = 0;
  const sendSlow = (amount: string): Promise<unknown> => {
    sentCents += centsOf(amount);
    const call = credit(slow, amount).then(
      ({ status }) => {
        if (status === 200) acknowledgedCents += centsOf(amount);
      },
      () => {},
    );
    calls.push(call);
    return call;
  };
  const refused: number[] = [];
  const sendRefused = (amount: string): void => {
    calls.push(
      credit(client, amount).then(
        ({ status }) => refused.push(status),
        () => {},
      ),
    );
  };
  void sendSlow(SLOW);
  await locks.hasWaiting(BEFORE_COMMIT);
  sendRefused(REFUSED);
  void sendSlow(SLOW);
  // The server has read the calls before by now.
  await fetch(`${server.url}/health`);
  await locks.letPass(BEFORE_COMMIT);
  await locks.hasWaiting(BEFORE_REFUSAL);
  for (let count = 0; count < 4; count++) sendRefused("3500.00");
  await fetch(`${server.url}/health`);
  await reach(locks, sendSlow);
  await command.stop("SIGKILL");
  await Promise.all(calls);
  await locks.session.end();
  await postgres.query(url, "delete from processes");
  const [ofDefault, ofSlow] = await balancesAfterRestart(url);
  expect([ofDefault, refused.filter((status) => status !== 500)]).toEqual(["1000.00", []]);
  expect(centsOf(ofSlow!)).toBeGreaterThanOrEqual(acknowledgedCents);
  expect(centsOf(ofSlow!)).toBeLessThanOrEqual(sentCents);
});

/** Refuses what a database encoded in Latin-1 cannot store. */
const LATIN1 = `
  create function be_latin1() returns trigger language plpgsql as $$ begin
    if new.body ~ '[^\u0001-\u00ff]' then
      raise exception 'character has no equivalent in encoding "LATIN1"' using errcode = '22P05';
    end if;
    return new;
  end $$;
  create trigger be_latin1 before insert on entries for each row execute function be_latin1();`;

const NAMES = ["default", "w2"] as const;

/** Returns the orders of a namespace's charges. */
async function ordersIn(client: Client): Promise<string[]> {
  const { status, json } = await client.get("/_sandbox/state");
  if (status !== 200) {
    // The namespace is read again after a refusal.
    await new Promise(setImmediate);
    return ordersIn(client);
  }
  return json.collections.charges.map(
    ([, { metadata }]: [string, { metadata: { order: string } }]) => metadata.order,
  );
}

itOnPostgres("forty refused changes among others leave what was acknowledged, and no more", async () => {
  const url = postgres.url();
  const sandbox = await openSandbox({ data: url });
  const client = Client.of(sandbox);
  await client.ask("PUT /_sandbox/namespaces/w2", {});
  await postgres.query(url, LATIN1);
  const acknowledged: Record<string, string[]> = { default: [], w2: [] };
  const statuses: number[] = [];
  const buy = async (name: string, order: string): Promise<void> => {
    const key = name === "default" ? "sk_test_sandbox" : "sk_test_ns_w2";
    const quote = await client.quote({ key });
    statuses.push(quote.status);
    if (quote.status !== 200) return;
    const checkout = await client.checkout(quote.json.quote_id, { key, metadata: { order } });
    statuses.push(checkout.status);
    if (checkout.status === 200) acknowledged[name]!.push(order);
  };
  /** Asks again while the namespace is read after the refusal before. */
  const askForQuote = async (): Promise<string> => {
    const { status, json } = await client.quote();
    if (status === 200) return json.quote_id;
    await new Promise(setImmediate);
    return askForQuote();
  };
  for (let round = 0; round < 40; round++) {
    const bad = askForQuote().then((quoteId) => client.checkout(quoteId, { metadata: { order: "北" } }));
    await Promise.all([bad, ...NAMES.map((name) => buy(name, `${name} ${round}`))]);
    expect((await bad).status).toBe(500);
  }
  expect(statuses.filter((status) => status !== 200 && status !== 500)).toEqual([]);
  for (const name of NAMES)
    expect((await ordersIn(client.in(name))).sort()).toEqual(acknowledged[name]!.sort());
  expect(acknowledged.w2).toHaveLength(40);
  await sandbox.close();
  await checkRows(url);
  const next = Client.of(await openSandbox({ data: url }));
  for (const name of NAMES) expect((await ordersIn(next.in(name))).sort()).toEqual(acknowledged[name]);
});
