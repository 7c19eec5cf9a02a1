import { isByHand } from "../../../core/schema/common.js";
import type { ControlCharge } from "../../../core/schema/control-responses.js";
import { hasEnded } from "../../../core/schema/statuses.js";
import { toYaml } from "../../../core/schema/write-yaml.js";
import type { Result } from "../../../server/http/page-host.js";
import type { Markup } from "../../html.js";
import * as ui from "../components.js";
import type { PageContext } from "../page-context.js";
import { nameOf } from "../rows.js";
import { cliCommand, controlCurl } from "../shell-commands.js";

type Checkout = Result<"getControlCheckout">;

/** A charge as curl, command, scenario file and test. */
export async function chargeCopies(context: PageContext, charge: ControlCharge): Promise<readonly Markup[]> {
  const { charge_id, checkout_id } = charge;
  const checkout = await context.ask("getControlCheckout", { checkout_id });
  const receivers = (await context.ask("listWebhookEndpoints", { limit: 100 })).items;
  const urls = receivers.flatMap(({ url, enabled }) => (enabled && url !== null ? [url] : []));
  return [
    ui.snippet("Test (Vitest): fails while the app refuses its webhooks", testSource(charge, checkout, urls)),
    ui.snippet("Scenario (YAML): the same, for the command run", scenarioSource(charge, checkout)),
    ui.snippet("Command line", cliCommand(context, `charge ${charge_id}`)),
    ui.snippet("curl: read the timeline", controlCurl(context, "getChargeTimeline", { charge_id })),
  ];
}

/** The scenario that planned the charge, unless it is the usual one. */
function scenarioOf({ why, sandbox }: ControlCharge): string | undefined {
  const name = why.scenario ?? sandbox.scenario_asked;
  return name === null || name === "default" ? undefined : name;
}

/** The customer as the app gave it, with the scenario that the charge followed. */
function customerOf(charge: ControlCharge, { phone_number, bank_account_number }: Checkout): object {
  const { customer_email, customer_name, metadata } = charge;
  const scenario = scenarioOf(charge);
  const named = { ...metadata, ...(scenario === undefined ? {} : { sandbox_scenario: scenario }) };
  const given = { customer_email, customer_name, phone_number, bank_account_number };
  const known = Object.entries(given).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(known), ...(Object.keys(named).length > 0 && { metadata: named }) };
}

/** The charge in the steps of a scenario file. */
const CHARGE = ["$", "{charge}"].join("");

/** A scenario file that makes the charge again, brings it to its end, and expects each webhook to be accepted. */
function scenarioSource(charge: ControlCharge, checkout: Checkout): string {
  const { charge_id, status, status_history, why, base_amount, base_currency } = charge;
  const method = charge.payment_method ?? checkout.offered_methods[0];
  const isManual = isByHand(why.actor);
  const until = isManual ? status_history.at(-2)?.status : status;
  const pay = { amount: base_amount, currency: base_currency, method, ...customerOf(charge, checkout) };
  return toYaml({
    name: `like_${charge_id}`,
    steps: [
      { pay: { ...pay, until, as: "charge" } },
      ...(isManual ? [{ transition: { charge_id: CHARGE, to: status } }] : []),
      { expect_charge: { charge_id: CHARGE, status } },
      ...status_history.slice(1).map((change) => ({
        expect_delivery: {
          charge_id: CHARGE,
          type: `charge.${change.status.toLowerCase()}`,
          answered: "2xx",
        },
      })),
    ],
  });
}

/** A Vitest test that makes the charge again, brings it to its end, and expects each webhook to be accepted. */
function testSource(charge: ControlCharge, checkout: Checkout, urls: readonly string[]): string {
  const { status, why, created_at, updated_at, payment_method, payment_rail } = charge;
  const order = {
    pricing: checkout.pricing,
    payment_method: payment_method ?? checkout.offered_methods[0],
    ...(payment_rail !== null && { payment_rail }),
  };
  const seconds = Math.ceil((Date.parse(updated_at) - Date.parse(created_at)) / 1000) + 1;
  const end = isByHand(why.actor)
    ? `await sandbox.transition(charge_id, ${JSON.stringify(status)});`
    : `await sandbox.advance("${seconds}s");`;
  const named = `${nameOf(charge) ?? "a charge"} ${hasEnded(status) ? "ends as" : "becomes"} ${status}`;
  return `import { expect, it } from "vitest";
import { setupSandbox } from "payments-sandbox/testing";

const sandbox = setupSandbox({ webhooks: ${JSON.stringify(urls)} });

it(${JSON.stringify(`${named}, and the app accepts its webhooks`)}, async () => {
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
  const customer = ${JSON.stringify(customerOf(charge, checkout))};
  const { charge_id } = await post("/payments/whitelabel", { ...order, quote_id, ...customer });
  ${end}
  await sandbox.advance("1s");
  const charge = await sandbox.run("getCharge", { charge_id });
  expect(charge.status).toBe(${JSON.stringify(status)});
  expect(charge.webhooks).toMatchObject({ failing: 0, held: 0, given_up: 0 });
});`;
}
