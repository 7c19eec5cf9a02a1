import { expect, it } from "vitest";
import { compilePattern } from "../../src/core/schema/pattern.js";

it.each([
  ["(a", "is not a regular expression: Unterminated group"],
  ["a".repeat(201), "must be at most 200 characters"],
])("the pattern %s is refused: %s", (source, fault) => {
  expect(compilePattern(source)).toBe(fault);
});

it("a pattern is in Unicode mode, and takes look-ahead", () => {
  expect(compilePattern("^\\p{Lu}(?=\\d)")).toEqual(/^\p{Lu}(?=\d)/u);
});
