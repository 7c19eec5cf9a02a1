import { describe, expect, it } from "vitest";
import { type Charge, settle, transition } from "../../src/domain/charge.js";
import {
  type ChargeText,
  chargeOfPlain,
  chargeTerms,
  plainCharge,
  textOf,
  withNote,
  withTasks,
  withTerms,
} from "../../src/domain/charge-record.js";
import { chargeDetail, chargeDetailJson, payinSummaryJson } from "../../src/engine/views.js";
import { CREATED_MS, chargeWith } from "../support/charges.js";

const AT_MS = CREATED_MS + 5_000;
const NOTE = { at: "2026-01-31T09:00:05.000Z", note: "timeline entry 1 (FAILED) did nothing" };
const TASKS = { expiry: 7, timeline: undefined, settlement: undefined };

/** A charge as the engine has it. */
const charge = () => chargeOfPlain(chargeWith());

/** What there is to read of a charge: each time it is read it says which it is, so that none goes for another. */
function writer() {
  let written = 0;
  return {
    read: (of: Charge, text: ChargeText) =>
      textOf(of, text, ({ status }) => `${text} ${status} ${++written}`),
    written: () => written,
  };
}

describe("a charge out of a file", () => {
  it("is to the byte what it was there, and answers for each of its fields", () => {
    const plain = chargeWith();
    const record = chargeOfPlain(plain);
    expect(record).not.toBe(plain);
    expect(JSON.stringify(record)).toBe(JSON.stringify(plain));
    expect(plainCharge(record)).toEqual(plain);
    for (const name of Object.keys(plain) as (keyof Charge)[])
      expect(record[name], name).toEqual(plain[name]);
    expect(chargeDetail(record)).toEqual(chargeDetail(plain));
  });

  it("stays as it is where it has not the fields of a charge, for whoever looks through the file", () => {
    const { rule: _rule, ...old } = chargeWith();
    const { charge_id, ...rest } = chargeWith();
    const others: unknown[] = [
      { ...chargeWith(), colour: "red" },
      old,
      { ...old, colour: "red" },
      { ...rest, charge_id },
      {},
      null,
      "a charge",
    ];
    for (const other of others) expect(chargeOfPlain(other as Charge)).toBe(other);
  });
});

describe("the text of a charge", () => {
  it("is written once, when it is first asked for, and each of the two for itself", () => {
    const { read, written } = writer();
    const record = charge();
    expect([read(record, "detail"), read(record, "detail")]).toEqual([
      "detail PENDING 1",
      "detail PENDING 1",
    ]);
    expect([read(record, "summary"), read(record, "detail")]).toEqual([
      "summary PENDING 2",
      "detail PENDING 1",
    ]);
    expect(written()).toBe(2);
  });

  it.each<[string, (of: Charge) => Charge]>([
    ["tasks", (of) => withTasks(of, TASKS)],
    ["a note", (of) => withNote(of, NOTE)],
  ])("holds when the charge has %s, for nothing of that is shown", (_what, change) => {
    const { read, written } = writer();
    const record = charge();
    for (const text of ["detail", "summary"] as const) read(record, text);
    const after = change(record);
    expect([read(after, "detail"), read(after, "summary")]).toEqual([
      "detail PENDING 1",
      "summary PENDING 2",
    ]);
    expect(written()).toBe(2);
    expect(chargeDetail(after)).toEqual(chargeDetail(record));
  });

  it.each<[string, (of: Charge) => Charge]>([
    ["moves", (of) => (transition(of, "PROCESSING", AT_MS, "scenario") as { charge: Charge }).charge],
    ["is settled", (of) => settle(of, AT_MS)],
    ["has other terms", (of) => withTerms(of, { ...chargeTerms(of), amount: "7.00" })],
  ])("is written anew when the charge %s", (_what, change) => {
    const record = charge();
    const [detail, summary] = [chargeDetailJson(record), payinSummaryJson(record)];
    const after = change(record);
    expect(chargeDetailJson(after)).toBe(JSON.stringify(chargeDetail(after)));
    expect([chargeDetailJson(after), payinSummaryJson(after)]).not.toContain(detail);
    expect(payinSummaryJson(after)).not.toBe(summary);
    // What was written of the old one is still its own.
    expect([chargeDetailJson(record), payinSummaryJson(record)]).toEqual([detail, summary]);
  });
});

describe("a charge that goes on", () => {
  it("has other tasks, one more note or other terms, and for the rest is the one it was", () => {
    const plain = chargeWith({ notes: [{ at: "2026-01-31T09:00:00.000Z", note: "the first" }] });
    const record = chargeOfPlain(plain);
    expect(plainCharge(withTasks(record, TASKS))).toEqual({ ...plain, tasks: TASKS });
    expect(plainCharge(withNote(record, NOTE))).toEqual({ ...plain, notes: [...plain.notes, NOTE] });
    const matched = { scenario: "slow", rule: 3 };
    const terms = { ...chargeTerms(record), ...matched };
    expect(plainCharge(withTerms(record, terms))).toEqual({ ...plain, ...matched });
    expect(plainCharge(withTerms(record, terms, [NOTE]))).toEqual({ ...plain, ...matched, notes: [NOTE] });
    expect(plainCharge(record)).toEqual(plain);
  });
});
