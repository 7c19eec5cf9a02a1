import { describe, expect, it } from "vitest";
import { verdictOn } from "../../src/explore/judge.js";
import type { SeenDelivery } from "../../src/explore/seen.js";
import type { RunReport } from "../../src/scenario/running/report.js";

const LESSON = { whose: {}, order: {}, completed: 1, observed: [] };
const HEARD: SeenDelivery = { charge_id: "ch_1", type: "charge.completed", answers: [null], atMs: 0 };
const STUCK = { passed: false, outcome: "error", error: "the clock is being advanced", steps: [] };

describe("a run that could not be carried out to its end", () => {
  const verdict = (delivery: SeenDelivery) =>
    verdictOn(STUCK as unknown as RunReport, [], { calls: [], deliveries: [delivery], charges: [] }, LESSON);

  it("is the app's fault where it hangs with a webhook, and the end of all", () => {
    expect(verdict({ ...HEARD, unanswered: "no answer within 15 s" })).toEqual({
      oracle: "liveness",
      message: "the app does not answer webhooks: charge.completed: no answer within 15 s",
      isOver: true,
    });
  });

  it("is not judged where webhooks have their answers", () => {
    expect(verdict(HEARD)).toBe(STUCK.error);
  });
});
