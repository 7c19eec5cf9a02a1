import { describe, expect, it } from "vitest";
import type { ObservedCharge, RunFailure, Trace } from "../../src/tools/explore/run-record.js";
import { type FlowVariant, variantFailure } from "../../src/tools/explore/sandbox/flow-variant.js";
import { PRESENT } from "../../src/tools/explore/sandbox/views.js";

const charge = (amount: string, status = "COMPLETED") =>
  ({ status, base: { amount, currency: "KES" } }) as ObservedCharge;
const traceOf = (charges: ObservedCharge[], failure?: RunFailure): Trace => ({
  observed: { startMs: 0, calls: [], deliveries: [], charges, withdrawals: [] },
  failure,
  hasReachedApp: true,
});

const AGAIN: FlowVariant = {
  kind: "tried_again",
  at: "charge#1 declined",
  when: "when the customer tries again",
  mayBeRefused: false,
  mayPayMore: true,
  expectedOf: (plain) => plain,
};

/** Views of a plain run, of an order that nobody has paid, and of the run. */
interface Views {
  readonly plain: readonly unknown[];
  readonly unpaid: readonly (readonly unknown[])[];
  readonly seen: readonly unknown[];
}

const failureOf = (variant: FlowVariant, trace: Trace, { plain, unpaid, seen }: Views) =>
  variantFailure(variant, trace, {
    plain,
    unpaid,
    seen,
    plainCharges: [charge("1105.10")],
    wrongPrice: undefined,
    runId: "1",
  });

const ORDER: Views = {
  plain: [{ id: 1, status: "paid" }],
  unpaid: [[{ id: 1, status: "failed" }], [{ id: 1, status: "open" }]],
  seen: [{ id: 2, status: "paid" }],
};
const paid = traceOf([charge("1105.10", "FAILED"), charge("1105.10")]);

describe("a payment of a variant", () => {
  it.each<[string, Views]>([
    ["is shown by the order", ORDER],
    [
      "is shown by another view",
      {
        plain: [...ORDER.plain, { spent: "1105.10" }],
        unpaid: ORDER.unpaid.map((all) => [...all, { spent: "0.00" }]),
        seen: [{}, { spent: "1105.10" }],
      },
    ],
    [
      "may leave a count of failures as without a payment",
      { plain: [{ failures: 0 }], unpaid: [[{ failures: 1 }], [{ failures: 0 }]], seen: [{ failures: 1 }] },
    ],
    ["need not change a view that is not compared", { plain: [PRESENT], unpaid: [[{}]], seen: [{}] }],
  ])("%s", (_, views) => {
    expect(failureOf(AGAIN, paid, views)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["as unpaid", { id: 2, status: "open" }],
    ["as an error", { error: "not found" }],
    ["as nothing", {}],
  ])("is lost if the app shows it %s", (_, view) => {
    const failure = failureOf(AGAIN, paid, { ...ORDER, seen: [view] });
    const message = `paid, and the app shows nothing of it: ${JSON.stringify(view)}`;
    expect(failure).toMatchObject({ role: "money", message });
  });

  it("is not lost if it is refunded", () => {
    const refunded = traceOf([charge("1105.10"), charge("1105.10", "REFUNDED")]);
    expect(failureOf(AGAIN, refunded, { ...ORDER, seen: [{}] })).toBeUndefined();
  });

  it.each<[string, FlowVariant, string, string]>([
    ["another price is a note", AGAIN, "1105.20", "convergence"],
    [
      "a price that the app was told is lost money if it is rounded",
      { ...AGAIN, told: "19.99" },
      "20.00",
      "money",
    ],
    ["a price that is taken for minor units is lost money", { ...AGAIN, told: "19.99" }, "1999.00", "money"],
    ["a price to which something is added is a note", { ...AGAIN, told: "19.99" }, "24.99", "convergence"],
  ])("%s", (_, variant, amount, role) => {
    expect(failureOf(variant, traceOf([charge(amount)]), ORDER)).toMatchObject({ role });
  });

  it("a second payment is a note where the app may pay the first order by itself", () => {
    const count: RunFailure = {
      isIncomplete: false,
      role: "paid",
      title: "Paid as often as ordered",
      message: "",
      isCallToApp: false,
      differences: [{ path: "count", expected: 1, got: 2 }],
    };
    const twice = traceOf([charge("1105.10"), charge("1105.10")], count);
    expect(failureOf(AGAIN, twice, ORDER)).toMatchObject({ role: "convergence" });
    const { mayPayMore: _mayPayMore, ...once } = AGAIN;
    expect(failureOf(once, twice, ORDER)).toMatchObject({ role: "paid" });
  });
});
