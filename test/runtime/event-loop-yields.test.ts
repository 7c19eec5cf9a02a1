import { channel } from "node:diagnostics_channel";
import { setImmediate } from "node:timers";
import { expect, it } from "vitest";
import type { Change } from "../../src/core/engine/records.js";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";
import type { Sandbox } from "../../src/library/index.js";
import { Api, KES_ORDER, openSandbox } from "../support/api-client.js";
import { closedAtEnd } from "../support/lifetime.js";
import { accept, hold, Receiver } from "../support/receiver-server.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";

const commits = channel("payments-sandbox:commit");

/** Returns the changes of the work, by the turns of the event loop in which they were made. */
async function changesByTurn(work: () => Promise<unknown>): Promise<Change[][]> {
  const turns: Change[][] = [[]];
  const note = (change: unknown) => void turns.at(-1)!.push(change as Change);
  let hasEnded = false;
  const turn = () => {
    turns.push([]);
    if (!hasEnded) setImmediate(turn);
  };
  commits.subscribe(note);
  setImmediate(turn);
  try {
    await work();
  } finally {
    hasEnded = true;
    commits.unsubscribe(note);
  }
  return turns;
}

/** Creates checkouts that nobody pays. */
async function orderTimes(sandbox: Sandbox, count: number): Promise<void> {
  const api = new Api(sandbox);
  for (let n = 0; n < count; n++)
    await api.post("/api/v1/payments/checkouts", { pricing: KES_ORDER.pricing });
}

const writtenIn = (turn: readonly Change[]): number => turn.reduce((sum, { puts }) => sum + puts.length, 0);
it("a call on a running clock lets other calls run between the tasks that are due before it", async () => {
  const wall = new FakeWall(Date.UTC(2026, 0, 31, 9));
  const { client } = await worldOn(wall, { clockText: "real" });
  const charges: string[] = [];
  for (let n = 0; n < 1_000; n++) charges.push(await client.pay());
  // Moves the time without running the timers.
  wall.step(2 * 3_600_000);
  let status = "";
  const turns = await changesByTurn(async () => {
    ({ status } = (await client.charge(charges.at(-1)!)).json);
  });
  expect(status).toMatch(/COMPLETED|EXPIRED/);
  expect(writtenIn(turns.flat())).toBeGreaterThan(3_000);
  expect(Math.max(...turns.map(writtenIn))).toBeLessThan(1_600);
});

it("an advance lets other calls run between events to 500 endpoints", async () => {
  const webhooks = Array.from({ length: 500 }, (_, index) => ({ mailbox: `box${index}` }));
  const sandbox = await openSandbox({ clock: "manual", webhooks });
  await orderTimes(sandbox, 4);
  const turns = await changesByTurn(() => sandbox.advance("2h"));
  expect(writtenIn(turns.flat())).toBeGreaterThan(6_000);
  expect(Math.max(...turns.map(writtenIn))).toBeLessThan(1_600);
});

it("the response to a webhook lets other calls run between the tasks that are due on a running clock", async () => {
  const receiver = closedAtEnd(await Receiver.open(hold));
  const wall = new FakeWall(Date.UTC(2026, 0, 31, 9));
  const webhooks = [{ url: receiver.url, events: ["charge.awaiting_payment"] }];
  const { world, client } = await worldOn(wall, { clockText: "real", webhooks });
  const charges: string[] = [];
  for (let n = 0; n < 1_000; n++) charges.push(await client.pay());
  await client.transition(charges[0]!, "AWAITING_PAYMENT");
  const sent = await receiver.arrived(1);
  receiver.handler = accept;
  wall.step(2 * 3_600_000);
  const turns = await changesByTurn(async () => {
    sent.answer();
    const [first] = world.engine.state.tables.deliveries.keys();
    const isPending = () => world.engine.state.tables.deliveries.get(first!)?.status === "pending";
    while (isPending()) await yieldToEventLoop();
  });
  expect(writtenIn(turns.flat())).toBeGreaterThan(3_000);
  // At most a batch for the response, and one for the tick that was planned already.
  expect(Math.max(...turns.map(writtenIn))).toBeLessThan(2 * 1_600);
});
