import type { Charge } from "../../../core/domain/charge-transition.js";
import type { Markup } from "../../html.js";
import { snippet } from "../components.js";
import type { PageContext } from "../page-context.js";
import { cliCommand, controlCurl } from "../shell-commands.js";

/** A charge as curl, command, scenario file and test. */
export function chargeCopies(context: PageContext, charge: Charge): readonly Markup[] {
  const { charge_id } = charge;
  return [
    snippet("curl", controlCurl(context, "getChargeTimeline", { charge_id }), "c"),
    snippet("Command line", cliCommand(context, `charge ${charge_id}`)),
    snippet("Scenario (YAML): what happened, as a file", scenarioSource(charge)),
    snippet("Test (Vitest)", testSource(charge)),
  ];
}

/**
 * A scenario file that repeats this charge's status history for charges with the same customer email. If this charge
 * has no customer email, the file matches charges with the same currency.
 */
function scenarioSource(charge: Charge): string {
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

/** Source of a Vitest test that creates a copy of the charge and sets the copy's status. */
function testSource(charge: Charge): string {
  const { pricing, status, metadata } = charge;
  // JSON omits undefined fields.
  const order = {
    pricing,
    payment_method: charge.payment_method ?? charge.offered_methods[0],
    payment_rail: charge.payment_rail ?? undefined,
  };
  const customer = {
    customer_email: charge.customer_email ?? undefined,
    phone_number: charge.phone_number ?? undefined,
    bank_account_number: charge.bank_account_number ?? undefined,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
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
