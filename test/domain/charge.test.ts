import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Actor,
  type Charge,
  type ChargeEffect,
  type ChargeTransition,
  computeTransition,
  markSettled,
} from "../../src/core/domain/charge-transition.js";
import { CHARGE_STATUSES, type ChargeStatus } from "../../src/core/schema/common.js";
import { chargeRecordSchema } from "../../src/core/schema/records/payment-records.js";
import { iso } from "../../src/core/schema/time.js";
import { CREATED_MS, chargeWith } from "../support/charges.js";
import { CHARGE_MOVES } from "../support/contract.js";

const isLegal = (from: ChargeStatus, to: ChargeStatus) => CHARGE_MOVES[from]?.includes(to) ?? false;

const ACTORS: readonly Actor[] = ["api", "scenario", "clock", "customer", "control"];
const PAIRS = CHARGE_STATUSES.flatMap((from) => CHARGE_STATUSES.map((to) => ({ from, to })));
const LEGAL = PAIRS.filter(({ from, to }) => isLegal(from, to));
const ILLEGAL = PAIRS.filter(({ from, to }) => !isLegal(from, to));
const AT_MS = CREATED_MS + 5_000;

const statusArb = fc.constantFrom(...CHARGE_STATUSES);
const actorArb = fc.constantFrom(...ACTORS);

function moved(
  charge: Charge,
  to: ChargeStatus,
  actor: Actor = "control",
  reason?: string,
): ChargeTransition {
  const result = computeTransition(charge, to, AT_MS, actor, reason);
  if (typeof result === "string") throw new Error(`${charge.status} → ${to} is ${result}`);
  return result;
}

/** Formats effects as text, such as `post payment`. */
const inWords = (effects: readonly ChargeEffect[]) => effects.map((one) => Object.values(one).join(" "));

function effectsOf(differs: Partial<Charge>, to: ChargeStatus, actor: Actor = "control"): string[] {
  return inWords(moved(chargeWith(differs), to, actor).effects);
}

const postings = (effects: readonly string[]) => effects.filter((one) => one.startsWith("post "));

it.each(LEGAL)("every actor can move a charge from $from to $to, with one event", ({ from, to }) => {
  for (const actor of ACTORS) {
    const { charge, effects } = moved(chargeWith({ status: from }), to, actor);
    expect(charge.status).toBe(to);
    expect(effects.filter((effect) => effect.do === "emit")).toEqual([effects.at(-1)]);
    expect(effects.at(-1)).toEqual({ do: "emit", type: `charge.${to.toLowerCase()}` });
  }
});

it.each(ILLEGAL)("no actor can move a charge from $from to $to", ({ from, to }) => {
  for (const actor of ACTORS)
    expect(computeTransition(chargeWith({ status: from }), to, AT_MS, actor)).toBe("illegal");
});

it("a charge has 16 legal transitions and 48 illegal ones [R17.1]", () => {
  expect([LEGAL.length, ILLEGAL.length]).toEqual([16, 48]);
});

it("a transition changes only the status and the fields that depend on it", () => {
  const charge = chargeWith();
  const { charge: next } = moved(charge, "AWAITING_PAYMENT", "scenario");
  const at = iso(AT_MS);
  const expected = {
    ...charge,
    status: "AWAITING_PAYMENT",
    updated_at: at,
    actors: ["api", "scenario"],
    status_history: [...charge.status_history, { status: "AWAITING_PAYMENT", at }],
  };
  expect(next).toEqual(expected);
  const again = moved(next, "EXPIRED", "clock").charge;
  const { status, status_history, actors } = again;
  const later = JSON.stringify({ ...expected, status, status_history, actors });
  expect([JSON.stringify(next), JSON.stringify(again)]).toEqual([JSON.stringify(expected), later]);
  // Fields that only other payment methods set.
  const PAID_OTHERWISE: readonly string[] = ["amount_paid", "currency_paid"];
  for (const name of Object.keys(chargeRecordSchema.shape) as (keyof Charge)[]) {
    if (!PAID_OTHERWISE.includes(name)) expect(expected, name).toHaveProperty(name);
    expect(next[name], name).toEqual(expected[name as keyof typeof expected]);
  }
});

it("a transition records its reason, and failure_reason when the charge fails", () => {
  const failed = moved(chargeWith(), "FAILED", "scenario", "insufficient_funds").charge;
  expect(failed.failure_reason).toBe("insufficient_funds");
  expect(failed.status_history.at(-1)).toEqual({
    status: "FAILED",
    at: iso(AT_MS),
    reason: "insufficient_funds",
  });
  expect(moved(chargeWith(), "FAILED").charge.failure_reason).toBe("declined");
  expect(moved(chargeWith(), "CANCELLED", "customer", "changed_mind").charge.failure_reason).toBeNull();
});

it("only COMPLETED and REFUNDED write to the ledger [R19.1]", () => {
  for (const { from, to } of LEGAL)
    if (to !== "COMPLETED" && to !== "REFUNDED")
      expect(postings(effectsOf({ status: from }, to))).toEqual([]);
});

const DELAY = { settlement_delay_ms: 144_000 };
const [CREATED, AT] = [iso(CREATED_MS), iso(AT_MS)];
it.each<[string, Partial<Charge>, ChargeStatus, string[], string | null]>([
  [
    "a payment without a delay settles in the same commit",
    { status: "PROCESSING" },
    "COMPLETED",
    ["post payment", "post settlement"],
    AT,
  ],
  [
    "a payment with a delay plans its settlement",
    { status: "PROCESSING", ...DELAY },
    "COMPLETED",
    ["post payment", "schedule_settlement 144000"],
    null,
  ],
  [
    "a refund before settlement settles first, and cancels the planned settlement",
    { status: "COMPLETED", ...DELAY },
    "REFUNDED",
    ["cancel_task settlement", "post settlement", "post refund"],
    AT,
  ],
  [
    "a refund after settlement posts the refund alone",
    { status: "COMPLETED", settled_at: CREATED },
    "REFUNDED",
    ["post refund"],
    CREATED,
  ],
])("%s writes the expected postings", (_name, differs, to, expected, settledAt) => {
  const { charge, effects } = moved(chargeWith(differs), to);
  const others = ["cancel_task timeline", `emit charge.${to.toLowerCase()}`];
  expect(inWords(effects).filter((one) => !others.includes(one))).toEqual(expected);
  expect(charge.settled_at).toBe(settledAt);
});

it("a charge makes each kind of ledger entry at most once", () => {
  const stepsArb = fc.array(fc.tuple(statusArb, actorArb), { maxLength: 40 });
  fc.assert(
    fc.property(stepsArb, fc.constantFrom(0, 60_000), (steps, settlement_delay_ms) => {
      let charge = chargeWith({ settlement_delay_ms });
      const posted: string[] = [];
      for (const [to, actor] of steps) {
        const result = computeTransition(charge, to, AT_MS, actor);
        expect(result === "illegal").toBe(!isLegal(charge.status, to));
        if (typeof result === "string") continue;
        posted.push(...postings(inWords(result.effects)));
        charge = result.charge;
      }
      const order = ["post payment", "post settlement", "post refund"];
      const expected =
        charge.status === "REFUNDED"
          ? order
          : charge.status === "COMPLETED"
            ? order.slice(0, charge.settled_at === null ? 1 : 2)
            : [];
      expect(posted).toEqual(expected);
      expect(charge.status_history.at(-1)?.status).toBe(charge.status);
    }),
    { numRuns: 500 },
  );
});

it("a charge that is no longer open does not expire", () => {
  for (const from of ["PENDING", "AWAITING_PAYMENT"] as const)
    for (const to of ["PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"] as const)
      expect(effectsOf({ status: from }, to)).toContain("cancel_task expiry");
});

it("a charge that waits for its payment still expires", () => {
  expect(effectsOf({}, "AWAITING_PAYMENT")).not.toContain("cancel_task expiry");
});

it("an expired charge can still be paid late, unless a user expired it", () => {
  for (const actor of ACTORS) {
    const effects = effectsOf({}, "EXPIRED", actor);
    expect(effects).toContain("cancel_task timeline");
    const isByPerson = actor === "control" || actor === "customer";
    expect(effects.includes("schedule_late_entries")).toBe(!isByPerson);
  }
});

it("a charge cannot be paid late after a manual transition", () => {
  for (const actor of ["control", "customer"] as const) {
    const { charge } = moved(chargeWith(), "AWAITING_PAYMENT", actor);
    expect(inWords(moved(charge, "EXPIRED", "clock").effects)).not.toContain("schedule_late_entries");
  }
});

it("a transition by the control API or the customer cancels the timeline", () => {
  for (const { from, to } of LEGAL)
    for (const actor of ["control", "customer"] as const)
      expect(effectsOf({ status: from }, to, actor)).toContain("cancel_task timeline");
});

it("the timeline continues after a non-final status", () => {
  for (const to of ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"] as const)
    expect(effectsOf({}, to, "scenario")).not.toContain("cancel_task timeline");
});

describe.each([
  ["a charge without a price", { settlement_amount: null, fees: null, exchange_rate: null }],
  ["a charge with a price and no payment method", {}],
])("%s", (_, price) => {
  const unpriced: Partial<Charge> = { kind: "hosted", payment_method: null, ...price };

  it.each(["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"] as const)(
    "a charge without a price or payment method cannot become %s",
    (to) => {
      expect(computeTransition(chargeWith(unpriced), to, AT_MS, "control")).toBe("unpriced");
    },
  );

  it.each(["FAILED", "CANCELLED", "EXPIRED"] as const)(
    "a charge without a price or payment method can become %s, without postings",
    (to) => {
      expect(postings(effectsOf(unpriced, to))).toEqual([]);
    },
  );
});

it("settling a charge sets settled_at and updated_at and keeps its status", () => {
  const completed = chargeWith({ status: "COMPLETED" });
  const at = iso(AT_MS);
  expect(markSettled(completed, AT_MS)).toEqual({ ...completed, settled_at: at, updated_at: at });
});
