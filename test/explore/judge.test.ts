import { describe, expect, it } from "vitest";
import { judgeTrace } from "../../src/tools/explore/judge.js";
import { RunPlan } from "../../src/tools/explore/run-plan.js";
import type { ObservedDelivery, ObservedRun, RunFailure } from "../../src/tools/explore/run-record.js";
import { baselineOf } from "../../src/tools/explore/sandbox/baseline.js";
import { EndCheck } from "../../src/tools/explore/sandbox/end-check.js";
import type { LoadedRun } from "../../src/tools/explore/sandbox/facts.js";

const HEARD: ObservedDelivery = {
  object_id: "ch_1",
  event_id: "evt_1",
  type: "charge.completed",
  attempts: [],
  atMs: 0,
};
const STUCK: RunFailure = {
  isIncomplete: true,
  error: "the clock is being advanced",
  role: undefined,
  message: "it could not be carried out",
  isCallToApp: false,
  differences: [],
};
const judgeFailure = (failure: RunFailure, deliveries: readonly ObservedDelivery[] = []) =>
  judgeTrace({
    failure,
    hasReachedApp: true,
    observed: { startMs: 0, calls: [], deliveries, charges: [], withdrawals: [] },
  });

describe("a run without an end", () => {
  const verdict = (delivery: ObservedDelivery) => judgeFailure(STUCK, [delivery]);

  it("a run that hangs in a webhook is a fault of the app", () => {
    expect(verdict({ ...HEARD, unanswered: "no answer within 15 s" })).toEqual({
      outcome: "wrong",
      oracle: "liveness",
      message: "the app does not respond to webhooks: charge.completed: no answer within 15 s",
      isAppGone: true,
    });
  });

  it("a run that hangs after all webhooks is not a fault", () => {
    expect(verdict(HEARD)).toEqual({ outcome: "unknown", reason: STUCK.error });
  });
});

it("a run is not judged while a payout is open that none of a plain run is", async () => {
  const variant = { side: "first", isPatient: false } as const;
  const plan = new RunPlan([], { customerMatch: {}, variant, pace: 1 });
  const observed: ObservedRun = { startMs: 0, calls: [], deliveries: [], charges: [], withdrawals: [] };
  const failure: RunFailure = { ...STUCK, isIncomplete: false, role: "observe", message: "differs" };
  const endOf = async (withdrawals: readonly { readonly status: string }[]) => {
    const run = { observed: { ...observed, withdrawals }, trace: { observed, failure, hasReachedApp: true } };
    const views = { observe: [], allow: {} };
    const driver = {
      look: async () => ({ ...failure, message: "it was looked at" }),
      isAsynchronous: () => false,
      hasRefused: () => false,
    };
    const check = new EndCheck(
      views,
      { free: [], plain: { bodies: [], statuses: [] } } as never,
      observed,
      driver as never,
    );
    Object.assign(check.ends, { unsureEnds: () => [] });
    return (await check.judge(plan, run as never)).trace.failure?.message;
  };
  expect(await endOf([{ status: "PENDING" }])).toBe("a payout is still PENDING");
  expect(await endOf([{ status: "COMPLETED" }])).toBe("it was looked at");
});

describe("payments of an order", () => {
  const charge = (order: string, status = "COMPLETED", email = "qa+r1@shop.test") => ({
    status,
    email,
    metadata: { order_id: order },
    base: { amount: "19.99", currency: "KES" },
    currency: "KES",
  });
  /** A run of a flow whose order is "one". */
  const carried = (...charges: object[]) => {
    const has = (name: string) => name === "order";
    const resolve = ({ name }: { name: string }) => (has(name) ? { value: "one" } : { fault: "" });
    const observed = { calls: [], deliveries: [], charges, withdrawals: [] };
    return {
      observed,
      loaded: { runId: "r1", scope: { names: ["order"], has, resolve } },
    } as unknown as LoadedRun;
  };
  const learnt = (run: LoadedRun) => {
    const { chargeMatch, plain, orderCharges } = baselineOf({ observe: [], allow: {} }, run, run, []);
    return { order: chargeMatch, completed: plain.completedCharges, named: orderCharges };
  };

  it("finds an order's payments by the run's customer", () => {
    expect(learnt(carried(charge("one"), charge("two", "PENDING")))).toEqual({
      order: { customer_email: `qa+\${run.id}@shop.test` },
      completed: 1,
      named: { match: { metadata: { order_id: `\${order}` } }, completed: 1 },
    });
  });

  it("finds an order's payments by its id when runs share a customer", () => {
    const all = "all@shop.test";
    const two = carried(charge("one", "COMPLETED", all), charge("two", "COMPLETED", all));
    expect(learnt(two)).toMatchObject({ order: { metadata: { order_id: `\${order}` } }, completed: 1 });
  });

  const count = (got: number, expected: unknown = 1) => {
    const differences = [{ path: "count", expected, got }];
    const { error: _error, ...failure } = STUCK;
    return judgeFailure({ ...failure, isIncomplete: false, role: "paid", differences });
  };

  it("compares an order's payments with the number that the step counted", () => {
    expect(count(2)).toMatchObject({
      oracle: "money",
      message: "paid twice: 2 completed charges for one order",
    });
    expect(count(2, { lte: 1 })).toEqual(count(2));
    expect(count(0, { gte: 1 })).toEqual(count(0));
    expect(count(0)).toMatchObject({
      oracle: "convergence",
      message: "0 completed charges, where a plain run has 1",
    });
  });
});

describe("a state of the app that differs from the plain run", () => {
  const ended = (...statuses: readonly string[]) => statuses.map((status) => ({ status }));
  const judged = (
    [path, expected, got]: readonly [path: string, expected: unknown, got: unknown],
    charges: readonly object[],
    withdrawals: readonly object[] = [],
    others: readonly { path: string; expected: unknown; got: unknown }[] = [],
  ) => {
    const { error: _error, ...failure } = STUCK;
    const observed = { startMs: 0, calls: [], deliveries: [], charges, withdrawals };
    return judgeTrace({
      failure: {
        ...failure,
        isIncomplete: false,
        role: "observe",
        differences: [{ path, expected, got }, ...others],
      },
      hasReachedApp: true,
      observed: observed as unknown as ObservedRun,
    });
  };

  it.each([
    ["a count", ["body.delivered", 1, 2], [], "done more than once: body.delivered is 2, not 1"],
    [
      "a balance that charges raise",
      ["body.balance", 210, 260],
      [],
      "done more than once: body.balance is 260, not 210",
    ],
    [
      "a balance that a payout lowers",
      ["body.balance", 400, 1000],
      ended("COMPLETED"),
      "more is left than in a plain run: body.balance is 1000, not 400",
    ],
  ] as const)(
    "compares the app's final state with a normal run: %s above it",
    (_, difference, withdrawals, message) => {
      expect(judged(difference, ended("COMPLETED"), withdrawals)).toMatchObject({ oracle: "money", message });
    },
  );

  it("a balance that is higher as less was bought is not raised twice", () => {
    const fewer = [{ path: "body.bought", expected: ["hat"], got: [] }];
    expect(judged(["body.balance", 380, 500], ended("COMPLETED"), [], fewer)).toMatchObject({
      message:
        'more is left than in a plain run: body.balance is 500, not 380, body.bought is [], not ["hat"]',
    });
  });

  it.each([
    [
      "pending",
      "liveness",
      'the charge has ended, and the app waits: body.status is "pending", not "failed"',
    ],
    [
      "cancelled",
      "convergence",
      `the end differs from that of a plain run: body.status is "cancelled", not "failed"`,
    ],
  ])("reports an order that is %s after its charge ended unpaid", (got, oracle, message) => {
    expect(judged(["body.status", "failed", got], ended("FAILED"))).toMatchObject({ oracle, message });
  });
});

describe("a failure that waiting cannot fix", () => {
  const { error: _error, ...other } = STUCK;
  const failing = (role: RunFailure["role"], path: string, expected: unknown, got: unknown): RunFailure => ({
    ...other,
    isIncomplete: false,
    role,
    title: "a check",
    message: "differs",
    differences: [{ path, expected, got }],
  });
  const isLasting = (failure: RunFailure) => {
    const verdict = judgeFailure(failure);
    return verdict.outcome === "wrong" && verdict.isLasting === true;
  };

  it.each<[boolean, RunFailure]>([
    [true, failing("observe", "body.delivered", 1, 2)],
    [true, failing("expect", "body.delivered", 1, 2)],
    [true, failing("paid", "count", 1, 2)],
    [true, failing("paid_out", "count", 1, 2)],
    [true, failing("never", "body.delivered", { not: { gt: 1 } }, 2)],
    [true, failing("not_delivered", "body", {}, {})],
    [false, failing("observe", "body.delivered", 1, 0)],
    [false, failing("observe", "body.ledger", -250, 0)],
    [false, failing("paid", "count", 1, 0)],
    [false, failing("manners", "count", 0, 1)],
  ])("isLasting is %s for the failure %j", (expected, failure) => {
    expect(isLasting(failure)).toBe(expected);
  });

  it("reports when the Idempotency-Key of a second payout expired", () => {
    const withdraw = (atMs: number) => ({ operation: "createWithdrawal", idempotencyKey: "k", atMs });
    const calls = [withdraw(0), withdraw(86_400_000)] as unknown as ObservedRun["calls"];
    const observed = { startMs: 0, calls, deliveries: [], charges: [], withdrawals: [] };
    const failure = failing("paid_out", "count", 1, 2);
    expect(judgeTrace({ failure, hasReachedApp: true, observed })).toMatchObject({
      message:
        "paid out twice: 2 completed withdrawals, where a plain run has 1 (createWithdrawal was repeated after its Idempotency-Key had expired)",
      isLasting: false,
    });
  });
});
