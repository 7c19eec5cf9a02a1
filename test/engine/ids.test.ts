import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { idOf, idOfHex, numberedHexDigest } from "../../src/core/engine/ids.js";

const plain = (scope: string, kind: string, counter: number) =>
  createHash("sha256").update(`${scope}\0${kind}\0${counter}`).digest("hex");

it("the digest of an id does not depend on earlier calls", () => {
  const runArb = fc.record({
    scope: fc.constantFrom("a", "b"),
    kind: fc.constantFrom("charge", "event"),
    from: fc.integer({ min: 1, max: 20 }),
    length: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(runArb, { maxLength: 6 }), (runs) => {
      for (const { scope, kind, from, length } of runs)
        for (let counter = from; counter < from + length; counter++)
          expect(numberedHexDigest(scope, kind as "charge", counter)).toBe(plain(scope, kind, counter));
    }),
  );
});

it("a digest makes two ids, from its first half and from the digits after it", () => {
  const hex = plain("a", "charge", 1);
  expect(idOfHex("charge", hex)).toBe(idOf("charge", Buffer.from(hex, "hex")));
  expect(idOfHex("checkout", hex, 1)).toBe(`co_${hex.slice(24, 48)}`);
});
