import { expect, it } from "vitest";
import { openSandbox } from "../../support/api-client.js";
import { flowOf, openFunctionShop, type ShopOptions } from "./shop.js";

interface Habit {
  /** Finds the orders of an e-mail address as the customer writes it, and stores it in lower case. */
  readonly confusesCase?: true;
  /** A coupon is gone once an order has it. */
  readonly burnsCoupons?: true;
  /** An e-mail address has one order, and one payment, for good. */
  readonly keepsFirstOrder?: true;
}

/** A shop with a coupon for each customer, which only an order that fails gives back. */
async function explored({ confusesCase, burnsCoupons, keepsFirstOrder }: Habit, options: ShopOptions = {}) {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox, options);
  const coupons = new Map<string, string>();
  const emails = new Map<string, string>();
  const flow = flowOf(shop, {
    see: {
      order: ({ id, email }) => {
        const isKnown = emails.get(id) === (confusesCase ? email : email.toLowerCase());
        return isKnown ? { email, ...shop.orders.get(id) } : {};
      },
    },
    async flow({ id, email, press, advance }) {
      await press("order", async () => {
        const user = coupons.get(email);
        const isFree = user === undefined || user === id || shop.orders.get(user)?.status === "failed";
        if (!isFree || (burnsCoupons && user !== undefined && user !== id))
          throw new Error("the coupon has been used");
        coupons.set(email, id);
        emails.set(id, email.toLowerCase());
        return shop.place((keepsFirstOrder && user) || id, email);
      });
      await advance("10s");
    },
  });
  const report = await sandbox.explore(flow, { throws: false });
  const notes = report.notes.filter((note) => /^(awkward_value|tried_again) at /.test(note));
  return { messages: report.findings.map(({ message }) => message), notes, report };
}

it("a shop in process that takes an e-mail in upper case and a second try is silent", async () => {
  const { messages, notes, report } = await explored({});
  expect({ messages, notes }).toEqual({ messages: [], notes: [] });
  const tried = report.singles.filter(({ kind }) => kind === "awkward_value" || kind === "tried_again");
  expect(tried.map(({ at, outcome }) => `${at}: ${outcome}`)).toEqual([
    "e-mail: right",
    "charge#1 declined: right",
    "charge#1 expired: right",
  ]);
});

it("a shop in process that does not find an e-mail in upper case has lost a payment", async () => {
  const { messages } = await explored({ confusesCase: true });
  expect(messages).toEqual(["with the e-mail QA+…@SHOP.TEST: paid, and the app shows nothing of it: {}"]);
});

it("a coupon that a failed payment burns in a shop in process is noted after each failure", async () => {
  const { messages, notes } = await explored({ burnsCoupons: true });
  expect({ messages, notes }).toEqual({
    messages: [],
    notes: ["declined", "expired"].map(
      (end) =>
        `tried_again at charge#1 ${end}: when the customer tries again after a payment that is ${end}, order: the app refuses: the coupon has been used`,
    ),
  });
});

it("a second try that a shop in process takes for the first is noted with the charges that are missing", async () => {
  const { messages, notes } = await explored({ keepsFirstOrder: true });
  expect(messages).toEqual([]);
  expect(notes).toEqual(
    ["declined", "expired"].map(
      (end) =>
        `tried_again at charge#1 ${end}: when the customer tries again after a payment that is ${end}: 0 completed charges, unlike in a plain run`,
    ),
  );
});
