import type { ExploreReport } from "../../src/tools/explore/exploration.js";

const EVENT = "charge.completed#1";
const finding = (kind: "webhook_twice" | "webhook_late") => ({
  oracle: "money" as const,
  message: "done more than once: body.delivered is 2, not 1",
  seen: { runs: 2, of: 2 },
  deviations: [{ kind, at: EVENT }],
  story: {
    plain: ["0s a", "1s b", "2s c", "3s d", "4s e"],
    failing: ["0s a", "1s b", "2s c", "3s d", "3s again", "4s e"],
  },
});
/** A sample report of `explore`. */
export const EXPLORED: ExploreReport = {
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
    { kind: "response_lost", at: "createWhitelabel#1", outcome: "right" },
    { kind: "webhook_late", at: EVENT, outcome: "wrong" },
    { kind: "webhook_twice", at: EVENT, outcome: "wrong" },
    { kind: "webhook_first", at: EVENT, outcome: "unknown" },
  ],
  not_tried: [{ kind: "read_stale", at: "*", reason: "the plain run has no place for it" }],
  looked_at: ["delivered", "status"],
  not_compared: [],
  notes: ["a warning"],
  sentence: "order: 3 single deviations",
};
