import { describe, expect, it } from "vitest";
import { reportOfExploration } from "../../src/cli/report/explore.js";
import { reportText } from "../../src/cli/report/report.js";
import { describeRunEvents, findRepeat } from "../../src/tools/explore/evidence.js";
import type { ObservedCall, ObservedRun } from "../../src/tools/explore/run-record.js";
import { EXPLORED } from "../support/explored.js";

describe("the report of an exploration", () => {
  it("the report shows each message once", () => {
    expect(`\n${reportText(reportOfExploration("order.yaml", EXPLORED), 100)}`).toMatchInlineSnapshot(`
      "
        what the app survives  1 2
        response_lost          ✓ ·
        webhook_late           · ✗
        webhook_twice          · ✗
        webhook_first          · ○
        1 createWhitelabel#1, 2 charge.completed#1

      ○ a warning
      ○ not tried: read_stale: the plain run has no place for it

      ✗ money: done more than once: body.delivered is 2, not 1
            deviation   webhook_twice at charge.completed#1: the webhook arrives twice in a row
            or          webhook_late at charge.completed#1: the webhook arrives 10m late
            - a plain run, + with webhook_twice
              … 2 before, the same in both
              2s c
              3s d
            + 3s again
              4s e

      ✗ order: 3 single deviations
      "
    `);
  });

  it("a life is told as a story, with the name that repeats it, and a case says how far lives went", () => {
    const finding = {
      oracle: "money" as const,
      message: "order 1 is paid 2 times",
      deviations: [],
      seen: { runs: 2, of: 2 },
      only: "life 42:17:3",
      acts: ["Ada places order 1", "Ada pays order 1"],
    };
    const lives = {
      seed: 42,
      of: 100,
      lives: 90,
      acts: 700,
      longest: 14,
      orders: 130,
      paid: 60,
      refunded: 9,
    };
    const report = reportOfExploration("order.yaml", { ...EXPLORED, findings: [finding], lives });
    expect(reportText(report, 100)).toContain(`✗ money: order 1 is paid 2 times
      life        Ada places order 1
      then        Ada pays order 1
      only        life 42:17:3
`);
    expect(report.cases).toContainEqual({
      name: "lives",
      outcome: "passed",
      message: "90 of 100 lives from seed 42: 700 acts, 130 orders, 60 payments, 9 refunds",
    });
    expect(report.cases.at(-1)).toMatchObject({ name: "life 42:17:3", outcome: "failed" });
  });

  it("the report lists the deviations it did not try", () => {
    const late = { kind: "webhook_late", at: "charge.completed#1" } as const;
    const untried = [
      ...["charge.processing#1", "charge.completed#1"].map((at) => ({
        ...late,
        at,
        reason: "the budget was over",
      })),
      { kind: "paid_late" as const, at: "charge#1", reason: "the budget was over" },
      { kind: "job_at_once" as const, at: "*", reason: "the flow has no tick" },
    ];
    const report = { ...EXPLORED, findings: [], notes: [], not_tried: untried };
    expect(reportOfExploration("order.yaml", report).notes).toEqual([
      "not tried: 2 × webhook_late, paid_late: the budget was over",
      "not tried: job_at_once: the flow has no tick",
    ]);
  });

  it("the table marks a wrong outcome without a finding as a note", () => {
    const text = reportText(reportOfExploration("order.yaml", { ...EXPLORED, findings: [] }), 100);
    expect(text).toMatch(/\n {2}webhook_late {11}· ○\n {2}webhook_twice {10}· ○\n/);
  });

  it("the legend of the table is not wrapped between a number and its place", () => {
    const text = reportText(reportOfExploration("order.yaml", EXPLORED), 26);
    expect(text).toContain("\n  1 createWhitelabel#1,\n  2 charge.completed#1\n");
  });

  it.each([60, 80])("the report has no line wider than %d", (width) => {
    const lines = reportText(reportOfExploration("order.yaml", EXPLORED), width).split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  });
});

const call = (operation: string, status: number | null, method = "POST") =>
  ({ operation, status, method, atMs: 0, isByFlow: false }) as ObservedCall;

describe("the trace of a run", () => {
  it("the trace lists calls, statuses and webhooks in order of time", () => {
    const charge = { history: [{ status: "COMPLETED", atMs: 65_000 }] };
    const delivery = { type: "charge.completed", attempts: [{ atMs: 66_000, status: null }] };
    const calls = [call("createQuote", 200), { ...call("advance", 200), isByFlow: true }];
    expect(
      describeRunEvents({ calls, charges: [charge], deliveries: [delivery] } as unknown as ObservedRun),
    ).toEqual([
      "0s calls createQuote 200",
      "1m5s charge is COMPLETED",
      "1m6s webhook charge.completed → no response",
    ]);
  });

  it.each([
    ["repeated without a read", [call("createWhitelabel", null), call("createWhitelabel", 200)], true],
    [
      "repeated after a read",
      [
        call("createWhitelabel", 503),
        call("createQuote", 200),
        call("listPayins", 200, "GET"),
        call("createWhitelabel", 200),
      ],
      false,
    ],
    ["repeated after a refusal", [call("createWhitelabel", 429), call("createWhitelabel", 200)], false],
    ["a repeated call without payment", [call("createQuote", null), call("createQuote", 200)], false],
  ])("marks a payment that is repeated without a read: %s", (_, calls, isBlind) => {
    expect(findRepeat({ startMs: 0, calls, charges: [], deliveries: [], withdrawals: [] })).toEqual(
      isBlind ? { operation: "createWhitelabel", isSafe: false } : undefined,
    );
  });

  it("marks a repeated payout as safe only with the same key", () => {
    const payout = (status: number | null, idempotencyKey?: string) => ({
      ...call("createWithdrawal", status),
      idempotencyKey,
    });
    const repeat = (...calls: ObservedCall[]) =>
      findRepeat({ startMs: 0, calls, charges: [], deliveries: [], withdrawals: [] })?.isSafe;
    expect(repeat(payout(null, "a"), payout(200, "a"))).toBe(true);
    expect(repeat(payout(null, "a"), payout(200, "b"))).toBe(false);
    expect(repeat(payout(503), payout(200))).toBe(false);
    expect(repeat(payout(null, "a"), payout(200, "a"), payout(200, "b"))).toBe(true);
    expect(repeat(payout(200, "a"), payout(200, "a"))).toBeUndefined();
  });
});
