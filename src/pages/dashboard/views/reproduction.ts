import type { Charge } from "../../../core/domain/charge-transition.js";

/** A scenario file that repeats the charge's history for its customer. */
export function scenarioSource(charge: Charge): string {
  const { customer_email, currency, status_history } = charge;
  const startMs = Date.parse(status_history[0]!.at);
  let previousMs = startMs;
  const entries = status_history.slice(1).map(({ status, at, reason }) => {
    const ms = Date.parse(at) - previousMs;
    previousMs = Date.parse(at);
    const reasonField = reason === undefined ? "" : `, reason: ${JSON.stringify(reason)}`;
    return `      - { after: ${duration(ms)}, to: ${status}${reasonField} }`;
  });
  const match = customer_email === null ? { currency } : { customer_email };
  const fields = Object.entries(match).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return [
    `name: like_${charge.charge_id}`,
    "charges:",
    `  - match: { ${fields.join(", ")} }`,
    entries.length === 0 ? "    timeline: []" : "    timeline:",
    ...entries,
  ].join("\n");
}

function duration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** A Vitest test that creates the charge and moves it to its status. */
export function testSource(charge: Charge): string {
  const { pricing, payment_method, customer_email, status, metadata, phone_number, bank_account_number } =
    charge;
  const order = {
    pricing,
    payment_method: payment_method ?? charge.offered_methods[0],
    ...(charge.payment_rail === null ? {} : { payment_rail: charge.payment_rail }),
  };
  const customer = {
    ...(customer_email === null ? {} : { customer_email }),
    ...(phone_number === null ? {} : { phone_number }),
    ...(bank_account_number === null ? {} : { bank_account_number }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
  return `import { expect, it } from "vitest";
import { setupSandbox } from "payments-sandbox/testing";

const sandbox = setupSandbox();

it("a charge that ends as ${status}", async () => {
  const post = async (path: string, body: object) => {
    const response = await fetch(\`\${sandbox.url}/api/v1\${path}\`, {
      method: "POST",
      headers: { authorization: \`Bearer \${sandbox.apiKey}\`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.json();
  };
  const order = ${JSON.stringify(order)};
  const { quote_id } = await post("/payments/quotes", order);
  const { charge_id } = await post("/payments/whitelabel", { ...order, quote_id, ...${JSON.stringify(customer)} });
  ${status === "PENDING" ? "" : `await sandbox.transition(charge_id, ${JSON.stringify(status)});`}
  // Assert here what your app did with it.
  expect(charge_id).toMatch(/^ch_/);
});`;
}
