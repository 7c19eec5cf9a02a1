import { type Api, okBody, openApi } from "../../support/api-client.js";
import type { Fields, Row } from "./rows.js";

/** A sandbox with a record of each kind and constant ids. */
export interface Furnished {
  readonly api: Api;
  /** Path parameter → id or name. */
  readonly ids: Readonly<Record<string, string>>;
  /** Operation → ids that differ. */
  readonly idsOf: Readonly<Record<string, Fields>>;
}

/** A call that succeeds. */
export interface GoodCall {
  readonly method: string;
  readonly path: string;
  readonly body: Fields | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export const NAME = "mine";
export const LEASE_HEADERS = { "sandbox-run": "doors" };
const KES = { currency: "KES", amount: "20000.00" };

// biome-ignore lint/suspicious/noExplicitAny: setup reads ids from any response
type Json = any;

export async function furnish(): Promise<Furnished> {
  const options = { seed: "doors", scenario: "success", webhookTimeout: "10m" };
  const api = await openApi({ ...options, webhooks: [{ mailbox: NAME }] });
  const call = async (line: string, body?: object): Promise<Json> => okBody(await api.ask(line, body));
  const paid = await api.pay();
  await call(`POST /_sandbox/charges/${paid.charge_id}/transition`, { to: "COMPLETED" });
  const { items: deliveries } = await call(`POST /_sandbox/mailboxes/${NAME}/take`, {});
  await call("POST /_sandbox/events", { type: "webhook.test" });
  const { items: taken } = await call(`POST /_sandbox/mailboxes/${NAME}/take`, {});
  const failing = deliveries[0].delivery_id;
  await call(`POST /_sandbox/mailboxes/${NAME}/${failing}/ack`, { status: 503 });
  await call("POST /_sandbox/balances", KES);
  const destination_id = await api.destination();
  const withdraw = () =>
    call("POST /api/v1/payouts/withdrawals", { destination_id, amount: "1000.00", currency: "KES" });
  const arrived = await withdraw();
  for (const to of ["PROCESSING", "COMPLETED"])
    await call(`POST /_sandbox/withdrawals/${arrived.withdrawal_id}/transition`, { to });
  // No event has this type, so no webhook is sent.
  const endpoint = { url: "http://localhost:9/hooks", events: ["nothing"] };
  const { webhook_id } = await call("POST /api/v1/webhooks", endpoint);
  await call(`PUT /_sandbox/scenarios/${NAME}`, {
    vars: { amount: "1", a: "1" },
    steps: [{ advance: "1s" }],
  });
  await call(`PUT /_sandbox/namespaces/${NAME}`, { clock: "manual" });
  const { fault_id } = await call("POST /_sandbox/faults", {
    match: { operation: "listPaymentRails" },
    delay: "1ms",
  });
  const { failed_test_id } = await call("POST /_sandbox/failed-tests", { test: "an order is paid" });
  const { charge_id, quote_id } = await payLater(api);
  const { checkout_id } = await call("POST /api/v1/payments/checkouts", {
    pricing: { base_currency: "KES", amount: "500.00" },
  });
  const { withdrawal_id } = await withdraw();
  // The first read opens accounts.
  await api.balances();
  await call("POST /_sandbox/snapshots", { name: NAME });
  return {
    api,
    ids: {
      charge_id,
      checkout_id,
      delivery_id: taken[0].delivery_id,
      destination_id,
      request_id: "1",
      failed_test_id,
      fault_id,
      key: "sk_test_unverified",
      name: NAME,
      organization_id: "org_unverified",
      quote_id,
      webhook_id,
      withdrawal_id,
    },
    idsOf: {
      refundCharge: { charge_id: paid.charge_id },
      refundPart: { charge_id: paid.charge_id },
      chargeBack: { charge_id: paid.charge_id },
      bounceWithdrawal: { withdrawal_id: arrived.withdrawal_id },
      retryDelivery: { delivery_id: failing },
      putNamespace: { name: "other" },
    },
  };
}

async function payLater(api: Api): Promise<{ charge_id: string; quote_id: string }> {
  const pricing = { base_currency: "USD", amount: "25.00" };
  const order = { pricing, payment_method: "mobile_money", to_currency: "KES" };
  const { quote_id } = await api.quote(order);
  const customer = { customer_email: "ada@shop.test", phone_number: "+254700000001" };
  const { charge_id } = await api.whitelabel({ ...order, ...customer, quote_id });
  return { charge_id, quote_id };
}

export function pathInput({ id, pathParameters }: Row, { ids, idsOf }: Furnished): Record<string, string> {
  return Object.fromEntries(pathParameters.map((name) => [name, String(idsOf[id]?.[name] ?? ids[name])]));
}

/** Fills the path's parameters with ids, or with `value`. */
export function fillPath(row: Row, world: Furnished, value?: string): string {
  const input = pathInput(row, world);
  return row.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value ?? input[name]!));
}

/** Returns the document's examples with ids of the sandbox. */
export function goodBodies({ body }: Row, { ids }: Furnished): (Fields | undefined)[] {
  if (body === undefined) return [undefined];
  return body.examples.map((example) =>
    Object.fromEntries(
      Object.entries(example).map(([field, value]) => [
        field,
        /^(quote|destination)_id$/.test(field) ? ids[field] : value,
      ]),
    ),
  );
}

export function goodCalls(row: Row, world: Furnished): GoodCall[] {
  const headers: Record<string, string> = {};
  if (row.body !== undefined) headers["content-type"] = "application/json";
  if (row.takesKey) headers.authorization = `Bearer ${world.api.key}`;
  if (/Lease$/.test(row.id)) Object.assign(headers, LEASE_HEADERS);
  const path = fillPath(row, world);
  return goodBodies(row, world).map((body) => ({ method: row.method, path, body, headers }));
}
