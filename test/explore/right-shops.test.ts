import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/library/index.js";
import { BUGS, type Bug, drawPair } from "./right-shops/bugs.js";
import { type Conduct, conductOrder, drawConduct, ENDS, type End } from "./right-shops/conduct.js";
import { openShop } from "./right-shops/trial.js";

const SHOPS = Array.from({ length: 20 }, (_, index) => index + 1);
const SEED = "books";

/** A disturbance by which each bug does damage. */
const DAMAGE: Readonly<Record<Bug, Partial<Conduct>>> = {
  delivers_copies: { webhooks: "twice", type: "charge.completed" },
  any_money: { end: "underpaid" },
  last_event_wins: { webhooks: "late", type: "charge.processing" },
  pays_again: { fault: "response lost", operation: "createWhitelabel" },
  late_money_forgotten: { end: "paid late" },
  half_is_whole: { end: "half refunded" },
  return_is_proof: { end: "only returned" },
  early_webhook_dropped: {
    end: "paid at once",
    fault: "held for a webhook",
    operation: "createWhitelabel",
    maxHeld: "30s",
  },
  marked_before_done: { end: "paid at once", fault: "failing", operation: "getCharge" },
  delivers_unpaid: { end: "declined" },
};

const UNDISTURBED: Conduct = {
  end: "paid",
  webhooks: "on time",
  type: "*",
  fault: "none",
  operation: "getCharge",
  times: 1,
  maxHeld: "300ms",
  isPressedTwice: false,
};

describe.concurrent("the books of a shop that is drawn from a seed", () => {
  it.each(SHOPS)("agree with the ledger, whatever goes wrong: shop %s", async (number) => {
    const { traits } = drawPair(SEED, number);
    const opened = await openShop(createSandbox, traits);
    try {
      for (const end of Object.keys(ENDS) as End[]) {
        const conduct = drawConduct(`${SEED} ${number} ${end}`, end);
        expect(await conductOrder(opened, traits, conduct), JSON.stringify({ conduct, traits })).toEqual([]);
      }
    } finally {
      await opened.close();
    }
  });

  it.each(Object.keys(BUGS) as Bug[])("disagree with the ledger if it has the bug %s", async (bug) => {
    const number = Object.keys(BUGS).indexOf(bug) + 1;
    // With these the webhook of a payment that completes at once is the first, and its read too.
    const given = { checkout: "whitelabel", early: "adopts" } as const;
    const { traits } = drawPair(SEED, number, bug === "return_is_proof" ? {} : given);
    for (const [planted, isRight] of [[undefined, true] as const, [bug, false] as const]) {
      const opened = await openShop(createSandbox, traits, planted);
      try {
        const differences = await conductOrder(opened, traits, { ...UNDISTURBED, ...DAMAGE[bug] });
        expect(differences.length === 0, `${planted}: ${differences.join("; ")}`).toBe(isRight);
      } finally {
        await opened.close();
      }
    }
  });
});
