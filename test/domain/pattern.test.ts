import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Pattern, patternOf } from "../../src/schema/pattern.js";

function made(source: string): Pattern {
  const pattern = patternOf(source);
  if (typeof pattern === "string") throw new Error(pattern);
  return pattern;
}

/** Patterns over few characters, so that they often fit. */
const atom = fc.constantFrom(
  "a",
  "b",
  ".",
  "[ab]",
  "[^a]",
  "\\w",
  "\\d",
  "\\.",
  "\\b",
  "^",
  "$",
  "\\u{1F600}",
  "😀",
);
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    atom,
    fc
      .tuple(tie("pattern"), fc.constantFrom("", "*", "+", "?", "*?", "{2}", "{1,}", "{0,2}", "{0}"))
      .map(([inner, loop]) => `(?:${inner})${loop}`),
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(${a}|${b})`),
  ),
  pattern: fc.array(tie("part"), { minLength: 0, maxLength: 3 }).map((parts) => parts.join("")),
}));

describe("a pattern", () => {
  it("finds what the machine's own engine finds", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "1", ".", " ", "\n", "😀"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, held) => {
        fc.pre(source.length <= 200 && typeof patternOf(source) !== "string");
        expect(made(source).isIn(held)).toBe(new RegExp(source, "u").test(held));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ["^KE-\\d{4,6}$", "KE-12345", true],
    ["^KE-\\d{4,6}$", "KE-1234567", false],
    ["(?<year>\\d{4})-\\d\\d", "in 2026-11", true],
    ["[\\]a-c]+$", "x]b", true],
    ["\\p{Lu}", "émile É", true],
    ["a|", "", true],
  ])("%s in %j is %s", (source, text, found) => {
    expect(made(source).isIn(text)).toBe(found);
  });

  it.each([
    ["(a+)+$", "a".repeat(9_999)],
    ["^(a|aa)*$", "a".repeat(9_999)],
    [".*.*.*.*.*.*.*=x", "a".repeat(9_999)],
    ["^(a?){100}a{100}$", "a".repeat(9_999)],
  ])("that would keep another engine busy for ever is done at once: %s", (source, text) => {
    expect(made(source).isIn(`${text}b`)).toBe(false);
  });

  it.each([
    ["(?=a)", "look-around and back references are not taken"],
    ["(?<!a)b", "look-around and back references are not taken"],
    ["(a)\\1", "look-around and back references are not taken"],
    ["(a", "is no regular expression: Unterminated group"],
    ["((a{99}){99}){99}", "must come to at most 500 parts with its repeats written out"],
    ["(?:){999999999}(?:a{0,999999999})", "must come to at most 500 parts with its repeats written out"],
    ["a".repeat(201), "must be at most 200 characters"],
  ])("%s is refused: %s", (source, fault) => {
    expect(patternOf(source)).toBe(fault);
  });
});
