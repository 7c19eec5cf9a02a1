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
  it("has the entries in order, with the balances before and after each", () => {
    const [first, second, third] = [entry(1, "1.00"), entry(2, "2.00"), entry(3, "4.00")];
    const statement = new Statement([second, first]);
    statement.add(third);
    const { total, items } = statement.page({ mode: "test" }, 0, 2);
    const told = items.map((row) => [row.entry.entry_id, row.before.available, row.after.available]);
    expect([total, told]).toEqual([
      3,
      [
        ["le_3", "3.00", "7.00"],
        ["le_2", "1.00", "3.00"],
      ],
    ]);
  });
});
