import { describe, expect, it } from "vitest";
import { findJsonFault } from "../../src/core/domain/json-fault.js";

/** The first fault of a JSON text as one line; "" without one. */
function jsonFault(text: string): string {
  const fault = findJsonFault(text);
  return fault === undefined ? "" : `Line ${fault.line}, column ${fault.column}: ${fault.message}.`;
}

describe("a fault of JSON input", () => {
  it("a syntax error has its line, its column and the expected token", () => {
    for (const [text, fault] of [
      ['{"a": 1,\n "b": x}', 'Line 2, column 7: expected a value, found "x".'],
      ['{\n  "a": 1,\n}', 'Line 3, column 1: expected a name in double quotes, found "}".'],
      ['{"a" 1}', 'Line 1, column 6: expected ":", found "1".'],
      ['{"a": [1 2]}', 'Line 1, column 10: expected "," or "]", found "2".'],
      ["{'a': 1}", 'Line 1, column 2: expected a name in double quotes, found "\'".'],
      ['{"a": "é😀\n"}', 'Line 1, column 7: expected a value, found "\\"".'],
      ['{"a": 1', 'Line 1, column 8: expected "," or "}", the text ends.'],
      ['{"a": 1} 😀', 'Line 1, column 10: expected nothing more, found "😀".'],
      ["[".repeat(200_000), "Line 1"],
    ] as const)
      expect([text.slice(0, 20), jsonFault(text)]).toEqual([
        text.slice(0, 20),
        text.length > 1_000 ? expect.stringContaining(fault) : fault,
      ]);
    expect(jsonFault("[1]")).toBe("");
  });

  it("reports the first wrong character of invalid JSON", () => {
    const good = '{"a":[1,-2.5e+3,true,null,"\\u00e9\\n"],"b":{"c":{}},"d":[]}';
    for (let at = 0; at <= good.length; at++)
      for (const put of ["", ",", '"', "}", "]", "0", "\\", "x", " ", "\u0001", "\u00a0"]) {
        const text = good.slice(0, at) + put + good.slice(at + (put === "" ? 1 : 0));
        const isJson = canParse(text);
        const fault = jsonFault(text);
        expect([text, fault === ""]).toEqual([text, isJson]);
        if (!isJson)
          expect([text, fault]).toEqual([text, expect.stringMatching(/^Line 1, column \d+: expected .*\.$/)]);
      }
  });
});

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
