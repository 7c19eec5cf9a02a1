import fc from "fast-check";
import { expect, it } from "vitest";
import { isWithoutBackoff } from "../../src/core/namespace/advice.js";

const told = (pauses: readonly number[]) => isWithoutBackoff(pauses);
const steady = (count: number, pause: number) => Array<number>(count).fill(pause);
const growing = (count: number, factor: number, most = Number.POSITIVE_INFINITY) =>
  Array.from({ length: count }, (_, index) => Math.min(1_000 * factor ** index, most));

it.each([
  ["one pace", steady(5, 2_000)],
  ["one pace, then a long pause", [...steady(29, 1_000), 20 * 60_000]],
  ["one pace, with long pauses", [1_000, 1_000, 9_000, 1_000, 1_000, 30_000, 1_000, 1_000]],
  ["two reads at once, then one pace", [3, ...steady(9, 1_000)]],
  ["one pace that gets faster", [3_000, 2_500, 2_000, 1_500, 1_000, 900]],
  ["one pace, then another", [...steady(6, 1_000), ...steady(20, 30_000)]],
  ["one pace and reads at one instant", [1_000, 0, 1_000, 0, 0, 1_000, 1_000, 1_000]],
  ["no pause at all", [0, 1, 2, 4, 5, 7]],
  ["one pace on a busy machine", [300, 302, 305, 640, 307, 309, 311]],
])("reports polling without backoff: %s", (_name, pauses) => expect(told(pauses)).toBe(true));

it.each([
  ["few reads", steady(4, 1_000)],
  ["pauses that double from a short one", growing(10, 2).map((pause) => pause / 10)],
  ["pauses that double", growing(10, 2)],
  ["pauses that double up to a maximum", growing(40, 2, 30_000)],
  ["pauses that grow by a second each", Array.from({ length: 30 }, (_, index) => 1_000 * (index + 1))],
  ["pauses that grow by a fifth", growing(30, 1.2)],
  ["pauses that grow by a fiftieth", growing(30, 1.02)],
  ["pauses that grow by a half up to a maximum", growing(40, 1.5, 60_000)],
  ["pauses that double every other time", growing(16, 2).flatMap((pause) => [pause, pause])],
])("does not report polling: %s", (_name, pauses) => expect(told(pauses)).toBe(false));

it("reports polling despite small variations of the interval", () => {
  const lateness = fc.array(fc.nat(40), { minLength: 11, maxLength: 40 });
  fc.assert(
    fc.property(lateness, (late) => {
      expect(told(late.map((ms) => 100 + ms))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

it("does not report backoff with jitter", () => {
  const shares = fc.array(fc.double({ min: 0.75, max: 1, noNaN: true }), { minLength: 3, maxLength: 40 });
  fc.assert(
    fc.property(shares, (chance) => {
      const pauses = growing(chance.length, 2, 60_000).map((pause, index) => pause * chance[index]!);
      expect(told(pauses)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
