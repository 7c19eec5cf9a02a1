import pg from "pg";
import { afterAll, beforeAll, expect } from "vitest";
import { openSandbox, START } from "../support/api-client.js";
import type { Answer } from "../support/caller.js";
import { atEnd } from "../support/lifetime.js";
import { itOnPostgres, Postgres } from "../support/postgres.js";
import { Client } from "../support/receiver-client.js";
import { startServer } from "../support/started.js";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.start();
});
afterAll(() => postgres.end());

/** Amounts that the database treats in a way of their own. */
const REFUSED = "666.66";
const SLOW = "777.77";
/** Advisory locks that a refused and a slow statement wait for. */
const BEFORE_REFUSAL = 1;
const BEFORE_COMMIT = 2;

/** The slow statement waits after all rows are written, so that a refused row of its batch is refused first. */
const TRIGGERS = `
  create function treat_refused() returns trigger language plpgsql as $$ begin
    if new.body like '%"${REFUSED}"%' then
      perform pg_advisory_xact_lock(${BEFORE_REFUSAL});
      raise exception 'not in this database' using errcode = '22P05';
    end if;
    return new;
  end $$;
  create function treat_slow() returns trigger language plpgsql as $$ begin
    if new.body like '%"${SLOW}"%' then perform pg_advisory_xact_lock(${BEFORE_COMMIT}); end if;
    return null;
  end $$;
  create trigger treat_refused before insert on entries for each row execute function treat_refused();
  create trigger treat_slow after insert on entries for each row execute function treat_slow();`;

/** A session of the test that holds locks which statements of the sandbox wait for. */
class Locks {
  private constructor(readonly session: pg.Client) {}

  static async open(url: string): Promise<Locks> {
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    atEnd(() => session.end());
    return new Locks(session);
  }

  async take(lock: number): Promise<void> {
    await this.session.query("select pg_advisory_lock($1)", [lock]);
  }

  async release(lock: number): Promise<void> {
    await this.session.query("select pg_advisory_unlock($1)", [lock]);
  }

  /** Lets waiting statements pass, and takes the lock behind them. */
  async letPass(lock: number): Promise<void> {
    await this.release(lock);
    await this.take(lock);
  }

  /** Resolves when a statement waits for the lock. */
  async hasWaiting(lock: number): Promise<void> {
    const text = "select from pg_locks where locktype = 'advisory' and objid = $1 and not granted";
    await expect.poll(async () => (await this.session.query(text, [lock])).rowCount).toBe(1);
  }
}

/** Makes the database treat the amounts, and takes both locks. */
async function openLocks(url: string): Promise<Locks> {
  await postgres.query(url, TRIGGERS);
  const locks = await Locks.open(url);
  for (const lock of [BEFORE_REFUSAL, BEFORE_COMMIT]) await locks.take(lock);
  return locks;
}

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
  const locks = await openLocks(url);
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
  for (const status of await statusesOf(batch.calls)) expect(status).toBeGreaterThanOrEqual(500);
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
  const locks = await openLocks(url);
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
  expect([ofDefault, refused.filter((status) => status < 500)]).toEqual(["1000.00", []]);
  expect(centsOf(ofSlow!)).toBeGreaterThanOrEqual(acknowledgedCents);
  expect(centsOf(ofSlow!)).toBeLessThanOrEqual(sentCents);
});
