import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSandbox } from "../../src/library/index.js";
import { START } from "../support/api-client.js";
import { dataFile } from "../support/kept.js";
import { run } from "../support/process-command.js";
import { Client } from "../support/receiver-client.js";
import { accept, hold, Receiver } from "../support/receiver-server.js";
import { startServer } from "../support/started.js";

const THREE = ["charge.awaiting_payment", "charge.processing", "charge.completed"];

/** Starts a server on the data file. */
const serve = (data: string, ...args: string[]) => startServer(["--data", data, ...args]);

const MANUAL = ["--clock", "manual", "--start-time", START, "--seed", "spring"];

it.each([[[]], [["--fsync"]]])("kill -9 during writes loses no acknowledged write (%j)", async (options) => {
  const receiver = await Receiver.open();
  const data = dataFile();
  const before = await serve(data, ...MANUAL, ...options, "--webhook-url", receiver.url);
  const answered = new Map<string, string>();
  let quoteInHand = "";
  // Eight clients write until the server is killed.
  const shops = Array.from({ length: 8 }, async () => {
    for (;;) {
      const quote = await before.client.quote();
      const checkout = await before.client.checkout(quote.json.quote_id);
      const charge = checkout.json.charge_id;
      answered.set(charge, (await before.client.charge(charge)).text);
      if (answered.size >= 60) before.command.signal("SIGKILL");
      quoteInHand = (await before.client.quote()).json.quote_id;
    }
  });
  // A client ends with the first call that cannot connect.
  const ends = await Promise.allSettled(shops);
  expect(ends.map(({ status }) => status)).toEqual(Array(8).fill("rejected"));
  expect(await before.command.ended).toMatchObject({ code: null, signal: "SIGKILL" });
  expect(answered.size).toBeGreaterThanOrEqual(60);

  const after = await serve(data);
  expect(after.ready.seed).toBe("spring");
  expect((await after.client.clock()).json).toMatchObject({ mode: "manual", now: START });
  for (const [charge, text] of answered) expect((await after.client.charge(charge)).text).toBe(text);
  const extra = (await after.client.checkout(quoteInHand)).json.charge_id;
  expect(extra).toMatch(/^ch_/);

  // Every charge completes, with one event for each status.
  expect((await after.client.advance({ by: "10s" })).status).toBe(200);
  const { total } = (await after.client.ask("GET /api/v1/payments/payins")).json;
  expect(total).toBeGreaterThan(answered.size);
  for (const charge of [...answered.keys(), extra]) {
    expect((await after.client.charge(charge)).json.status).toBe("COMPLETED");
    expect(receiver.about(charge).map(({ event }) => event.type)).toEqual(THREE);
  }
  expect(receiver.received).toHaveLength(3 * total);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(3 * total);
  for (const received of receiver.received) received.verify();
});

it("kill -9 during a delivery leads to another attempt", async () => {
  const receiver = await Receiver.open(hold);
  const data = dataFile();
  const before = await serve(data, ...MANUAL, "--webhook-url", receiver.url);
  const charge = await before.client.pay({ scenario: "instant" });
  const first = await receiver.arrived(1);
  await before.command.stop("SIGKILL");

  const after = await serve(data);
  const second = await receiver.arrived(2);
  expect(second.body).toBe(first.body);
  expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
  second.verify();
  expect(second.dataText).toBe((await after.client.charge(charge)).text);
  second.answer();
  await after.client.advance({ until: "idle" });
  expect(receiver.received).toHaveLength(2);
});

it("kill -9 during an advance keeps the time it had reached", async () => {
  const receiver = await Receiver.open(hold);
  const data = dataFile();
  const before = await serve(data, ...MANUAL, "--webhook-url", receiver.url);
  const charge = await before.client.pay();
  const advancing = before.client.advance({ by: "1h" });
  await receiver.arrived(1);
  await Promise.all([expect(advancing).rejects.toThrow(), before.command.stop("SIGKILL")]);

  receiver.handler = accept;
  const after = await serve(data);
  expect((await after.client.clock()).json.now).toBe("2026-01-31T09:00:01.000Z");
  await after.client.advance({ by: "1h" });
  expect(receiver.types).toEqual(["charge.awaiting_payment", ...THREE]);
  const { json } = await after.client.charge(charge);
  expect(json.status_history.map(({ at }: { at: string }) => Date.parse(at) - Date.parse(START))).toEqual([
    0, 1000, 3000, 5000,
  ]);
});

it("kill -9 between two retries keeps the time of the next attempt", async () => {
  const receiver = await Receiver.open((received) => received.answer(500));
  const data = dataFile();
  const before = await serve(data, ...MANUAL, "--webhook-url", receiver.url);
  await before.client.pay({ scenario: "instant" });
  await before.client.advance({ by: "4999ms" });
  expect(receiver.received).toHaveLength(1);
  await before.command.stop("SIGKILL");
  const after = await serve(data);
  expect((await after.client.clock()).json.next_due).toBe("2026-01-31T09:00:05.000Z");
  receiver.handler = accept;
  await after.client.advance({ by: "1ms" });
  expect(receiver.received).toHaveLength(2);
});

it("a clean shutdown leaves one readable file", async () => {
  const data = dataFile();
  const before = await serve(data, ...MANUAL);
  const charge = await before.client.pay();
  await before.client.advance({ by: "2s" });
  const texts = [
    (await before.client.charge(charge)).text,
    (await before.client.ask("GET /api/v1/payments/payins")).text,
    (await before.client.ask("GET /api/v1/accounts/balances")).text,
  ];
  expect((await before.command.stop()).code).toBe(0);
  expect(readFileSync(data, "utf8")).toContain(charge);
  expect(() => JSON.parse(readFileSync(data, "utf8"))).not.toThrow();
  expect(readFileSync(`${data}.journal`, "utf8")).toMatch(/^\S+ \d+ \{"journal_of":"default",[^\n]*\}\n$/);
  expect(readdirSync(join(data, "..")).sort()).toEqual(["d.json", "d.json.journal"]);

  // The original options are accepted again.
  const after = await serve(data, ...MANUAL);
  expect((await after.client.clock()).json.now).toBe("2026-01-31T09:00:02.000Z");
  expect([
    (await after.client.charge(charge)).text,
    (await after.client.ask("GET /api/v1/payments/payins")).text,
    (await after.client.ask("GET /api/v1/accounts/balances")).text,
  ]).toEqual(texts);
  // New ids continue the sequence.
  expect(await after.client.pay()).not.toBe(charge);
});

it("restarts do not deliver a webhook twice", async () => {
  const receiver = await Receiver.open();
  const data = dataFile();
  for (let round = 0; round < 3; round++) {
    const { command } = await serve(data, ...MANUAL, "--webhook-url", receiver.url);
    await command.stop();
  }
  const { client } = await serve(data, "--webhook-url", receiver.url);
  await client.pay();
  await client.advance({ by: "10s" });
  expect(receiver.types).toEqual(THREE);
});

it("reset after a restart uses the original seed and start time", async () => {
  const data = dataFile();
  const first = await createSandbox({ data, clock: "manual", startTime: START, seed: "spring" });
  const charge = await Client.of(first).pay();
  await first.close();
  const second = await createSandbox({ data });
  await second.reset({ ids: "repeat" });
  expect(await Client.of(second).pay()).toBe(charge);
  await second.close();
  // The options of the first start are still accepted.
  const third = await createSandbox({ data, startTime: START, seed: "spring" });
  expect(third.seed).toBe("spring");
  await third.close();
});

async function refusal(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(["start", "--json", "-p", "0", ...args]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^payments-sandbox: .+\n$/);
  expect(stderr).toBe(`payments-sandbox: ${JSON.parse(stdout).error.message}\n`);
  return stderr;
}

it("start refuses another seed or start time than the data's", async () => {
  const data = dataFile();
  const before = await serve(data, ...MANUAL);
  const charge = await before.client.pay();
  await before.command.stop();
  expect(await refusal("--data", data, "--seed", "autumn")).toContain(
    '--seed autumn contradicts the data, whose seed is "spring"',
  );
  expect(await refusal("--data", data, "--start-time", "2026-02-01T00:00:00Z")).toContain(
    `--start-time contradicts the data, which starts at ${START}`,
  );
  const after = await serve(data, ...MANUAL);
  expect((await after.client.charge(charge)).status).toBe(200);
});

it("start refuses a file that another process has open", async () => {
  const data = dataFile();
  const first = await serve(data, ...MANUAL);
  expect(await refusal("--data", data)).toContain(`d.json is in use by process ${first.command.pid}`);
  const charge = await first.client.pay();
  await first.command.stop();
  const after = await serve(data);
  expect((await after.client.charge(charge)).status).toBe(200);
});
