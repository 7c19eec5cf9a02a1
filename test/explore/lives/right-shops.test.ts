import { expect, it } from "vitest";
import { createSandbox } from "../../../src/library/index.js";
import { liveInShop } from "../right-shops/lives.js";
import { drawTraits, wordsOf } from "../right-shops/traits.js";

it.each(["lives 1", "lives 2", "lives 3", "calls 8"])("lives accuse no right shop: shop %s", async (seed) => {
  const traits = drawTraits(seed, {}, { payments: "1" });
  const { findings, lives } = await liveInShop(createSandbox, traits, 40);
  expect(findings, wordsOf(traits)).toEqual([]);
  expect(lives).toMatchObject({ lives: 40 });
});
