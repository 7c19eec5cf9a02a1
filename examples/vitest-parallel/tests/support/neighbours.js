import { expect, it } from "vitest";

/**
 * Every file does this, under the same names and at the same time. It holds only as long as no file sees another's
 * orders, money, time or snapshots.
 */
export function itIsAlone({ sandbox, shop, advance, balance }, { sales }) {
  it("sees nothing of the files that run at the same time", async () => {
    expect((await sandbox("GET", "/snapshots")).items).toEqual([]);
    const { now } = await sandbox("GET", "/clock");
    for (let sold = 1; sold <= sales; sold++) {
      const order = await shop.order({ id: `order-${sold}`, email: "ada@example.com", price: "100.00" });
      await advance("1m");
      expect(order).toMatchObject({ status: "paid", shipments: 1 });
    }
    expect(await balance()).toBe(`${sales * 100}.00`);
    expect((await sandbox("GET", "/charges")).total).toBe(sales);
    const later = (await sandbox("GET", "/clock")).now;
    expect(Date.parse(later) - Date.parse(now)).toBe(sales * 60_000);

    await sandbox("POST", "/snapshots", { name: "sold" });
    await sandbox("POST", "/reset");
    expect(await balance()).toBe("0.00");
    await sandbox("POST", "/snapshots/sold/restore");
    expect(await balance()).toBe(`${sales * 100}.00`);
  });
}
