import { describe, expect, it } from "vitest";
import { exploreMarkdown } from "../../src/cli/report/explore-summary.js";
import { exploreLines } from "../../src/cli/report/explore-text.js";
import { blindRepeat } from "../../src/explore/manners.js";
import type { ExploreReport } from "../../src/explore/report.js";
import type { Seen, SeenCall } from "../../src/explore/seen.js";
import { storyOf } from "../../src/explore/story.js";

const EVENT = "charge.completed#1";
const finding = (kind: "webhook_twice" | "webhook_late") => ({
  oracle: "money" as const,
  message: "done more than once: body.delivered is 2, not 1",
  deviations: [{ kind, at: EVENT }],
  story: {
    plain: ["+0s a", "+1s b", "+2s c", "+3s d", "+4s e"],
    failing: ["+0s a", "+1s b", "+2s c", "+3s d", "+3s again", "+4s e"],
  },
});
const REPORT: ExploreReport = {
  passed: false,
  complete_depth: 1,
  runs: 3,
  choices: 3,
  behaviours: 2,
  ms: 1,
  saved: { holds_a_failing_set: 0, absorbed: 0, alike: 0, independent: 0, unmet: 0 },
  drawn: 0,
  findings: [finding("webhook_twice"), finding("webhook_late")],
  singles: [
    { kind: "answer_lost", at: "createWhitelabel#1", outcome: "right" },
    { kind: "webhook_late", at: EVENT, outcome: "wrong" },
    { kind: "webhook_twice", at: EVENT, outcome: "unknown" },
  ],
  notes: [],
  sentence: "order: 3 single deviations",
};

describe("what is told of an exploration", () => {
  it("has what says the same once, a plain run beside the one that failed, and what the app gets over", () => {
    expect(`\n${exploreLines(REPORT, 80).join("\n")}\n`).toBe(`
✗ money: done more than once: body.delivered is 2, not 1
    webhook_twice at charge.completed#1: the webhook arrives twice in a row
    webhook_late at charge.completed#1: the webhook arrives 10m late
    … 2 before, the same in both
    a plain run │ this one
    +2s c       │ +2s c
    +3s d       │ +3s d
  ≠             │ +3s again
    +4s e       │ +4s e

  what it survives  1 2
  answer_lost       ✓ ·
  webhook_late      · ✗
  webhook_twice     · ○
  1 createWhitelabel#1, 2 charge.completed#1

✗ order: 3 single deviations
`);
  });

  it("has one run below the other where there is little room, and no line that is wider", () => {
    const lines = exploreLines(REPORT, 60);
    expect(lines.join("\n")).toContain(`
    a plain run
    +2s c
    +3s d
  ≠ (not yet)
    +4s e
    this one
    +2s c
    +3s d
  ≠ +3s again
    +4s e
`);
    for (const width of [60, 80, 100])
      for (const line of exploreLines(REPORT, width)) expect(line.length).toBeLessThanOrEqual(width);
  });

  it("is a table of Markdown in a job's summary, with as many findings as there is room for", () => {
    const whole = exploreMarkdown(REPORT, 10_000);
    expect(whole).toContain("| `webhook_late` | · | ✗ |");
    expect(whole).toContain("webhook_late at charge.completed#1");
    const short = exploreMarkdown(REPORT, 400);
    expect(short).not.toContain("<details>");
    expect(short).toContain("| `webhook_late` | · | ✗ |");
  });
});

const call = (operation: string, status: number | null, method = "POST") =>
  ({ operation, status, method, atMs: 0, isFlows: false }) as SeenCall;

describe("what a run is told by", () => {
  it("is its calls, statuses and webhooks, in the order of their times", () => {
    const charge = { history: [{ status: "COMPLETED", atMs: 65_000 }] };
    const delivery = { type: "charge.completed", attempts: [{ atMs: 66_000, status: null }] };
    const calls = [call("createQuote", 200), { ...call("advance", 200), isFlows: true }];
    expect(storyOf({ calls, charges: [charge], deliveries: [delivery] } as unknown as Seen)).toEqual([
      "+0s calls createQuote 200",
      "+1m5s charge is COMPLETED",
      "+1m6s webhook charge.completed → no response",
    ]);
  });

  it.each([
    ["again without a look", [call("createWhitelabel", null), call("createWhitelabel", 200)], true],
    [
      "again after a look",
      [
        call("createWhitelabel", 503),
        call("createQuote", 200),
        call("listPayins", 200, "GET"),
        call("createWhitelabel", 200),
      ],
      false,
    ],
    ["again after a plain no", [call("createWhitelabel", 429), call("createWhitelabel", 200)], false],
    ["again where nothing is paid by it", [call("createQuote", null), call("createQuote", 200)], false],
  ])("what takes money is called %s", (_, calls, isBlind) => {
    expect(blindRepeat({ calls, charges: [], deliveries: [] })).toBe(
      isBlind ? "createWhitelabel" : undefined,
    );
  });
});
