import fc from "fast-check";
import { expect, it } from "vitest";
import { globMatches, matchesAnyGlob } from "../../src/core/domain/glob.js";

/** A simple implementation to compare with. */
function model(glob: string, text: string): boolean {
  if (glob === "") return text === "";
  const rest = glob.slice(1);
  if (glob[0] === "*") return model(rest, text) || (text !== "" && model(glob, text.slice(1)));
  return text !== "" && (glob[0] === "?" || glob[0] === text[0]) && model(rest, text.slice(1));
}

const globArb = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "."), maxLength: 8 });
const textArb = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 10 });

it("matches like a simple implementation for random globs", () => {
  fc.assert(
    fc.property(globArb, textArb, (glob, text) => {
      expect(globMatches(glob, text)).toBe(model(glob, text));
    }),
    { numRuns: 5_000 },
  );
});

it("a glob without wildcards matches only itself", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      fc.pre(!/[*?]/.test(a));
      expect(globMatches(a, a)).toBe(true);
      expect(globMatches(a, b)).toBe(a === b);
    }),
  );
});

it.each([
  ["charge.*", "charge.completed", true],
  ["charge.*", "withdrawal.completed", false],
  ["*.completed", "charge.completed", true],
  ["*049", "+254700000049", true],
  ["*049", "+2547000000490", false],
  ["declined@*", "declined@shop.test", true],
  ["qa+1@shop.test", "qa+1@shop.test", true],
  ["a.c", "abc", false],
  ["[ab]", "a", false],
  ["*", "", true],
  ["?", "", false],
  ["", "", true],
  ["", "a", false],
  ["50\\*", "50*", true],
  ["50\\*", "500", false],
  ["wh\\?", "wh?", true],
  ["wh\\?", "who", false],
  ["\\**", "*is it?", true],
  ["*\\*", "5*", true],
  ["*a\\?b*", "xa?by", true],
  ["*a\\?b*", "xaxby", false],
  ["C:\\\\*", "C:\\temp", true],
  ["C:\\\\*", "C:*", false],
  ["C:\\temp", "C:\\temp", true],
  ["\\\\host", "\\\\host", true],
])("matching %s against %s returns %s", (glob, text, matches) => {
  expect(globMatches(glob, text)).toBe(matches);
});

it("a glob of only stars matches everything", () => {
  expect(globMatches("*".repeat(200), "a".repeat(20_000))).toBe(true);
});

it("a list of globs matches when one of them matches", () => {
  expect(matchesAnyGlob(["KES", "U*"], "UGX")).toBe(true);
  expect(matchesAnyGlob(["KES", "U*"], "NGN")).toBe(false);
  expect(matchesAnyGlob([], "NGN")).toBe(false);
});

it("a star does not match a missing value", () => {
  expect(matchesAnyGlob("*", null)).toBe(false);
  expect(matchesAnyGlob(["*"], undefined)).toBe(false);
  expect(matchesAnyGlob("*", "")).toBe(true);
});
