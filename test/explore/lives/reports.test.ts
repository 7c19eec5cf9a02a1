import { expect, it } from "vitest";
import { openSandbox } from "../../support/api-client.js";
import { couponShop, slotShop, stockShop, walletShop } from "./reports.js";

it.each([
  [
    "a coupon is burnt by an order that is never paid",
    couponShop,
    'order 2, after one that was never paid, shows order.price "1105.10", not "884.08"',
    6,
  ],
  [
    "two guests pay for one slot",
    slotShop,
    "both orders are paid; one after the other, the app refuses the second",
    6,
  ],
  [
    "stock never comes back from an expired payment",
    stockShop,
    "nothing is paid, but stock.left is 4, not 5 as before",
    2,
  ],
  [
    "of two payments at once one is lost",
    walletShop,
    "wallet.balance is 1105, not 2210 as after two, one after the other",
    5,
  ],
])("%s: only lives find it, and nothing is found with its fix", async (_report, open, message, acts) => {
  for (const isFixed of [false, true]) {
    const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
    const { findings, lives } = await sandbox.explore(await open(sandbox, isFixed), { throws: false });
    expect(findings.map((one) => one.message)).toEqual(isFixed ? [] : [message]);
    expect(findings.map((one) => one.acts?.length)).toEqual(isFixed ? [] : [acts]);
    expect(lives).toMatchObject({ lives: 400, of: 400 });
  }
});
