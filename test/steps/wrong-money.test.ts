// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";

const flowOf = (paid: string, steps: string) => `
name: paid-otherwise
charges:
  - match: { customer_email: ada@shop.test }
    paid: ${paid}
    timeline: [{ after: 1s, to: AWAITING_PAYMENT }, { after: 1s, to: COMPLETED }]
steps:
  - pay: { amount: "500.00", method: mobile_money, customer_email: ada@shop.test, until: AWAITING_PAYMENT, as: charge }
  - expect_charge: { charge_id: "\${charge}", amount: "512.50", settlement_amount: "500.00", fees: { total_fee: "12.50" }, amount_paid: { exists: false } }
  - advance: 5s
${steps}`;

async function passes(paid: string, steps: string) {
  const sandbox = await openSandbox();
  const report = await sandbox.runFile(fileWith(flowOf(paid, steps)));
  expect(report.steps.map(({ failure }) => failure?.message)).toEqual(report.steps.map(() => undefined));
  // Importing a state checks its ledger.
  const state = await sandbox.control("GET", "/_sandbox/state");
  await sandbox.control("PUT", "/_sandbox/state", state as object);
}

it("an underpaid charge credits and refunds only the amount paid [R9.4]", () =>
  passes(
    "{ factor: 0.5 }",
    `
  - expect_charge: { charge_id: "\${charge}", status: COMPLETED, amount: "512.50", amount_paid: "256.25", currency_paid: KES,
      settlement_amount: "250.00", fees: { total_fee: "6.25", fee_breakdown: { platform_fee: "2.50", gateway_fee: "3.75" } } }
  - expect_webhook: { type: charge.completed, data: { amount: "512.50", amount_paid: "256.25", settlement_amount: "250.00" } }
  - expect_balance: { currency: KES, change: "+250.00" }
  - partial_refund: { charge_id: "\${charge}", amount: "56.25" }
  - expect_balance: { currency: KES, change: "+195.12" }
  - transition: { charge_id: "\${charge}", to: REFUNDED }
  - expect_balance: { currency: KES, change: "+0.00" }
`,
  ));

it.each([
  ['{ amount: "1025.00" }', "KES", "1025.00", "+1000.00"],
  ["{ currency: UGX }", "UGX", "512.50", "+500.00"],
  ["{ amount: '10', currency: USD }", "USD", "10.00", "+9.76"],
  ['{ amount: "0" }', "KES", "0.00", "+0.00"],
  ["{ currency: KES }", "KES", undefined, "+500.00"],
])("a payment of %s credits the balance of %s", (paid, currency, amount, change) =>
  passes(
    paid,
    `
  - expect_charge: { charge_id: "\${charge}", amount_paid: ${amount === undefined ? "{ exists: false }" : `"${amount}"`} }
  - expect_balance: { currency: ${currency}, change: "${change}" }
  - expect_charge: { charge_id: "\${charge}", settlement_amount: "${change.slice(1)}" }
`,
  ),
);
