import { expect } from "vitest";
import { openSandbox, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Client } from "../support/receiver-client.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";

interface Happening {
  kind: string;
  at: string;
  [field: string]: unknown;
}

it("a timeline lists requests, transitions, events and responses in order", async () => {
  await using receiver = await Receiver.open();
  const sandbox = await openSandbox({ webhooks: [receiver.url] });
  const client = Client.of(sandbox);
  const id = await client.pay();
  await client.pay();
  await sandbox.advance("10s");
  await client.ask(`GET /api/v1/payments/charges/${id}`);
  const { json } = await client.ask(`GET /_sandbox/charges/${id}/timeline`);
  expect(json).toMatchObject({ charge_id: id, status: "COMPLETED", total: json.items.length });
  const items = json.items as Happening[];
  expect(items.map((one) => one.at)).toEqual(items.map((one) => one.at).sort());
  const story = items.map((one) => `${one.kind} ${one.operation ?? one.status ?? one.posting ?? one.type}`);
  expect(story.slice(0, 2)).toEqual(["request createWhitelabel", "transition PENDING"]);
  expect(items.filter((one) => one.kind === "transition").map((one) => one.status)).toEqual([
    "PENDING",
    "AWAITING_PAYMENT",
    "PROCESSING",
    "COMPLETED",
  ]);
  expect(items.filter((one) => one.kind === "event").map((one) => one.type)).toEqual([
    "charge.awaiting_payment",
    "charge.processing",
    "charge.completed",
  ]);
  const completed = items.slice(items.findIndex((one) => one.status === "COMPLETED"));
  expect(completed.map((one) => one.kind)).toEqual([
    "transition",
    "ledger",
    "ledger",
    "event",
    "attempt",
    "request",
  ]);
  expect(items.filter((one) => one.kind === "attempt")).toEqual(
    receiver.about(id).map((received) =>
      expect.objectContaining({
        kind: "attempt",
        event_id: received.event.id,
        type: received.event.type,
        status: 200,
        response_body: "answer",
      }),
    ),
  );
  expect(items[0]).toMatchObject({
    at: START,
    method: "POST",
    path: "/api/v1/payments/whitelabel",
    status: 200,
  });
});

it("at one instant, entries and events stand after their own status, and before the next", async () => {
  const sandbox = await openSandbox({ clock: "manual" });
  const client = Client.of(sandbox);
  const id = await client.pay();
  for (const to of ["EXPIRED", "COMPLETED"])
    await client.ask(`POST /_sandbox/charges/${id}/transition`, { to });
  await sandbox.advance("1d");
  for (const amount of ["1.00", "2.00"])
    await client.ask(`POST /_sandbox/charges/${id}/partial-refund`, { amount });
  const { json } = await client.ask(`GET /_sandbox/charges/${id}/timeline`);
  const story = (json.items as Happening[]).map(({ status, posting, type }) => status ?? posting ?? type);
  expect(story).toEqual([
    200,
    "PENDING",
    "EXPIRED",
    "charge.expired",
    "COMPLETED",
    "payment",
    "settlement",
    "charge.completed",
    "partial_refund",
    "sandbox.charge.partially_refunded",
    "partial_refund",
    "sandbox.charge.partially_refunded",
  ]);
});

it("a timeline lists each attempt at a failing receiver", async () => {
  await using receiver = await Receiver.open(refuseWith(503));
  const sandbox = await openSandbox({ webhooks: [receiver.url] });
  const client = Client.of(sandbox);
  const id = await client.pay({ scenario: "declined" });
  await sandbox.advance("10s");
  const attempts = async () =>
    (await client.ask(`GET /_sandbox/charges/${id}/timeline`)).json.items.filter(
      (one: Happening) => one.kind === "attempt",
    );
  const before = await attempts();
  expect(before.every((one: { status: number }) => one.status === 503)).toBe(true);
  expect(before.length).toBe(receiver.received.length);
  const { json } = await client.ask("GET /_sandbox/deliveries?limit=1");
  await client.ask(`POST /_sandbox/deliveries/${json.items[0].delivery_id}/redeliver`, {});
  await sandbox.advance("1ms");
  expect((await attempts()).length).toBe(before.length + 1);
});
