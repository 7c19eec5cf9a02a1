import fc from "fast-check";
import { expect, it } from "vitest";
import { compilePattern } from "../../src/core/schema/pattern.js";

const NEEDS_BACKTRACKING =
  "must not use look-ahead, look-behind or back-references, whose matching time has no limit";

it.each([
  ["(a", "is not a regular expression: Unterminated group"],
  ["a".repeat(201), "must be at most 200 characters"],
  ["\\p{Lu}(?=\\d)", NEEDS_BACKTRACKING],
  ["a(?!b)", NEEDS_BACKTRACKING],
  ["(?<=a)b", NEEDS_BACKTRACKING],
  ["(?<!a)b", NEEDS_BACKTRACKING],
  ["(a)\\1", NEEDS_BACKTRACKING],
  ["(?<n>a)\\k<n>", NEEDS_BACKTRACKING],
  ["a{1001}", "is too large: with its repetitions written out, it has more than 500 steps"],
  [
    "(((){99999999}){99999999}a?){99999999}",
    "is too large: with its repetitions written out, it has more than 500 steps",
  ],
  ["(?:a{500}|b{510})c", "is too large: with its repetitions written out, it has more than 500 steps"],
])("refuses the pattern %s: %s", (source, fault) => {
  expect(compilePattern(source)).toBe(fault);
});

function matches(source: string, text: string): boolean | string {
  const pattern = compilePattern(source);
  if (typeof pattern === "string") throw new Error(`${source} ${pattern}`);
  return pattern.test(text);
}

it("matches in linear time where JavaScript would backtrack exponentially", () => {
  const textOf = (length: number) => `${"a".repeat(length)}!`;
  const milliseconds = (length: number): number => {
    const start = performance.now();
    for (const source of ["^(a+)+$", "(a*)*b", "(a|a)*b", "(.*a){12}x"])
      expect(matches(source, textOf(length))).toBe(false);
    return performance.now() - start;
  };
  milliseconds(100);
  expect(milliseconds(9_000)).toBeLessThan(1_000);
});

function isValid(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}

/** Parts of patterns, with texts that engines may match differently. */
const ATOMS = [
  ..."aZ_09-é😀/ ",
  ...[
    ".",
    "\\s",
    "\\S",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\n",
    "\\r",
    "\\t",
    "\\v",
    "\\f",
    "\\0",
    "\\cJ",
    "\\cj",
  ],
  ...["\\x41", "\\u0041", "\\u{41}", "\\u{1F600}", "\\ud83d\\ude00", "\\u2028", "\\/", "\\.", "\\[", "\\]"],
  ...[
    "[]",
    "[^]",
    "[a-c]",
    "[^a-c]",
    "[\\s]",
    "[^\\s]",
    "[\\S]",
    "[^\\S]",
    "[\\s\\d]",
    "[\\b]",
    "[[:alpha:]",
  ],
  ...[
    "[[]",
    "[.]",
    "[a-]",
    "[\\-a]",
    "[^^]",
    "[\\]]",
    "[\\u{1F600}-\\u{1F64F}]",
    "[\\ud83d\\ude00]",
    "[(?=]",
  ],
  ...["\\p{L}", "\\P{L}", "\\p{Lu}", "\\p{Script=Greek}", "\\p{sc=Latin}", "\\p{gc=Nd}", "[\\p{L}\\d]"],
  ...["(?:a|b)", "(a|b)", "(?<name>a|b)", "(?<$é>a)", "\\b", "\\B", "^", "$"],
];
const CHARACTERS = [
  ..."abcZ_09-é /[]().:^=?\0\b\n\r\t\v\f\u00a0\u1680\u2028\u2029\ufeff\u180e\u0085Ωα٣".split(""),
  "😀",
  "🙄",
];

it("matches the same strings as JavaScript", () => {
  const atom = fc.constantFrom(...ATOMS);
  const isAssertion = (text: string): boolean => ["\\b", "\\B", "^", "$"].includes(text);
  const part = fc
    .tuple(atom, fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}", "*?"))
    .map(([text, quantifier]) => (isAssertion(text) ? text : text + quantifier));
  const pattern = fc
    .array(part, { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(""))
    .filter(isValid);
  const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 6 }).map((all) => all.join(""));
  fc.assert(
    fc.property(pattern, text, (source, input) => {
      expect([source, input, matches(source, input)]).toEqual([
        source,
        input,
        new RegExp(source, "u").test(input),
      ]);
    }),
    { numRuns: 5_000 },
  );
});
