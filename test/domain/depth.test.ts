import fc from "fast-check";
import { expect, it } from "vitest";
import { isTooDeep, MAX_JSON_DEPTH, parseJsonOrText } from "../../src/core/schema/json-objects.js";

/** Returns how deeply brackets are nested, ignoring those in strings. */
function depthOf(json: string): number {
  let open = 0;
  let most = 0;
  for (const sign of json.replace(/"(?:[^"\\]|\\.)*"/g, "")) {
    if (sign === "[" || sign === "{") most = Math.max(most, ++open);
    else if (sign === "]" || sign === "}") open--;
  }
  return most;
}

const nested = (levels: number, inner = "") => "[".repeat(levels) + inner + "]".repeat(levels);

it("measures how deeply brackets are nested in any JSON text", () => {
  fc.assert(
    fc.property(fc.json({ depthSize: "large", maxDepth: 12 }), fc.nat(14), (json, levels) => {
      expect(isTooDeep(JSON.parse(json), levels)).toBe(depthOf(json) > levels);
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  [MAX_JSON_DEPTH, false],
  [MAX_JSON_DEPTH + 1, true],
  [500_000, true],
])("a depth of %d levels is too deep: %s", (levels, isTooMuch) => {
  expect(isTooDeep(JSON.parse(nested(levels)))).toBe(isTooMuch);
  expect(isTooDeep({ a: [1, JSON.parse(nested(levels - 2, "{}"))] })).toBe(levels > MAX_JSON_DEPTH - 1);
});

it("JSON text that is nested too deeply stays a string", () => {
  expect(parseJsonOrText('{"a":[1]}')).toEqual({ a: [1] });
  expect(parseJsonOrText("no JSON")).toBe("no JSON");
  expect(parseJsonOrText(nested(MAX_JSON_DEPTH + 1))).toBe(nested(MAX_JSON_DEPTH + 1));
});
