import { describe, expect, it } from "vitest";
import type {
  ChargeTimelineEntry,
  Scenario,
  WithdrawalTimelineEntry,
} from "../../src/core/schema/scenario-rules.js";
import { ruleWarnings, timelineWarnings } from "../../src/tools/scenario/scenario-warnings.js";

const ofCharge = (...timeline: ChargeTimelineEntry[]) =>
  timelineWarnings({ name: "x", charges: [{ timeline }] }).map(({ path, message }) => [path.at(-1), message]);
const ofWithdrawal = (...timeline: WithdrawalTimelineEntry[]) =>
  timelineWarnings({ name: "x", withdrawals: [{ timeline }] }).map(({ path, message }) => [
    path.at(-1),
    message,
  ]);

describe("a warning of what can never happen", () => {
  it("is not given for what can", () => {
    expect(
      ofCharge(
        { after: "1s", to: "AWAITING_PAYMENT" },
        { after: "2s", to: "PROCESSING" },
        // Paid is paid: it does not expire, however long it takes.
        { after: "2h", to: "COMPLETED" },
        { after: "30d", to: "REFUNDED" },
      ),
    ).toEqual([]);
    expect(
      ofCharge(
        { after: "59m59s", to: "AWAITING_PAYMENT" },
        { after_expiry: "5m", to: "PROCESSING" },
        { after: "2h", to: "COMPLETED" },
      ),
    ).toEqual([]);
    expect(ofCharge({ after: "1s", to: "EXPIRED" }, { after_expiry: "2h", to: "COMPLETED" })).toEqual([]);
    expect(ofWithdrawal({ after: "1d", to: "PROCESSING" }, { after: "1d", to: "FAILED" })).toEqual([]);
  });

  it("is given for a status that cannot follow, or is there already", () => {
    expect(
      ofCharge(
        { after: "1s", to: "COMPLETED" },
        { after: "1s", to: "FAILED" },
        { after: "1s", to: "REFUNDED" },
      ),
    ).toEqual([[1, "never happens: a charge that is COMPLETED cannot become FAILED"]]);
    expect(ofCharge({ after: "1s", to: "FAILED" }, { after: "1s", to: "FAILED" })).toEqual([
      [1, "has no effect: the charge is already FAILED"],
    ]);
    expect(ofWithdrawal({ after: "1s", to: "COMPLETED" }, { after: "1s", to: "PENDING" })).toEqual([
      [0, "never happens: a withdrawal that is PENDING cannot become COMPLETED"],
      [1, "has no effect: the withdrawal is already PENDING"],
    ]);
  });

  it("is given for what comes when the charge has expired", () => {
    expect(ofCharge({ after: "30m", to: "AWAITING_PAYMENT" }, { after: "30m", to: "COMPLETED" })).toEqual([
      [
        1,
        "never happens: the charge is AWAITING_PAYMENT until it expires after 1h (the default); a late payment is written after_expiry",
      ],
    ]);
    const until = "until it expires after 1h (the default); a late payment is written after_expiry";
    expect(ofCharge({ after: "2h", to: "AWAITING_PAYMENT" }, { after: "1s", to: "PROCESSING" })).toEqual([
      [0, `never happens: the charge is PENDING ${until}`],
      [1, `never happens: the charge is PENDING ${until}`],
    ]);
    expect(ofCharge({ after: "1s", to: "EXPIRED" }, { after: "2h", to: "COMPLETED" })).toEqual([
      [
        1,
        "never happens: entry 1 of the timeline makes the charge EXPIRED, which ends it; a late payment is written after_expiry",
      ],
    ]);
  });

  it("is given for what waits for an expiry that never comes, and what counts from that", () => {
    expect(
      ofCharge(
        { after: "1s", to: "PROCESSING" },
        { after_expiry: "1s", to: "COMPLETED" },
        { after: "1s", to: "REFUNDED" },
      ),
    ).toEqual([
      [1, "never happens: a charge that is PROCESSING does not expire"],
      [2, "never happens: it counts from an entry that waits for an expiry, which never comes"],
    ]);
  });
});

const ofRules = (rules: Partial<Scenario>) =>
  ruleWarnings({ name: "x", ...rules }).map(({ path, message }) => [path.join("."), message]);
const LEAST = { timeline: [] };
const KES = { match: { currency: "KES" } };

describe("a warning of a rule", () => {
  it("is given for one after another that takes all of its charges", () => {
    const taken = (by: number) => `never applies: rule ${by} matches everything this rule matches`;
    expect(ofRules({ charges: [LEAST, { ...LEAST, ...KES }] })).toEqual([["charges.1", taken(1)]]);
    expect(ofRules({ charges: [{ ...LEAST, ...KES }, LEAST, { ...LEAST, ...KES }] })).toEqual([
      ["charges.2", taken(1)],
    ]);
    expect(ofRules({ faults: [{ drop: "after", match: {} }, { drop: "before" }] })).toEqual([
      ["faults.1", taken(1)],
    ]);
    expect(ofRules({ charges: [{ ...LEAST, ...KES }, LEAST], withdrawals: [LEAST] })).toEqual([]);
  });

  it("is not given for one after another that is used up, over, or taken by chance", () => {
    expect(ofRules({ webhooks: [{ down: "1h" }, { copies: 2 }] })).toEqual([]);
    for (const some of [{ times: 1 }, { skip: 1 }, { probability: 0.5 }])
      expect(ofRules({ faults: [{ drop: "after", ...some }, { drop: "before" }] })).toEqual([]);
  });

  it("is given for one that is taken never, and for what is said of copies there are none of", () => {
    expect(
      ofRules({ charges: [{ ...LEAST, probability: 0 }], faults: [{ drop: "after", probability: 0 }] }),
    ).toEqual([
      ["charges.0.probability", "is 0: the rule never applies"],
      ["faults.0.probability", "is 0: the rule never applies"],
    ]);
    expect(
      ofRules({
        webhooks: [
          { at_once: true, ids: "new" },
          { copies: 2, at_once: true, ids: "new" },
        ],
      }),
    ).toEqual([
      ["webhooks.1", "never applies: rule 1 matches everything this rule matches"],
      ["webhooks.0.at_once", "has no effect without copies"],
      ["webhooks.0.ids", "has no effect without copies"],
    ]);
  });

  it("is given for what a further attempt at a webhook has not, and leaves the first to other rules", () => {
    expect(ofRules({ webhooks: [{ copies: 2 }, { attempt: 2, delay: "1m", times: 1 }] })).toEqual([]);
    expect(
      ofRules({ webhooks: [{ attempt: 2, swap: true, drop: true }, { attempt: 3 }, { attempt: 3 }] }),
    ).toEqual([
      ["webhooks.2", "never applies: rule 2 matches everything this rule matches"],
      ["webhooks.0.swap", "has no effect: a rule with attempt takes only delay, copies and lose_answer"],
      ["webhooks.0.drop", "has no effect: a rule with attempt takes only delay, copies and lose_answer"],
      ["webhooks.2", "has no effect: it changes nothing about the webhooks it matches"],
    ]);
  });

  it("is given for one that does nothing to webhooks, unless it leaves some out of what follows", () => {
    for (const nothing of [{}, { copies: 1 }, { drop: false, fail_first: 0, delay: "0s" }])
      expect(ofRules({ webhooks: [{ ...KES, ...nothing }] })).toEqual([
        ["webhooks.0", "has no effect: it changes nothing about the webhooks it matches"],
      ]);
    expect(ofRules({ webhooks: [KES, { drop: true }] })).toEqual([]);
    expect(ofRules({ webhooks: [{ copies: 2, drop: true }] })).toEqual([
      ["webhooks.0.copies", "has no effect: the rule drops the webhook"],
    ]);
  });
});
