import { expect, it } from "vitest";
import { createSandbox } from "../../src/library/index.js";
import { START } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { type Handler, Receiver } from "../support/receiver-server.js";
import { SECOND, shopFor, since } from "../webhooks/support/shop.js";

/** Pays again on each webhook of a paid charge. */
function callingBack(
  client: () => Client,
  order: "before" | "after",
  times = Number.POSITIVE_INFINITY,
): Handler {
  let made = 0;
  return async (received) => {
    const { type } = received.event;
    if (order === "after") received.answer();
    if (type === "charge.completed" && made++ < times) await client().pay();
    if (order === "before") received.answer();
  };
}

/** Redelivers each event, which is cheaper than a new payment. */
function sendingAgain(client: () => Client, times = Number.POSITIVE_INFINITY): Handler {
  let made = 0;
  return async (received) => {
    const { charge_id } = received.event.data;
    const event = { type: "charge.completed", charge_id };
    if (made++ < times) await client().ask("POST /_sandbox/events", event);
    received.answer();
  };
}

async function shopWith(handlerFor: (client: () => Client) => Handler) {
  const receiver = await Receiver.open();
  const shop = await shopFor([{ url: receiver.url, events: ["charge.completed"] }]);
  receiver.handler = handlerFor(() => shop.client);
  return { ...shop, receiver };
}

it("advance stops with an error when each payment causes another", async () => {
  const { client, receiver } = await shopWith((client) => callingBack(client, "before"));
  await client.pay();
  const answer = await client.advance({ until: "idle" });
  expect(answer.status).toBe(400);
  expect(answer.json.error.code).toBe("VALIDATION_ERROR");
  expect(answer.json.error.message).toMatch(
    /^It never comes to rest: by \S+Z webhooks have led to calls, and those to webhooks, 1000 times in a row\. Advance by a duration/,
  );
  // The clock stops where the advance ended, and can continue.
  const now = since((await client.clock()).json.now);
  expect(now).toBe(5 * 1_001 * SECOND);
  const more = await client.advance({ by: "50s" });
  expect(more.status).toBe(200);
  expect(more.json.fired_total).toBeGreaterThan(30);
  receiver.handler = (received) => received.answer();
  expect((await client.advance({ until: "idle" })).status).toBe(200);
});

it("advance stops with an error when the receiver responds and then pays, in the same tick", async () => {
  const { client } = await shopWith((client) => callingBack(client, "after"));
  // This charge always has a scheduled entry.
  await client.pay({ scenario: "slow" });
  await client.pay();
  const answer = await client.advance({ until: "idle" });
  expect(answer.status).toBe(400);
  expect(answer.json.error.message).toMatch(/^It never comes to rest/);
});

it("advance() rejects when one event is redelivered forever at the same instant", async () => {
  const receiver = await Receiver.open();
  await using sandbox = await createSandbox({
    clock: "manual",
    startTime: START,
    webhooks: [{ url: receiver.url, events: ["charge.completed"] }],
  });
  receiver.handler = sendingAgain(() => shop);
  const shop = Client.of(sandbox);
  await shop.pay();
  await expect(sandbox.advance("idle")).rejects.toThrow(/^It never comes to rest/);
});

it("advance completes a long chain of payments", async () => {
  const { client, receiver } = await shopWith((client) => callingBack(client, "before", 300));
  await client.pay();
  const { status, json } = await client.advance({ until: "idle" });
  expect([status, since(json.to)]).toEqual([200, 5 * 301 * SECOND]);
  expect(receiver.received).toHaveLength(301);
});

it("advance completes many payments that each trigger another", async () => {
  const { client, receiver } = await shopWith((client) => callingBack(client, "before", 1_100));
  for (let count = 0; count < 1_100; count++) {
    await client.pay();
    await client.advance({ by: "4ms" });
  }
  const { status } = await client.advance({ until: "idle" });
  expect(status).toBe(200);
  expect(receiver.received).toHaveLength(2_200);
});
