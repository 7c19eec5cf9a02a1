import { describe, expect, it } from "vitest";
import { openDashboard, textOf } from "./support/dashboard.js";

describe("Money", () => {
  it("each ledger entry shows the balance before and after it", async () => {
    const { charge, page, press, sandbox } = await openDashboard();
    for (let count = 0; count < 18; count++) await charge(`ada${count}@example.com`);
    expect(textOf(await page("/money"))).toContain("No money has moved.");
    await sandbox.advance("3d");
    await press("fundBalance?mode=test", { currency: "KES", amount: "10.00" });
    const rowsOf = (text: string) =>
      [...text.matchAll(/<tr data-key="le_\d+">(.*?)<\/tr>/gs)].map((row) => textOf(row[1]!));
    const first = await page("/money");
    const total = Number(/Ledger: (\d+)/.exec(first)![1]);
    const rows = rowsOf(first);
    for (let offset = 30; offset < total; offset += 30)
      rows.push(...rowsOf(await page(`/money?ledger=${offset}`)));
    expect(total).toBe(rows.length);
    expect(total).toBeGreaterThan(30);
    const account = (currency: string) => rows.filter((row) => row.includes(` ${currency} `)).reverse();
    for (const currency of ["USD", "KES"]) {
      let held: string | undefined;
      for (const row of account(currency)) {
        const [, before, after] = / (\S+) → (\S+) $/.exec(row)!;
        if (held !== undefined) expect([row, before]).toEqual([row, held]);
        held = after;
      }
      expect(textOf(first)).toMatch(new RegExp(` ${currency} ${held?.replaceAll(".", "\\.")} `));
    }
    expect(first).toContain('href="../../../_sandbox/dashboard/default/charges/ch_');
    // A restored state has a separate ledger.
    await press("createSnapshot", { name: "one" });
    await press("fundBalance?mode=test", { currency: "KES", amount: "5.00" });
    expect(await page("/money")).toContain(`Ledger: ${total + 1}`);
    await press("restoreSnapshot?name=one");
    expect(await page("/money")).toContain(`Ledger: ${total}<`);
  });
});
