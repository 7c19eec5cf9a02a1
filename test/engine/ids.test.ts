import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  digestIntoSharedBuffer,
  digestOf,
  idOf,
  idOfHex,
  numberedHexDigest,
  numberedId,
} from "../../src/core/engine/ids.js";

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
          expect(numberedHexDigest(scope, kind as "charge", counter)).toBe(plain(scope, kind, counter));
    }),
  );
});

it("the digest of a charge's id is the same whether the id was made just now, before others or never", () => {
  const askedArb = fc.record({
    scope: fc.constantFrom("a", "b"),
    number: fc.integer({ min: 1, max: 60 }),
    isMade: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(askedArb, { maxLength: 80, size: "max" }), (asked) => {
      const ids: string[] = [];
      // A run first, so that some are made ahead of those who ask.
      for (let number = 1; number <= 40; number++) ids.push(numberedId("a", "charge", number));
      for (const { scope, number, isMade } of asked)
        ids.push(isMade ? numberedId(scope, "charge", number) : `ch_${scope}${number}`);
      for (const id of ids) expect(Buffer.from(digestIntoSharedBuffer(id))).toEqual(digestOf(id));
      for (let number = 41; number <= 80; number++) {
        const id = numberedId("a", "charge", number);
        expect(Buffer.from(digestIntoSharedBuffer(id)).toString("hex")).toBe(
          createHash("sha256").update(id).digest("hex"),
        );
      }
    }),
    { numRuns: 30 },
  );
});

it("a digest has two ids, of its first half and of digits behind them", () => {
  const hex = plain("a", "charge", 1);
  expect(idOfHex("charge", hex)).toBe(idOf("charge", Buffer.from(hex, "hex")));
  expect(idOfHex("checkout", hex, 1)).toBe(`co_${hex.slice(24, 48)}`);
});
