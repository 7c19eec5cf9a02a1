import { join } from "node:path";
import { expect, it } from "vitest";
import { START } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import type { Client } from "../support/receiver-client.js";
import { type Received, Receiver } from "../support/receiver-server.js";
import { startServer } from "../support/started.js";
import { type Json, THREE } from "./support/shop.js";

const CHARGES = 200;

/** Starts the command on the data folder. */
const serve = (data: string, ...args: string[]) => startServer(["--data", data, ...args]);

/** An app under load, which is slow and sometimes fails. */
function strained(): (received: Received) => void {
  let count = 0;
  return (received) => {
    const turn = count++;
    setTimeout(
      () => {
        if (turn % 7 === 3) received.answer(500);
        else if (turn % 31 === 5) received.response.destroy();
        else received.answer();
      },
      (turn % 5) * 2,
    );
  };
}

async function makeCharges(client: Client): Promise<string[]> {
  const charges: string[] = [];
  const quote = (await client.quote()).json.quote_id;
  for (let made = 0; made < CHARGES; made += 20)
    charges.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, async () => (await client.checkout(quote)).json.charge_id as string),
      )),
    );
  return charges;
}

async function everything(client: Client, what: "events" | "deliveries", query = ""): Promise<Json[]> {
  const all: Json[] = [];
  for (;;) {
    const { json } = await client.ask(`GET /_sandbox/${what}?limit=100&offset=${all.length}${query}`);
    all.push(...json.items);
    if (all.length >= json.total || json.items.length === 0) return all;
  }
}

/** Checks that each event arrived and is marked as delivered. */
async function expectAllDelivered(client: Client, receiver: Receiver, charges: string[]): Promise<void> {
  const events = await everything(client, "events");
  expect(events).toHaveLength(3 * charges.length);
  const arrived = new Set(receiver.received.map((one) => String(one.headers["webhook-id"])));
  expect(events.filter((event) => !arrived.has(event.event_id))).toEqual([]);
  const types = new Map<string, Set<string>>();
  for (const { event } of receiver.received) {
    const about = event.data.charge_id;
    types.set(about, (types.get(about) ?? new Set()).add(event.type));
  }
  for (const charge of charges) expect([...types.get(charge)!].sort()).toEqual([...THREE].sort());
  for (const received of receiver.received) received.verify();
  const deliveries = await everything(client, "deliveries");
  expect(deliveries).toHaveLength(events.length);
  expect(deliveries.filter((one) => one.status !== "delivered")).toEqual([]);
}

it("a restart after kill -9 sends unfinished deliveries and retries", async () => {
  const receiver = await Receiver.open(strained());
  const data = join(temporaryFolder(), "data.json");
  const first = await serve(
    data,
    ...["--clock", "manual", "--start-time", START, "--webhook-url", receiver.url],
  );
  const charges = await makeCharges(first.client);

  // Kills during first attempts, during retries, and after a restart.
  let server = first;
  for (const atCount of [250, 480, 560]) {
    const advancing = server.client.advance({ by: "7s" });
    await receiver.arrived(atCount);
    await Promise.all([expect(advancing).rejects.toThrow(), server.command.stop("SIGKILL")]);
    server = await serve(data);
  }
  const due = (await everything(server.client, "deliveries", "&status=pending")).filter(
    (one) => one.attempts.length > 0,
  );
  expect(due.length).toBeGreaterThan(0);
  expect((await server.client.advance({ by: "7d" })).status).toBe(200);
  await expectAllDelivered(server.client, receiver, charges);
  // The retries that were due at the kill have arrived.
  for (const one of due) {
    const { json } = await server.client.ask(`GET /_sandbox/deliveries/${one.delivery_id}`);
    expect(json.attempts.slice(0, one.attempts.length)).toEqual(one.attempts);
    expect(json.attempts.length).toBeGreaterThan(one.attempts.length);
  }
});
