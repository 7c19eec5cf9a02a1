import fc from "fast-check";
import { expect, it } from "vitest";
import type { Charge } from "../../src/core/domain/charge-transition.js";
import { transitionCharge } from "../../src/core/engine/commands/charge-commands.js";
import { createDestination, createWithdrawal } from "../../src/core/engine/commands/withdrawal-commands.js";
import type { Engine } from "../../src/core/engine/engine.js";
import type { Task } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import { commandOf, runChargeUntil } from "../../src/core/engine/task-commands.js";
import { CHARGE_STATUSES, type ChargeStatus, WITHDRAWAL_STATUSES } from "../../src/core/schema/common.js";
import { isRefusal } from "../../src/core/schema/refusals.js";
import type { ChargeTimelineEntry, WithdrawalTimelineEntry } from "../../src/core/schema/scenario-rules.js";
import { timelineWarnings } from "../../src/tools/scenario/scenario-warnings.js";
import {
  asJson,
  must,
  newCharge,
  newEngine,
  runUntil,
  SHOP,
  START_MS,
  timelineOf,
} from "../support/engine.js";

const MINUTE_MS = 60_000;

/** Chosen so that expiry and an entry can have the same time. */
const durations = fc.constantFrom("0s", "1s", "20m", "30m", "59m59s", "1h", "2h");

const chargeEntries: fc.Arbitrary<ChargeTimelineEntry[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ after: durations, to: fc.constantFrom(...CHARGE_STATUSES) }) },
    { weight: 1, arbitrary: fc.record({ after_expiry: durations, to: fc.constantFrom(...CHARGE_STATUSES) }) },
  ),
  { maxLength: 6 },
);
const withdrawalEntries: fc.Arbitrary<WithdrawalTimelineEntry[]> = fc.array(
  fc.record({ after: durations, to: fc.constantFrom(...WITHDRAWAL_STATUSES) }),
  { maxLength: 6 },
);

/** Runs all tasks and returns the entries that changed the record. */
function runEntries(engine: Engine, kind: Task["kind"], noteCount: () => number): number[] {
  const steps: number[] = [];
  let before = noteCount();
  runUntil(engine, START_MS + 100 * 60 * MINUTE_MS, (task) => {
    if (task.kind === kind && noteCount() === before) steps.push(task.step!);
    before = noteCount();
  });
  return steps;
}

function unwarned(timeline: readonly unknown[], warned: readonly { path: readonly unknown[] }[]): number[] {
  return timeline.map((_, step) => step).filter((step) => !warned.some(({ path }) => path.at(-1) === step));
}

it("warns about timeline entries of a charge that have no effect", () => {
  fc.assert(
    fc.property(chargeEntries, (timeline) => {
      const scenario = timelineOf("plan", ...timeline);
      const engine = newEngine({ scenarios: [scenario] });
      const { charge_id } = newCharge(engine, START_MS, { scenario: "plan" });
      const noteCount = () => engine.state.get("charges", charge_id)!.notes.length;
      const changing = runEntries(engine, "timeline", noteCount);
      expect(unwarned(timeline, timelineWarnings(scenario))).toEqual(changing);
    }),
    { numRuns: 200 },
  );
});

it("warns about timeline entries of a withdrawal that have no effect", () => {
  fc.assert(
    fc.property(withdrawalEntries, (timeline) => {
      const scenario = { name: "plan", withdrawals: [{ timeline }] };
      const engine = newEngine({ scenarios: [scenario] });
      const { charge_id } = newCharge(engine, START_MS, { amount: "5000.00" });
      must(engine.execute(transitionCharge(charge_id, "COMPLETED", "control"), START_MS));
      const { withdrawal_id } = withdraw(engine, START_MS, "plan");
      const noteCount = () => engine.state.get("withdrawals", withdrawal_id)!.notes.length;
      const changing = runEntries(engine, "withdrawal", noteCount);
      expect(unwarned(timeline, timelineWarnings(scenario))).toEqual(changing);
    }),
    { numRuns: 120 },
  );
});

/** Withdraws 5,000 shillings. */
function withdraw(engine: Engine, atMs: number, scenario: string | null) {
  const destination = must(
    engine.execute(
      createDestination(
        SHOP,
        {
          type: "mobile_money",
          currency: "KES",
          phone_number: "+254700000001",
          provider: "SimbaPesa Sandbox",
        },
        null,
      ),
      atMs,
    ),
  );
  const body = { destination_id: destination.destination_id, amount: "5000.00", currency: "KES" };
  return must(engine.execute(createWithdrawal(SHOP, body, scenario), atMs));
}

interface Course {
  readonly timeline: ChargeTimelineEntry[];
  /** Delay of the manual action after creation, in minutes. */
  readonly afterMinutes: number;
  readonly moved: ChargeStatus | null;
  /** True if the payment was withdrawn, so that a refund fails. */
  readonly withdrawn: boolean;
}

const courses: fc.Arbitrary<Course> = fc.record({
  timeline: chargeEntries,
  afterMinutes: fc.constantFrom(0, 0, 20, 60, 90),
  moved: fc.option(fc.constantFrom(...CHARGE_STATUSES), { freq: 3 }),
  withdrawn: fc.boolean(),
});

function begin({ timeline, afterMinutes, moved, withdrawn }: Course) {
  const engine = newEngine({ scenarios: [timelineOf("plan", ...timeline)] });
  const { charge_id } = newCharge(engine, START_MS, { scenario: "plan", amount: "5000.00" });
  const nowMs = START_MS + afterMinutes * MINUTE_MS;
  runUntil(engine, nowMs);
  if (moved !== null) engine.execute(transitionCharge(charge_id, moved, "control"), nowMs);
  if (withdrawn && engine.state.get("charges", charge_id)!.status === "COMPLETED")
    withdraw(engine, nowMs, "quiet");
  runUntil(engine, nowMs);
  return { engine, nowMs, charge: () => engine.state.get("charges", charge_id)! };
}

function runAll(engine: Engine, nowMs: number, charge: () => Charge): void {
  for (;;) {
    const [next] = Object.values(charge().tasks)
      .flatMap((id) => (id === undefined ? [] : [engine.state.get("tasks", id)!]))
      .sort((a, b) => a.due_ms - b.due_ms || a.rank - b.rank || a.task_id - b.task_id);
    if (next === undefined) return;
    engine.execute(commandOf(next), nowMs);
  }
}

it("advancing a charge to a status stops as soon as it is reached", () => {
  fc.assert(
    fc.property(courses, (course) => {
      const { engine, nowMs, charge } = begin(course);
      const before = charge();
      const dump = asJson(engine.dump());
      runAll(engine, nowMs, charge);
      const passed = charge().status_history.slice(before.status_history.length - 1);
      for (const until of CHARGE_STATUSES) {
        engine.load(State.from(asJson(dump)));
        const answer = runChargeUntil(engine, before.charge_id, until, nowMs);
        const place = passed.findIndex(({ status }) => status === until);
        if (place === -1) {
          expect(isRefusal(answer)).toBe(true);
          expect(asJson(charge())).toEqual(asJson(before));
        } else {
          expect(must(answer).status).toBe(until);
          expect(charge().status_history).toEqual([...before.status_history, ...passed.slice(1, place + 1)]);
        }
      }
    }),
    { numRuns: 200 },
  );
});
