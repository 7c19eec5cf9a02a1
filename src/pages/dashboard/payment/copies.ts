import { fillCall, type OperationCall } from "../../../core/client/control-client.js";
import { listPackageFiles } from "../../../core/files/package.js";
import { shownStatus } from "../../../core/reports/shown-status.js";
import { isByHand } from "../../../core/schema/common.js";
import type { ChargeHistoryItem, ControlCharge } from "../../../core/schema/control-responses.js";
import { hasEnded } from "../../../core/schema/statuses.js";
import { toYaml } from "../../../core/schema/write-yaml.js";
import type { Ask, Result } from "../../../server/http/page-host.js";
import type { Markup } from "../../html.js";
import * as ui from "../components.js";
import type { PageContext } from "../page-context.js";
import { nameOf } from "../rows.js";
import { cliCommand, controlCurl } from "../shell-commands.js";
import { orUndefined } from "../view.js";

type Checkout = Result<"getControlCheckout">;

/** A charge as test, scenario file, command and curl. */
export async function chargeCopies(context: PageContext, charge: ControlCharge): Promise<readonly Markup[]> {
  const { charge_id } = charge;
  const copy = await copyOf(context, charge);
  return [
    ui.snippet("Test (Vitest): fails while the app refuses its webhooks", testSource(copy)),
    ui.snippet("Scenario (YAML): the same, for the command run", scenarioSource(charge_id, copy)),
    ui.snippet("Command line", cliCommand(context, `charge ${charge_id}`)),
    ui.snippet("curl: read the timeline", controlCurl(context, "getChargeTimeline", { charge_id })),
  ];
}

/** Order and customer as the app gave them. */
export function checkoutOf(charge: ControlCharge, checkout: Checkout) {
  const { payment_method, payment_rail, currency, customer_email, customer_name, metadata } = charge;
  const { pricing, offered_methods, phone_number, bank_account_number } = checkout;
  const order = {
    pricing,
    payment_method: payment_method ?? offered_methods[0] ?? "",
    ...(payment_rail !== null && { payment_rail }),
  };
  const to_currency = currency === pricing.base_currency ? undefined : currency;
  const given = Object.entries({ customer_email, customer_name, phone_number, bank_account_number });
  const customer = { ...Object.fromEntries(given.filter(([, value]) => value !== null)), metadata };
  return { order, to_currency, customer };
}

/** The way of a charge to its end, which both forms of the copied test repeat. */
interface Copy extends ReturnType<typeof checkoutOf> {
  readonly title: string;
  readonly isLive: boolean;
  /** Operations that make scenarios apply, before the charge is created. */
  readonly scenarios: readonly OperationCall[];
  /** Operations on the charge, each with its `charge_id`. */
  readonly moves: readonly OperationCall[];
  /** Fields of the charge at its end. */
  readonly end: object;
  /** Types of the webhooks that the app accepts. */
  readonly types: readonly string[];
  readonly receivers: readonly unknown[];
}

async function copyOf({ ask }: PageContext, charge: ControlCharge): Promise<Copy> {
  const { charge_id, checkout_id, status, failure_reason, why, sandbox, reversals, mode } = charge;
  const checkout = checkoutOf(charge, await ask("getControlCheckout", { checkout_id }));
  const { items } = await ask("getChargeTimeline", { charge_id });
  const deliveries = (await ask("listDeliveries", { charge_id, limit: 100 })).items;
  const endpoints = (await ask("listWebhookEndpoints", { limit: 100 })).items;
  const mishaps = deliveries.map(({ mishap }) => mishap?.scenario);
  const names = new Set([why.scenario, sandbox.scenario, sandbox.scenario_asked, ...mishaps]);
  const scenarios = [...names].map((name) =>
    name && name !== "default" ? scenarioCalls(ask, name, charge.metadata.sandbox_scenario) : [],
  );
  const sent = deliveries.filter(({ state }) => state !== "dropped" && state !== "off");
  const events = items.flatMap((item) => (item.kind === "event" ? item.event_id : []));
  const types = sent.flatMap(({ type, event_id, mishap }) =>
    events.includes(event_id) && !mishap?.forged ? type : [],
  );
  const verb = hasEnded(status) ? "ends as" : "becomes";
  const accepts = types.length > 0 ? ", and the app accepts its webhooks" : "";
  return {
    ...checkout,
    title: `${nameOf(charge) ?? "a charge"} ${verb} ${shownStatus(charge).word}${accepts}`,
    isLive: mode === "live",
    scenarios: (await Promise.all(scenarios)).flat(),
    moves: movesOf(charge, items),
    end: {
      status,
      ...(failure_reason !== null && { failure_reason }),
      ...(why.rule !== null && { why: { scenario: why.scenario, rule: why.rule } }),
      reversals: reversals.map(({ kind, amount, reason }) => ({ kind, amount, reason })),
      webhooks: { failing: 0, held: 0, given_up: 0 },
    },
    types: [...new Set(types)],
    receivers: endpoints
      .filter((endpoint) => endpoint.enabled && endpoint.url !== null && endpoint.mode === mode)
      .map(({ url, events }) => {
        if (mode === "test" && events.join() === "*") return url;
        return { url, events, ...(mode === "live" && { mode }) };
      }),
  };
}

/** Creates a scenario that is not shipped, and turns it on unless the charge names it. */
async function scenarioCalls(ask: Ask, name: string, named?: string): Promise<OperationCall[]> {
  const scenario = await orUndefined(ask("getScenario", { name }));
  if (scenario === undefined) return [];
  const { active: _active, applied: _applied, source: _source, ...rules } = scenario;
  const isShipped = listPackageFiles("scenarios").includes(`${name}.yaml`);
  const calls: OperationCall[] = [
    ["putScenario", rules],
    ["activateScenario", { name }],
  ];
  return calls.filter(([id]) => (id === "putScenario" ? !isShipped : name !== named));
}

/** Place of the charge's id in inputs of operations. */
const CHARGE = "CHARGE";

/** Operations that lead a new charge the way this one went: its own timeline, and all that was done by hand. */
function movesOf(charge: ControlCharge, items: readonly ChargeHistoryItem[]): OperationCall[] {
  const { amount_paid, settled_at, reversals } = charge;
  const charge_id = CHARGE;
  const changes = items.flatMap((item) => (item.kind === "transition" ? item : [])).slice(1);
  const byHand = changes.flatMap(({ status: to, reason, by: { actor } }, index): OperationCall[] => {
    const next = changes[index + 1];
    if (!isByHand(actor) && actor !== "customer") {
      const goesOn = next !== undefined && !isByHand(next.by.actor) && next.by.actor !== "customer";
      return goesOn ? [] : [["advanceCharge", { charge_id, until: to }]];
    }
    if (to === "COMPLETED" && amount_paid !== undefined)
      return [["payAmount", { charge_id, amount: amount_paid }]];
    return [["transitionCharge", { charge_id, to, ...(reason !== undefined && { reason }) }]];
  });
  const isRefund = ([, input]: OperationCall) => Object(input).to === "REFUNDED";
  const taken = [...reversals].reverse().map(({ kind, amount, reason }): OperationCall => {
    const why = reason === null ? {} : { reason };
    return kind === "partial_refund"
      ? ["refundPart", { charge_id, amount, ...why }]
      : ["chargeBack", { charge_id, ...why }];
  });
  const paidAt = changes.find(({ status }) => status === "COMPLETED")?.at ?? "";
  const waitMs = Date.parse(settled_at ?? "") - Date.parse(paidAt);
  const settle: OperationCall[] =
    taken.length > 0 && waitMs > 0 ? [["advanceClock", { by: `${Math.ceil(waitMs / 1000)}s` }]] : [];
  return [
    ...byHand.filter((move) => !isRefund(move)),
    ...settle,
    ...taken,
    ...byHand.filter(isRefund),
    ["advanceClock", { by: "1s" }],
  ];
}

function scenarioSource(charge_id: string, copy: Copy): string {
  const { order, to_currency, customer, isLive, scenarios, moves, end, types } = copy;
  const headers = isLive ? { Authorization: `Bearer ${KEY_VARIABLE}` } : undefined;
  const call = (...[id, input]: OperationCall): object => {
    if (id === "activateScenario") return { scenario: input.name };
    const { method, path, body } = fillCall(id, input);
    const request = `${method} ${path.replace(CHARGE, CHARGE_VARIABLE)}`;
    return { request, ...(body !== undefined && { body }) };
  };
  const quote_id = ["$", "{quote}"].join("");
  return toYaml({
    name: `like_${charge_id}`,
    steps: [
      ...(isLive ? [{ ...call("getSandbox"), save: { key: "body.live_api_key" } }] : []),
      ...scenarios.map((one) => call(...one)),
      {
        request: "POST /api/v1/payments/quotes",
        headers,
        body: { ...order, to_currency },
        save: { quote: "body.quote_id" },
      },
      {
        request: "POST /api/v1/payments/whitelabel",
        headers,
        body: { ...order, quote_id, ...customer },
        save: { charge: "body.charge_id" },
      },
      ...moves.map((move) => call(...move)),
      ...types.map((type) => ({
        expect_delivery: { charge_id: CHARGE_VARIABLE, type, answered: "2xx" },
      })),
      { ...call("getCharge", { charge_id: CHARGE }), expect: { body: end } },
    ],
  });
}

/** The charge, and the key of live mode, in the steps of a scenario file. */
const CHARGE_VARIABLE = ["$", "{charge}"].join("");
const KEY_VARIABLE = ["$", "{key}"].join("");

function testSource(copy: Copy): string {
  const { title, isLive, order, to_currency, customer, scenarios, moves, end, types, receivers } = copy;
  const key = isLive ? "liveApiKey" : "apiKey";
  const run = (...[id, input]: OperationCall) =>
    `await sandbox.run("${id}", ${JSON.stringify(input).replace(`"charge_id":"${CHARGE}"`, "charge_id")});`;
  const lines = [
    ...scenarios.map((one) => run(...one)),
    `const order = ${JSON.stringify(order)};`,
    `const { quote_id } = await post("quotes", ${
      to_currency === undefined ? "order" : `{ ...order, to_currency: "${to_currency}" }`
    });`,
    `const customer = ${JSON.stringify(customer)};`,
    `const { charge_id } = await post("whitelabel", { ...order, quote_id, ...customer });`,
    ...moves.map((move) => run(...move)),
    `expect(await sandbox.run("getCharge", { charge_id })).toMatchObject(${JSON.stringify(end)});`,
    `const { items } = await sandbox.run("listDeliveries", { charge_id, state: "delivered" });`,
    `const accepted = items.map(({ type }) => type);`,
    `expect(accepted).toEqual(expect.arrayContaining(${JSON.stringify(types)}));`,
  ];
  return `import { expect, it } from "vitest";
import { setupSandbox } from "payments-sandbox/testing";

const sandbox = setupSandbox({ webhooks: ${JSON.stringify(receivers)} });

async function post(path: string, body: object) {
  const response = await fetch(\`\${sandbox.url}/api/v1/payments/\${path}\`, {
    method: "POST",
    headers: { authorization: \`Bearer \${sandbox.${key}}\`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

it(${JSON.stringify(title)}, async () => {
  ${lines.join("\n  ")}
});`;
}
