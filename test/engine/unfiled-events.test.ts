import fc from "fast-check";
import { expect, it } from "vitest";
import type { EventRecord, Put } from "../../src/engine/records.js";
import { State } from "../../src/engine/state.js";
import { UnfiledEvents } from "../../src/engine/unfiled-events.js";
import { START_MS } from "../support/engine.js";

const eventWith = (seq: number): EventRecord => ({
  event_id: `evt_${seq}`,
  seq,
  type: seq % 3 === 0 ? "charge.failed" : "charge.completed",
  at: "2026-01-31T09:00:00.000Z",
  mode: "test",
  organization_id: null,
  object_id: `ch_${seq % 2}`,
  body: "{}",
});

type Step = { does: "come" | "go" | "back" | "look" | "keep"; byId: boolean };

const step = fc.record({
  does: fc.constantFrom<Step["does"]>("come", "come", "come", "go", "go", "back", "back", "look", "keep"),
  byId: fc.boolean(),
});

const seqOf = ({ seq }: EventRecord) => seq;

/** All that is asked for without a look at any. */
function unseen(state: State) {
  return {
    size: state.tables.events.size,
    dumped: state.dump().collections.events.map(([key, event]) => [key, seqOf(event)]),
    closed: state.oldestClosedEvents(99).map(seqOf),
    upTo: state.oldestClosedEvents(2, 5).map(seqOf),
    sampled: state.tables.events.oldest(3).map(([key]) => key),
  };
}

function seen(state: State) {
  const { events } = state.tables;
  return {
    keys: [...events.keys()],
    page: state.page("events", "events", 0, 99).map(seqOf),
    alike: state.found("events", ({ type }) => type === "charge.failed", 0, 99).items.map(seqOf),
    of: state.eventsOf("ch_1").map(seqOf),
    types: state.eventTypes().sort(),
    has: [events.has("evt_1"), events.get("evt_2")?.seq],
  };
}

/** A state in which those events were all there ever was. */
function stateWith(seqs: readonly number[]): State {
  const state = new State();
  const puts = seqs.map((seq): Put => ["events", `evt_${seq}`, eventWith(seq)]);
  state.apply({ seq: 1, at: START_MS, puts, counters: {} });
  return state;
}

it("events come, go and come back whether somebody has looked for one meanwhile or not, by number and by id", () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), fc.boolean(), (steps, isTried) => {
      const state = new State();
      let there: number[] = [];
      let last = 0;
      /** What there was before each change that may be taken back, and how that is done. */
      let undo: { before: number[]; takeBack: () => void }[] = [];
      const change = (put: Put, after: number[]): void => {
        const one = { seq: state.seq + 1, at: START_MS, puts: [put], counters: {} };
        if (isTried) undo.push({ before: there, takeBack: state.tryOut(one) });
        else state.apply(one);
        there = after;
      };
      for (const { does, byId } of steps) {
        if (does === "come") {
          const event = eventWith(++last);
          change(["events", byId && last % 4 === 0 ? event.event_id : last, event], [...there, last]);
        } else if (does === "go" && there.length > 0) {
          const [oldest, ...rest] = there;
          met.add(`${state.isUnfiled(eventWith(oldest!))} ${byId}`);
          change(["events", byId ? `evt_${oldest}` : oldest!, null], rest);
        } else if (does === "back" && undo.length > 0) {
          const { before, takeBack } = undo.pop()!;
          takeBack();
          there = before;
        } else if (does === "look") expect(seen(state)).toEqual(seen(stateWith(there)));
        else if (does === "keep") {
          state.confirm();
          undo = [];
        }
        expect(unseen(state)).toEqual(unseen(stateWith(there)));
      }
      expect(seen(state)).toEqual(seen(stateWith(there)));
    }),
    { numRuns: 150 },
  );
  expect(met.size).toBe(4);
});

it("those that are gone for good are let go of, however many come", () => {
  const unfiled = new UnfiledEvents();
  for (let seq = 1; seq <= 5_000; seq++) {
    unfiled.add(eventWith(seq));
    if (seq <= 10) continue;
    expect(unfiled.letGo(seq - 10)?.seq).toBe(seq - 10);
    unfiled.forgetGone();
    expect([unfiled.putBack(seq - 10), unfiled.size]).toEqual([false, 10]);
  }
  const { gone, events } = unfiled.takeAll();
  expect([gone.length, events.map(seqOf)[0], events.length]).toEqual([0, 4_991, 10]);
});

it("so many are filed at once that nobody has to wait for long", () => {
  const state = new State();
  for (let seq = 1; seq <= 20_000; seq++)
    state.apply({ seq, at: START_MS, puts: [["events", seq, eventWith(seq)]], counters: {} });
  expect([16_384, 16_385].map((seq) => state.isUnfiled(eventWith(seq)))).toEqual([false, true]);
  expect([state.tables.events.size, state.page("events", "events", 0, 1)[0]?.seq]).toEqual([20_000, 20_000]);
});
