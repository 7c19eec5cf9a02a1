import { expect, it } from "vitest";
import { Barriers } from "../../src/core/delivery/barriers.js";
import { createSandbox } from "../../src/library/index.js";
import { Client } from "../support/receiver-client.js";
import { accept, hold, type Received } from "../support/receiver-server.js";
import { FakeWall } from "../support/receiver-world.js";
import { deliveries, eventually, shopAndReceiver, shopFor, useRules } from "./support/shop.js";

/** Starts a shop with one webhook rule and returns the received events. */
async function shopWith(rule: object, handler: (received: Received) => void = accept) {
  const { receiver, ...shop } = await shopAndReceiver(handler);
  await useRules(shop.client, [{ match: { type: "charge.completed" }, ...rule }]);
  const completed = () => receiver.received.filter(({ event }) => event.type === "charge.completed");
  const sent = () => deliveries(shop.client, "&type=charge.completed");
  return { ...shop, completed, sent };
}

const idOf = ({ headers }: Received): string => String(headers["webhook-id"]);

it("concurrent copies are sent on separate connections before the first response", async () => {
  const here: Received[] = [];
  const ports = new Set<unknown>();
  // Copies sent in sequence would never finish: the receiver waits for all.
  const { completed, sent, sell } = await shopWith({ copies: 12, at_once: true }, (received) => {
    if (received.event.type !== "charge.completed") return received.answer();
    here.push(received);
    ports.add(received.response.socket?.remotePort);
    if (here.length === 12) for (const one of here) one.answer();
  });
  await sell("10s");
  expect(completed()).toHaveLength(12);
  expect(ports.size).toBe(12);
  expect(new Set(completed().map(idOf)).size).toBe(1);
  expect((await sent()).map((one) => [one.status, one.mishap.at_once])).toEqual(
    Array(12).fill(["delivered", 12]),
  );
});

it("concurrent copies keep the order of a charge's events", async () => {
  const { receiver, sandbox, client } = await shopAndReceiver(hold);
  await useRules(client, [{ match: { type: "charge.processing" }, copies: 2, at_once: true }]);
  const charge = await client.pay();
  for (const status of ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"])
    await client.transition(charge, status);
  const waiting = () =>
    sandbox
      .snapshot()
      .collections.deliveries.filter(([, { status, task }]) => status === "pending" && task === null);
  const first = await receiver.arrived(1);
  expect(waiting()).toHaveLength(3);
  first.answer();
  const copies = [await receiver.arrived(2), await receiver.arrived(3)];
  expect(copies.map(({ event }) => event.type)).toEqual(["charge.processing", "charge.processing"]);
  copies[0]!.answer();
  await eventually(async () => (await deliveries(client))[1].status === "delivered");
  expect(waiting()).toHaveLength(1);
  copies[1]!.answer();
  expect((await receiver.arrived(4)).event.type).toBe("charge.completed");
});

it("concurrent copies go together before an event that is swapped with theirs", async () => {
  const types: string[] = [];
  await using sandbox = await createSandbox({ clock: "manual" });
  sandbox.onWebhook(async (request) => void types.push(((await request.json()) as { type: string }).type));
  const client = Client.of(sandbox);
  await useRules(client, [
    { match: { type: "charge.processing" }, swap: true },
    { match: { type: "charge.completed" }, copies: 2, at_once: true },
  ]);
  await client.pay();
  await sandbox.advance("10s");
  const [completed, processing] = ["charge.completed", "charge.processing"];
  expect(types).toEqual(["charge.awaiting_payment", completed, completed, processing]);
});

it("an in-process receiver gets all concurrent copies of an event before it returns from the first", async () => {
  let [inside, most] = [0, 0];
  await using sandbox = await createSandbox({ clock: "manual" });
  sandbox.onWebhook(async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  });
  const client = Client.of(sandbox);
  await useRules(client, [{ copies: 2, at_once: true }]);
  await client.pay();
  await sandbox.advance("10s");
  expect(most).toBe(2);
});

it("concurrent copies do not wait for a copy that does not arrive", async () => {
  const wall = new FakeWall(0);
  const meetings = new Barriers(wall);
  const gone: string[] = [];
  const arrive = async (name: string, size: number) => {
    await meetings.join(name, size).arrive();
    gone.push(name);
  };
  const [alone, missed] = [arrive("alone", 2), arrive("missed", 2)];
  meetings.join("missed", 2).leave();
  await missed;
  expect(gone).toEqual(["missed"]);
  wall.elapse(5_000);
  await alone;
  expect(gone).toEqual(["missed", "alone"]);
});

it("`ids: new` sends signed copies with new ids", async () => {
  const { completed, sent, sell } = await shopWith({ copies: 3, ids: "new" });
  await sell("10s");
  const bodies = completed().map(({ body, event }) => {
    expect(body.split(event.id)).toHaveLength(2);
    return body.replace(event.id, "");
  });
  for (const one of completed()) {
    one.verify();
    expect(one.event.id).toBe(idOf(one));
  }
  expect(new Set(bodies).size).toBe(1);
  expect(new Set(completed().map(idOf)).size).toBe(3);
  const [own, ...copies] = await sent();
  expect(own.mishap).toBeNull();
  expect(copies.map((one) => one.mishap.copy_id)).toEqual(completed().slice(1).map(idOf));
});

it("`again_after` sends the event again under the same id", async () => {
  const { sandbox, completed, sent, sell } = await shopWith({ again_after: "3d" });
  await sell("2d");
  expect(completed()).toHaveLength(1);
  await sandbox.advance("2d");
  expect(completed()).toHaveLength(2);
  expect(completed()[1]!.body).toBe(completed()[0]!.body);
  const [first, again] = await sent();
  expect(Date.parse(again.attempts[0].at) - Date.parse(first.attempts[0].at)).toBe(3 * 24 * 3_600_000);
});

it("`response_lost` retries a successful attempt", async () => {
  const { completed, sent, sell } = await shopWith({ response_lost: true });
  await sell("10s");
  const [sent1] = await sent();
  expect(sent1).toMatchObject({ status: "delivered", mishap: { response_lost: true } });
  expect(sent1.attempts.map((one: { status: number; error: string }) => [one.status, one.error])).toEqual([
    [null, "the response was lost on the way back, by scenario mishaps"],
    [200, null],
  ]);
  expect(completed()).toHaveLength(2);
  expect(idOf(completed()[1]!)).toBe(idOf(completed()[0]!));
});

it("`response_lost` also applies to a delivery from a mailbox", async () => {
  const { sandbox, client } = await shopFor([{ mailbox: "m" }]);
  await useRules(client, [{ response_lost: true }]);
  await client.pay({ scenario: "instant" });
  await sandbox.settled();
  const take = async () => (await client.ask("POST /_sandbox/mailboxes/m/take", {})).json.items;
  const [{ delivery_id }] = await take();
  const ack = () => client.ask(`POST /_sandbox/mailboxes/m/${delivery_id}/ack`, { status: 200 });
  expect((await ack()).json).toMatchObject({ status: "pending", answered: null });
  await sandbox.advance("10s");
  expect((await take())[0]).toMatchObject({ delivery_id, attempt: 2 });
  expect((await ack()).json).toMatchObject({ status: "delivered", answered: 200 });
});
