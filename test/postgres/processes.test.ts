import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { itOnPostgres, Postgres } from "../support/postgres.js";
import { Command, run } from "../support/process-command.js";
import { Receiver } from "../support/receiver-server.js";
import { refusal, type Started, startServer } from "../support/started.js";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.start();
});
afterAll(() => postgres.end());

const health = async ({ url }: Started) => (await fetch(`${url}/health`)).json();

/** Reads a stream until it contains all texts. */
async function readUntil({ body }: Response, ...texts: string[]): Promise<string> {
  const decoder = new TextDecoder();
  let all = "";
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    all += decoder.decode(chunk, { stream: true });
    if (texts.every((text) => all.includes(text))) break;
  }
  return all;
}

itOnPostgres("serves every namespace in any process, pages and lists too", async () => {
  const data = ["--data", postgres.url("lease=60s")];
  const [one, two] = [await startServer(data), await startServer([...data, "--auto-namespaces"])];
  expect(two.ready.seed).toBe(one.ready.seed);
  const charge = await two.client.pay();
  expect((await one.client.charge(charge)).json.status).toBe("PENDING");

  const made = await two.client.ask("POST /_sandbox/namespaces", { name: "w1", api_key: "sk_test_own_key" });
  expect(made.status, made.text).toBe(200);
  expect((await one.client.ask("PUT /_sandbox/namespaces/w1", {})).json.api_key).toBe("sk_test_own_key");
  expect((await one.client.ask("POST /_sandbox/namespaces", { name: "w1" })).status).toBe(409);
  await two.client.ask("POST /_sandbox/namespaces", { name: "w3", api_key: "sk_test_ns_w4" });
  for (const body of [{ name: "w4" }, { api_key: "sk_test_own_key" }])
    expect((await one.client.ask("POST /_sandbox/namespaces", body)).json.error).toMatchObject({
      code: "NAMESPACE_EXISTS",
      message: "The API key belongs to another namespace",
    });
  expect((await two.client.ask("DELETE /_sandbox/namespaces/w3")).status).toBe(200);
  expect([await health(one), await health(two)]).toMatchObject([
    { status: "ok", storage: "ok", owns: 1 },
    { status: "ok", storage: "ok", owns: 1 },
  ]);
  const own = await one.client.pay({ key: "sk_test_own_key" });
  expect((await one.client.in("w1").charge(own, "sk_test_own_key")).json.charge_id).toBe(own);
  const auto = await two.client.pay({ key: "sk_test_ns_w2" });
  expect((await one.client.charge(auto, "sk_test_ns_w2")).json.charge_id).toBe(auto);
  for (const { client } of [one, two]) {
    const { total, items } = (await client.get("/_sandbox/namespaces")).json;
    expect([total, items.map(({ name, charges }: never) => [name, charges])]).toEqual([
      3,
      [
        ["w2", 1],
        ["w1", 1],
        ["default", 1],
      ],
    ]);
  }
  const { checkout_id } = (await two.client.charge(charge)).json;
  for (const { url } of [one, two]) expect((await fetch(`${url}/checkout/${checkout_id}`)).status).toBe(200);
  expect((await two.client.get("/checkout/co_000000000000000000000000/status")).status).toBe(404);
  expect((await two.client.ask("DELETE /_sandbox/namespaces/w1")).status).toBe(200);
  expect((await one.client.get("/_sandbox/namespaces/w1")).status).toBe(404);
});

itOnPostgres("forwards a call without the headers of its connection", async () => {
  const data = ["--data", postgres.url("lease=60s")];
  const [, two] = [await startServer(data), await startServer(data)];
  for (const headers of [
    { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "" },
    { expect: "100-continue" },
  ]) {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = request(`${two.url}/_sandbox/webhook-endpoints`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
      });
      call.once("response", resolve).once("error", reject).end('{"mailbox":"post"}');
    });
    expect([headers, answer.resume().statusCode]).toEqual([headers, 200]);
  }
});

itOnPostgres.each(["SIGTERM", "SIGHUP"] as const)(
  "hands its namespaces over at %s: another process continues at once",
  async (signal) => {
    const receiver = await Receiver.open();
    const data = ["--data", postgres.url("lease=60s"), "--webhook-url", receiver.url];
    const [one, two] = [await startServer(data), await startServer(data)];
    const charge = await one.client.pay();
    expect((await one.command.stop(signal)).code).toBe(0);
    expect((await two.client.charge(charge)).json.charge_id).toBe(charge);
    expect((await health(two)).owns).toBe(1);
    await receiver.arrived(3);
    expect(receiver.about(charge).map(({ event }) => event.data.status)).toEqual([
      "AWAITING_PAYMENT",
      "PROCESSING",
      "COMPLETED",
    ]);
  },
);

itOnPostgres("continues clock, webhooks and streams after a crash, from the last commit", async () => {
  const receiver = await Receiver.open();
  const data = ["--data", postgres.url("lease=1s"), "--clock", "manual", "--webhook-url", receiver.url];
  const [one, two] = [await startServer(data), await startServer(data)];
  const charge = await two.client.pay();
  const { to } = (await two.client.ask("POST /_sandbox/clock/advance", { by: "1s" })).json;
  // This process forwards the stream to the one that is killed.
  const stream = await fetch(`${two.url}/_sandbox/stream`);
  const isOver = readUntil(stream, "never").then(
    () => true,
    () => true,
  );
  await one.command.stop("SIGKILL");
  expect(await isOver).toBe(true);
  let next: Response;
  await expect
    .poll(async () => {
      next = await fetch(`${two.url}/_sandbox/stream`);
      if (next.status !== 200) await next.body?.cancel();
      return next.status;
    })
    .toBe(200);
  expect((await two.client.get("/_sandbox/clock")).json).toMatchObject({ mode: "manual", now: to });
  const reading = readUntil(next!, '"type":"charge.completed"', '"status":"delivered"');
  expect((await two.client.ask("POST /_sandbox/clock/advance", { by: "1h" })).status).toBe(200);
  expect(await reading).toMatch(/^event: hello\n/);
  await receiver.arrived(3);
  expect(receiver.about(charge).map(({ event }) => event.data.status)).toEqual([
    "AWAITING_PAYMENT",
    "PROCESSING",
    "COMPLETED",
  ]);
});

itOnPostgres(
  "refuses writes while the database is away, continues reads, and recovers by itself",
  async () => {
    const own = await Postgres.start();
    try {
      const { client, ...server } = await startServer(["--data", own.url("lease=60s"), "--clock", "manual"]);
      const charge = await client.pay();
      const { counts } = (await client.get("/_sandbox")).json;
      await own.stop();
      for (let tries = 0; tries < 2; tries++) {
        const refused = await client.quote();
        expect([refused.status, refused.json.error.code]).toEqual([503, "STORAGE_AWAY"]);
        expect(refused.headers.get("retry-after")).toBe("1");
        const answer = await client.charge(charge);
        expect([answer.status, answer.json.charge_id]).toEqual([200, charge]);
      }
      expect((await client.ask("POST /_sandbox/reset", {})).json.error.code).toBe("STORAGE_AWAY");
      expect((await client.ask("POST /_sandbox/snapshots", { name: "one" })).json.error.code).toBe(
        "STORAGE_AWAY",
      );
      expect((await client.ask("PUT /_sandbox/namespaces/w1", {})).json.error.code).toBe("STORAGE_AWAY");
      expect((await client.get("/_sandbox")).json.counts).toEqual(counts);
      expect(await health({ client, ...server })).toMatchObject({ status: "ok", storage: "away", owns: 1 });
      await own.restart();
      await expect.poll(async () => (await health({ client, ...server })).storage).toBe("ok");
      expect((await client.get("/_sandbox")).json.counts).toEqual(counts);
      expect((await client.quote()).status).toBe(200);
      expect((await client.ask("POST /_sandbox/snapshots", { name: "one" })).status).toBe(200);
    } finally {
      await own.end();
    }
  },
);

itOnPostgres("moves a state between memory, a file and the database by export and import", async () => {
  const folder = temporaryFolder();
  const servers: Started[] = [];
  for (const data of [[], ["--data", join(folder, "d.json")], ["--data", postgres.url("lease=60s")]])
    servers.push(await startServer([...data, "--clock", "manual"]));
  const charge = await servers[0]!.client.pay();
  const file = join(folder, "state.json");
  for (const [index, { url, client }] of servers.entries()) {
    if (index > 0)
      expect((await run(["import", file, "--url", url])).stdout).toContain(`${file} imported into namespace`);
    expect((await client.charge(charge)).json.charge_id).toBe(charge);
    expect((await run(["export", file, "--url", url])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain(charge);
  }
});

itOnPostgres("says in one line that the database cannot be opened", async () => {
  const { code, stderr } = await new Command(["start", "-p", "0", "--data", "postgres://127.0.0.1:1/none"])
    .ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^payments-sandbox: Cannot open the database: .*ECONNREFUSED 127\.0\.0\.1:1\n$/);
});

const refusedStart = async (...args: string[]) => refusal(await run(["start", "-p", "0", ...args]));

itOnPostgres("refuses another seed or start time than the data's, also beside a process", async () => {
  const url = postgres.url("lease=60s");
  const start = "2026-03-01T09:00:00.000Z";
  const options = ["--data", url, "--seed", "spring", "--clock", "manual", "--start-time", start];
  const one = await startServer(options);
  const charge = await one.client.pay();
  for (const processes of [1, 0]) {
    if (processes === 0) await one.command.stop();
    expect(await refusedStart("--data", url, "--seed", "autumn")).toBe(
      '--seed autumn contradicts the data, whose seed is "spring"; leave it out, or use another file or schema',
    );
    expect(await refusedStart("--data", url, "--start-time", "2026-02-01T00:00:00Z")).toBe(
      `--start-time contradicts the data, which starts at ${start}; leave it out, or use another file or schema`,
    );
    expect(await postgres.query(url, "select id from processes")).toHaveLength(processes);
  }
  const two = await startServer(options);
  expect([await health(two), (await two.client.charge(charge)).status]).toMatchObject([{ owns: 1 }, 200]);
});

itOnPostgres.each(["LATIN1", "SQL_ASCII"])("refuses a database that is encoded in %s", async (encoding) => {
  const name = `in_${encoding.toLowerCase()}`;
  const url = postgres.url();
  await postgres.query(url, `create database ${name} encoding '${encoding}' template template0`);
  expect(await refusedStart("--data", url.replace("/postgres?", `/${name}?`))).toBe(
    `--data: the database "${name}" is encoded in ${encoding}, and only UTF8 has every character; create one with: createdb --encoding UTF8 --template template0 NAME`,
  );
});

itOnPostgres("refuses --data that is not a URL in one line", async () => {
  expect(await refusedStart("--data", "postgres://u:secret@[bad/db")).toMatch(
    /^--data: not the URL of a database/,
  );
});

itOnPostgres("refuses a schema of PostgreSQL's own", async () => {
  for (const schema of ["information_schema", "pg_catalog", "pg_mine"]) {
    const url = `postgres://sandbox@127.0.0.1:${postgres.port}/postgres?schema=${schema}`;
    expect(await refusedStart("--data", url)).toBe(
      `--data: the schema ${schema} is PostgreSQL's own; choose another name.`,
    );
  }
});

itOnPostgres("refuses another seed while the first process has not stored its state yet", async () => {
  const url = postgres.url("lease=60s");
  const one = await startServer(["--data", url, "--seed", "spring"]);
  await postgres.query(url, "delete from entries");
  expect(await refusedStart("--data", url, "--seed", "autumn")).toContain('whose seed is "spring"');
  await one.command.stop("SIGKILL");
});

itOnPostgres("takes over a default namespace whose seed an import has changed", async () => {
  const data = ["--data", postgres.url("lease=60s"), "--seed", "spring"];
  const [one, two] = [await startServer(data), await startServer(data)];
  const other = await startServer(["--seed", "autumn"]);
  const charge = await other.client.pay();
  const state = await (await fetch(`${other.url}/_sandbox/state`)).json();
  expect((await one.client.ask("PUT /_sandbox/state", state)).status).toBe(200);
  await one.command.stop();
  expect((await two.client.charge(charge)).json.charge_id).toBe(charge);
  await two.command.stop();
  expect(await refusedStart(...data)).toContain('--seed spring contradicts the data, whose seed is "autumn"');
});

itOnPostgres("says why the default namespace cannot be opened to calls that name no namespace", async () => {
  const url = postgres.url("lease=60s");
  await (await startServer(["--data", url])).command.stop();
  await postgres.query(url, "update entries set body = '{}'");
  const { client } = await startServer(["--data", url]);
  const { status, json } = await client.quote();
  expect([status, json.error.message]).toEqual([
    500,
    expect.stringMatching(/^The namespace "default" could not be opened: .* is not a state of this program/),
  ]);
});

itOnPostgres.each(["prefer", "require", "verify-ca", "verify-full"])(
  "says in one line that the server has no TLS for sslmode=%s",
  async (mode) => {
    expect(await refusedStart("--data", postgres.url(`sslmode=${mode}`))).toMatch(
      /^Cannot open the database: .* The server does not support SSL connections$/,
    );
  },
);

/** Runs `work` while another session locks a table. */
async function whileLocked(url: string, table: string, work: () => Promise<void>): Promise<void> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  try {
    await session.query(`set search_path to ${new URL(url).searchParams.get("schema")}`);
    await session.query("begin");
    await session.query(`lock table ${table} in access exclusive mode`);
    await work();
  } finally {
    await session.end();
  }
}

itOnPostgres("renews its leases while a takeover waits for the database", async () => {
  const url = postgres.url("lease=1s");
  const one = await startServer(["--data", url]);
  const two = await startServer(["--data", url]);
  await two.client.ask("PUT /_sandbox/namespaces/w1", {});
  const charge = await one.client.pay();
  await whileLocked(url, "snapshots", async () => {
    await two.command.stop("SIGKILL");
    const seen = new Set<string>();
    await expect
      .poll(
        async () => {
          const rows = await postgres.query<{ owner: string; expires: Date }>(
            url,
            "select owner, expires::text from namespaces join processes on processes.id = owner where name = 'w1'",
          );
          if (rows.length === 0 || rows[0]!.owner !== (await ownerOf(url, "default"))) return 0;
          seen.add(String(rows[0]!.expires));
          expect((await one.client.charge(charge)).status).toBe(200);
          return seen.size;
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(5);
  });
  await expect.poll(async () => (await one.client.get("/_sandbox/namespaces/w1")).status).toBe(200);
});

async function ownerOf(url: string, name: string): Promise<string | undefined> {
  const rows = await postgres.query<{ owner: string }>(
    url,
    `select owner from namespaces where name = '${name}'`,
  );
  return rows[0]?.owner;
}

itOnPostgres("responds with 503 when the lease has expired and the database does not renew it", async () => {
  const url = postgres.url("lease=6s");
  const one = await startServer(["--data", url, "--clock", "manual"]);
  const charge = await one.client.pay();
  await whileLocked(url, "processes", async () => {
    const isAway = async (): Promise<boolean> => {
      const { status, json, headers } = await one.client.charge(charge);
      // Later reads come from memory.
      expect(headers.get("sandbox-storage")).toBeNull();
      if (status !== 503) return false;
      expect([json.error.code, headers.get("retry-after")]).toEqual(["STORAGE_AWAY", "1"]);
      return true;
    };
    await expect.poll(isAway, { timeout: 20_000 }).toBe(true);
  });
  await expect.poll(async () => (await one.client.charge(charge)).status).toBe(200);
});
