import { expect, it } from "vitest";
import { openSandbox } from "../../support/api-client.js";
import { couponShop, slotShop, stockShop, walletShop } from "./reports.js";

it.each([
  [couponShop, 'order 2, after one that was never paid, shows order.price "1105.10", not "884.08"', 6],
  [slotShop, "both orders are paid; one after the other, the app refuses the second", 6],
  [stockShop, "nothing is paid, but stock.left is 4, not 5 as before", 2],
  [walletShop, "wallet.balance is 1105, not 2210 as after two, one after the other", 5],
])("%o: its bug is found by lives alone, and with the fix nothing is", async (open, message, acts) => {
  for (const isFixed of [false, true]) {
    const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
    const { findings, lives } = await sandbox.explore(await open(sandbox, isFixed), { throws: false });
    expect(findings.map((one) => one.message)).toEqual(isFixed ? [] : [message]);
    expect(findings.map((one) => one.acts?.length)).toEqual(isFixed ? [] : [acts]);
    expect(lives).toMatchObject({ lives: 400, of: 400 });
  }
});
