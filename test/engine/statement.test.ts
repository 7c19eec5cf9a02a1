import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../src/core/engine/records.js";
import { Statement } from "../../src/core/engine/statement.js";

function entry(seq: number, amount: string): LedgerEntry {
  return {
    entry_id: `le_${seq}`,
    seq,
    at: "2026-01-31T09:00:00.000Z",
    kind: "payment",
    mode: "test",
    organization_id: "org",
    currency: "USD",
    object_id: "ch_1",
    postings: [
      { account: "outside", amount: `-${amount}` },
      { account: "available", amount },
    ],
  };
}

describe("a statement", () => {
  it("takes back what was posted last, and says when it cannot", () => {
    const [first, second, third] = [entry(1, "1.00"), entry(2, "2.00"), entry(3, "4.00")];
    const statement = new Statement([second, first]);
    statement.add(third);
    expect(statement.removeNewest(third)).toBe(true);
    expect(statement.removeNewest(first)).toBe(false);
    statement.add(entry(4, "8.00"));
    const { total, items } = statement.page({ mode: "test" }, 0, 2);
    const told = items.map((row) => [row.entry.entry_id, row.before.available, row.after.available]);
    expect([total, told]).toEqual([
      3,
      [
        ["le_4", "3.00", "11.00"],
        ["le_2", "1.00", "3.00"],
      ],
    ]);
  });
});
