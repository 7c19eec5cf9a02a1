import fc from "fast-check";
import { expect, it } from "vitest";
import { recordAttempt, retryDelivery } from "../../src/core/engine/commands/delivery-commands.js";
import { registerEndpoint } from "../../src/core/engine/commands/endpoint-commands.js";
import { redeliver, triggerEvent } from "../../src/core/engine/commands/event-commands.js";
import type { Engine } from "../../src/core/engine/engine.js";
import type { Delivery } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import { DELIVERED, must, newEngine, START_MS } from "../support/engine.js";

const EVENTS = 5;
const REFUSED = { ...DELIVERED, status: 410 };

/** Creates a log limited to five events, with two mailboxes for `heard.*`. */
function newLog(): Engine {
  const engine = newEngine({ settings: { retention: { ...DEFAULT_SETTINGS.retention, events: EVENTS } } });
  for (const mailbox of ["one", "two"]) listen(engine, mailbox);
  return engine;
}

function listen(engine: Engine, mailbox: string): void {
  const endpoint = { url: null, mailbox, mode: "test", organizationId: null, events: ["heard.*"] } as const;
  engine.execute(registerEndpoint(endpoint), START_MS);
}

function tell(engine: Engine, isHeard: boolean): void {
  const type = isHeard ? "heard.event" : "unheard.event";
  must(engine.execute(triggerEvent({ type, mode: "test", data: {}, force: true }), START_MS));
}

const deliveries = (engine: Engine) => [...engine.state.tables.deliveries.values()];
const isOpen = (delivery: Delivery) => delivery.status === "pending";

/** Records the result of the first attempt. */
function answer(engine: Engine, delivery: Delivery, outcome: typeof DELIVERED): void {
  const task = engine.state.get("tasks", delivery.task!)!;
  engine.execute(recordAttempt(task, outcome), START_MS);
  // A 410 disables the endpoint.
  for (const mailbox of ["one", "two"]) listen(engine, mailbox);
}

const seqs = (engine: Engine) => [...engine.state.tables.events.values()].map(({ seq }) => seq);

it("removes old delivered events, but not the undelivered one between", () => {
  const engine = newLog();
  tell(engine, true);
  for (let n = 0; n < 30; n++) tell(engine, false);
  expect(seqs(engine)).toEqual([1, 27, 28, 29, 30, 31]);
  for (const delivery of deliveries(engine)) answer(engine, delivery, DELIVERED);
  tell(engine, false);
  expect(seqs(engine)).toEqual([28, 29, 30, 31, 32]);
  expect(deliveries(engine)).toEqual([]);
});

it("keeps undelivered events, even above the limit", () => {
  const engine = newLog();
  for (let n = 0; n < 30; n++) tell(engine, true);
  expect(seqs(engine)).toHaveLength(30);
  tell(engine, false);
  expect(seqs(engine)).toContain(31);
  for (const delivery of deliveries(engine)) answer(engine, delivery, DELIVERED);
  for (let n = 0; n < 6; n++) tell(engine, false);
  expect(seqs(engine)).toEqual([33, 34, 35, 36, 37]);
});

const stepArb = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("tell"), isHeard: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constantFrom("deliver", "refuse"), which: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("retry", "redeliver"), which: fc.nat(99) }) },
) as fc.Arbitrary<{ does: string; isHeard: boolean; which: number }>;

it("keeps the newest events and those that are not delivered", () => {
  fc.assert(
    fc.property(fc.array(stepArb, { maxLength: 80 }), (steps) => {
      const engine = newLog();
      let told = 0;
      for (const { does, isHeard, which } of steps) {
        const open = deliveries(engine).filter(isOpen);
        const over = deliveries(engine).filter((delivery) => !isOpen(delivery));
        if (does === "tell") {
          tell(engine, isHeard);
          told++;
        } else if (does === "retry" || does === "redeliver") {
          const delivery = over[which % over.length];
          if (delivery === undefined) continue;
          const again =
            does === "retry" ? retryDelivery(delivery.delivery_id) : redeliver(delivery.delivery_id, 2);
          engine.execute(again as ReturnType<typeof retryDelivery>, START_MS);
        } else if (open.length > 0)
          answer(engine, open[which % open.length]!, does === "deliver" ? DELIVERED : REFUSED);

        const { events } = engine.state.tables;
        const held = deliveries(engine).filter(isOpen);
        for (const { event_id } of held) expect(events.has(event_id)).toBe(true);
        for (let seq = Math.max(1, told - EVENTS + 1); seq <= told; seq++)
          expect(seqs(engine)).toContain(seq);
        for (const { event_id } of deliveries(engine)) expect(events.has(event_id)).toBe(true);
        const closed = [...events.keys()].filter((id) => !held.some(({ event_id }) => event_id === id));
        for (const state of [engine.state, State.from(engine.dump())])
          expect(state.oldestClosedEvents(99).map(({ event_id }) => event_id)).toEqual(closed);
      }
      for (let n = 0; n < 80; n++) tell(engine, false);
      const stillOpen = deliveries(engine)
        .filter(isOpen)
        .map(({ event_id }) => engine.state.get("events", event_id)!.seq);
      const last = told + 80;
      expect(seqs(engine)).toEqual([
        ...[...new Set(stillOpen)].sort((a, b) => a - b),
        ...Array.from({ length: EVENTS }, (_none, index) => last - EVENTS + 1 + index),
      ]);
    }),
    { numRuns: 60 },
  );
});

/** Triggers an event whose data has so many characters. */
function tellLarge(engine: Engine, chars: number, isHeard = false): void {
  const type = isHeard ? "heard.event" : "unheard.event";
  const data = { text: "x".repeat(chars) };
  must(engine.execute(triggerEvent({ type, mode: "test", data, force: true }), START_MS));
}

it("removes delivered events above the log's bytes, however many small ones came before", () => {
  const engine = newEngine({ settings: { retention: { requests: 10, events: 10_000, bytes: 1_000_000 } } });
  for (let n = 0; n < 300; n++) tell(engine, false);
  for (let n = 0; n < 30; n++) {
    tellLarge(engine, 200_000);
    // The event that exceeds the limit is removed by the next one.
    expect(engine.state.logBytes).toBeLessThan(1_300_000);
  }
  expect(seqs(engine)).toEqual([326, 327, 328, 329, 330]);
});

it("a state counts the same bytes whether it was changed or loaded", () => {
  const engine = newLog();
  for (let n = 0; n < 10; n++) tellLarge(engine, 1_000 * n, n % 2 === 0);
  for (const delivery of deliveries(engine)) answer(engine, delivery, { ...REFUSED, response_body: "no" });
  const { bytes, logBytes } = State.from(engine.dump());
  expect(bytes).toBeGreaterThan(logBytes);
  expect([engine.state.bytes, engine.state.logBytes]).toEqual([bytes, logBytes]);
});
