import fc from "fast-check";
import { expect, it } from "vitest";
import { findNearestWord } from "../../src/core/schema/nearest.js";

/** Computes the edit distance recursively. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  if (a[0] === b[0]) return distance(a.slice(1), b.slice(1));
  const swapped = a[0] === b[1] && a[1] === b[0] ? [distance(a.slice(2), b.slice(2))] : [];
  return (
    1 +
    Math.min(distance(a.slice(1), b), distance(a, b.slice(1)), distance(a.slice(1), b.slice(1)), ...swapped)
  );
}

const wordArb = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 6 });

const CURRENCIES = ["BTC", "ETH", "GHS", "KES", "NGN", "TZS", "UGX", "USD", "ZAR"];

it.each([
  ["KSH", "KES"],
  ["TSh", "TZS"],
  ["EUR", undefined],
  ["UYZ", undefined],
])("for the currency %s suggests %s, the only code with its first letter and another", (word, code) => {
  expect(findNearestWord(word, CURRENCIES)).toBe(code);
});

it("suggests the word with the fewest edits, then the longest common prefix", () => {
  fc.assert(
    fc.property(wordArb, fc.array(wordArb, { maxLength: 6 }), (word, known) => {
      const distances = known.map((candidate) => distance(word, candidate));
      const least = Math.min(...distances);
      const allowed = Math.max(1, Math.floor(word.length / 3));
      const starts = known.map((candidate, index) => {
        const end = [...word].findIndex((letter, at) => letter !== candidate[at]);
        return distances[index] === least ? (end === -1 ? word.length : end) : -1;
      });
      const best = starts.indexOf(Math.max(...starts));
      expect(findNearestWord(word, known)).toBe(least <= allowed ? known[best] : undefined);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ["defualt", ["default", "declined"], "default"],
  ["Default", ["default"], "default"],
  ["webhok_url", ["webhook_url", "webhooks"], "webhook_url"],
  ["nmae", ["name", "vars"], "name"],
  ["advence", ["advance", "freeze"], "advance"],
  ["mapp", ["app", "map"], "map"],
])("suggests a similar word for %s among %j: %s", (word, known, found) => {
  expect(findNearestWord(word, known)).toBe(found);
});

it("suggests nothing when no word is similar", () => {
  expect(findNearestWord("success", ["declined", "expired"])).toBeUndefined();
  expect(findNearestWord("success", [])).toBeUndefined();
});
