import { expect, it } from "vitest";
import { add, decimalsOf, subtract } from "../../src/core/domain/money.js";
import { Api, openSandbox } from "../support/api-client.js";
import { CheckoutPage } from "./support/checkouts.js";
import { textOf } from "./support/dashboard.js";

const plain = (text: string) => textOf(`<main>${text}`).replaceAll("\u00a0", " ").replaceAll(",", "").trim();

/** Amounts by the label before them: `Price USD 25.00` → `{ Price: "25.00" }`. */
function amountsOf(text: string, labels: readonly string[]) {
  return Object.fromEntries(
    labels.map((label) => [label, new RegExp(`${label} \\w+ ([\\d.]+)`).exec(text)?.[1]]),
  );
}

it.each(["USD", "KES"])(
  "the amounts and counts of a checkout in %s are those of its offers",
  async (base_currency) => {
    const page = await CheckoutPage.create(await openSandbox(), {
      pricing: { base_currency, amount: "1588750.10" },
    });
    const { text } = await page.get();
    const { offers, methods } = await page.sandbox.run("getControlCheckout", {
      checkout_id: page.checkout.checkout_id,
    });
    const shown = [...text.matchAll(/<div class="method">.*?(?=<div class="method">|<\/form>)/gs)].map(
      ([one]) => one,
    );
    expect(shown).toHaveLength(methods.length);
    for (const [index, { id }] of methods.entries()) {
      const own = offers.filter(({ payment_method }) => payment_method === id);
      const folded = /Other \w+ \((\d+)\)/.exec(shown[index]!)?.[1];
      const choices = [...shown[index]!.matchAll(/<label class="offer">.*?<\/label>/gs)].map(([one]) =>
        plain(one),
      );
      expect([id, Number(folded ?? 0), choices.length]).toEqual([id, own.length - 1, own.length]);
      for (const [at, { amount, fees }] of own.entries())
        expect(choices[at]).toMatch(new RegExp(` ${amount} fees \\w+ ${fees.total_fee}( |$)`));
    }
  },
);

it("the sums of a checkout's receipt are what was paid and what went back", async () => {
  const sandbox = await openSandbox();
  const pricing = { base_currency: "USD", amount: "12345.67" };
  const order = { pricing, payment_method: "card" };
  const { quote_id } = await new Api(sandbox).quote(order);
  const page = await CheckoutPage.create(sandbox, { pricing, quote_id });
  const labels = ["Price", "Platform fee", "Gateway fee", "Total"];
  const { charge_id } = page.checkout;
  await page.post("method", { payment_method: "card", currency: "USD" });
  const open = amountsOf(plain((await page.get()).text), labels) as Record<string, string>;
  const fee = add(open["Platform fee"]!, open["Gateway fee"]!);
  const { amount, fees } = await sandbox.run("getCharge", { charge_id });
  expect([open.Total, fee, add(open.Price!, fee)]).toEqual([amount, fees!.total_fee, amount]);
  await sandbox.run("transitionCharge", { charge_id, to: "COMPLETED" });
  await sandbox.advance("10d");
  for (const part of ["100.01", "0.99"]) await sandbox.run("refundPart", { charge_id, amount: part });
  const receipt = plain((await page.get()).text);
  const returned = [...receipt.matchAll(/Refunded USD ([\d.]+)/g)].map(([, one]) => one!);
  expect(returned.sort()).toEqual(["0.99", "100.01"]);
  const net = returned.reduce((left, one) => subtract(left, one), amount);
  expect(receipt).toContain(`Net paid USD ${net}`);
  expect(decimalsOf(net)).toBe(2);
});
