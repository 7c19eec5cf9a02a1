import { expect } from "vitest";
import { later } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { openShop } from "../support/receiver-client.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
type Json = any;

it("POST /_sandbox/clock/advance reports what happened, with its ids", async ({ client }) => {
  const id = await client.pay({ email: "declined@shop.test" });
  const { json } = await client.ask("POST /_sandbox/clock/advance", { by: "1h" });
  const { counts, first, failures } = json as Json;
  expect(counts).toEqual({ "charge.awaiting_payment": 1, "charge.failed": 1 });
  const about = { object: null, type: null, receiver: null };
  expect(first).toEqual([
    { ...about, at: later(1), kind: "charge.awaiting_payment", id, error: null },
    { ...about, at: later(3), kind: "charge.failed", id, error: "declined" },
  ]);
  expect(failures).toEqual([]);
});

it("an advance counts settlements", async ({ shop: { client, sandbox } }) => {
  await client.pay({ scenario: "instant" });
  const { counts } = await sandbox.advance("1h");
  expect(counts).toEqual({ "charge.completed": 1, settlement: 1 });
});

it("an advance counts attempts of webhooks, and lists the failed ones apart", async () => {
  await using receiver = await Receiver.open(refuseWith(500));
  const { client, sandbox } = await openShop({ webhooks: [receiver.url] });
  const id = await client.pay({ email: "declined@shop.test" });
  const { counts, failures } = await sandbox.advance("3d");
  const { items } = (await client.ask("GET /_sandbox/deliveries?failing=1")).json as Json;
  const attempts = items.flatMap((one: Json) => one.attempts).length;
  expect(counts).toEqual({
    ...{ "charge.awaiting_payment": 1, "charge.failed": 1 },
    "webhook.failed": attempts,
  });
  expect(failures).toHaveLength(Math.min(attempts, 20));
  const { delivery_id } = items.at(-1);
  expect(failures[0]).toEqual({
    ...{ at: later(1), kind: "webhook.failed", id: delivery_id, object: id },
    ...{ type: "charge.awaiting_payment", receiver: expect.stringMatching(/^127\.0\.0\.1:\d+/) },
    error: "500 answer",
  });
});

it("an advance lists the first 20 things of more", async ({ shop: { client, sandbox } }) => {
  for (let made = 0; made < 25; made++) await client.pay();
  const { counts, first } = await sandbox.advance("1s");
  expect(counts).toEqual({ "charge.awaiting_payment": 25 });
  expect(first).toHaveLength(20);
});

it("an advance in which nothing happens counts nothing", async ({ shop: { sandbox } }) => {
  expect(await sandbox.advance("1h")).toMatchObject({ counts: {}, first: [], failures: [] });
});

it("an advance over 10,000 tasks tells how many are done, and how many are due", async () => {
  const { client, sandbox } = await openShop({ rateLimit: "off" });
  const quotes = 3_400;
  for (let made = 0; made < quotes; made += 100)
    await Promise.all(Array.from({ length: 100 }, () => client.pay()));
  const advance = sandbox.advance("10s");
  let isOver = false;
  void advance.finally(() => (isOver = true));
  const seen: { done: number; due: number }[] = [];
  const turns: ((typeof seen)[number] | undefined)[] = [];
  while (!isOver) {
    await new Promise(setImmediate);
    const { progress } = await sandbox.run("getClock");
    turns.push(progress);
    if (progress !== undefined) seen.push(progress);
  }
  const { fired_total } = await advance;
  expect(fired_total).toBeGreaterThan(10_000);
  expect(seen.filter(({ done, due }) => done > due || due > fired_total)).toEqual([]);
  expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).sort((a, b) => a - b));
  expect(seen.some(({ done, due }) => done > 0 && done < due)).toBe(true);
  // After the last task the report takes no further turn of the event loop than those of the reads here.
  const last = turns.findLastIndex((progress) => progress !== undefined && progress.done < fired_total);
  expect(turns.length - 1 - last).toBeLessThan(3);
  expect((await sandbox.run("getClock")).progress).toBeUndefined();
});
