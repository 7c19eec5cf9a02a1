import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/library/index.js";
import { drawPair } from "./right-shops/bugs.js";
import { wordsOf } from "./right-shops/traits.js";
import { accusationsOf, exploreShop, reasonOfMiss } from "./right-shops/trial.js";

/** `npm run right-shops` tries more, with up to three payments in a flow. */
const SHOPS = Array.from({ length: 12 }, (_, index) => index + 1);
const SEED = "test";

describe.concurrent("explore", () => {
  it.each(SHOPS)("accuses no right shop, and finds the bug of its copy: shop %s", async (number) => {
    const { traits, bug } = drawPair(SEED, number, number % 4 === 0 ? { payments: "2" } : { payments: "1" });
    const right = await exploreShop(createSandbox, traits);
    expect(accusationsOf(right), wordsOf(traits)).toEqual([]);
    const planted = await exploreShop(createSandbox, traits, bug);
    expect(reasonOfMiss(bug, planted, right), bug).toBeUndefined();
  });

  it("finds late money that is kept where a polled history has another way to its end", async () => {
    const { traits, bug } = drawPair("fifth", 165);
    expect(bug).toBe("late_money_forgotten");
    const right = await exploreShop(createSandbox, traits);
    expect(reasonOfMiss(bug, await exploreShop(createSandbox, traits, bug), right)).toBeUndefined();
  });
});
