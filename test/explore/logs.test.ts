import { expect, it } from "vitest";
import { onSamePaths, PRESENT } from "../../src/tools/explore/sandbox/views.js";

const PLAIN = [
  { number: 1, what: "ordered" },
  { number: 2, what: "paid" },
];

it.each([
  ["another entry on its way", ["ordered", "expired", "paid"], true],
  ["fewer entries on its way", ["paid"], true],
  ["the last entry twice", ["ordered", "paid", "paid"], false],
  ["no last entry", ["ordered", "expired"], false],
])("a log that grows with the end alone and has %s: %#", (_, entries, isAllowed) => {
  const seen = entries.map((what, index) => ({ number: index + 1, what }));
  const [view] = onSamePaths([{ body: { log: PLAIN } }], [{ log: seen }], () => () => "way");
  expect(view).toEqual({ body: { log: isAllowed ? PRESENT : PLAIN } });
});
