import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hexDigest } from "../../src/engine/ids.js";

const plain = (scope: string, kind: string, counter: number) =>
  createHash("sha256").update(`${scope}\0${kind}\0${counter}`).digest("hex");

it("the digest of an id is the same whatever was asked for before", () => {
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
          expect(hexDigest(scope, kind as "charge", counter)).toBe(plain(scope, kind, counter));
    }),
  );
});
