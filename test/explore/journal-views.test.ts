import { expect, it } from "vitest";
import { onSamePaths, PRESENT } from "../../src/tools/explore/sandbox/views.js";

const PLAIN = [
  { number: 1, what: "ordered" },
  { number: 2, what: "paid" },
];

it("a journal of arrived webhooks, or of codes, may have an entry twice", () => {
  const arrived = (count: number) => Array.from({ length: count }, () => ({ type: "charge.completed" }));
  const codes = (count: number) => Array.from({ length: count }, () => PRESENT);
  const words = (count: number) => Array.from({ length: count }, () => [["charge", "completed", PRESENT]]);
  for (const entries of [arrived, codes, words]) {
    const [view] = onSamePaths([{ body: { log: entries(1) } }], [{ log: entries(2) }], () => () => "way");
    expect(view).toEqual({ body: { log: PRESENT } });
  }
});

it.each([
  ["another entry on its way", true, ["ordered", "expired", "paid"]],
  ["fewer entries on its way", true, ["paid"]],
  ["the last entry twice", false, ["ordered", "paid", "paid"]],
  ["no last entry", false, ["ordered", "expired"]],
])("a journal that grows with the end alone and has %s: allowed %j", (_, isAllowed, entries) => {
  const seen = entries.map((what, index) => ({ number: index + 1, what }));
  const [view] = onSamePaths([{ body: { journal: PLAIN } }], [{ journal: seen }], () => () => "way");
  expect(view).toEqual({ body: { journal: isAllowed ? PRESENT : PLAIN } });
});
