import type { Namespace } from "../../../namespace/namespace.js";
import { isRefusal, type Refusal, refuse } from "../../../schema/errors.js";
import { homeOf, type Notice } from "./scene.js";

type Fetch = (request: Request) => Promise<Response>;

const SAMPLE = {
  order: { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "mobile_money" },
  customer: {
    customer_email: "grace.hopper@example.com",
    customer_name: "Grace Hopper",
    phone_number: "+254700000001",
    metadata: { order_id: "A-1042" },
  },
};

/** A payment as an app would begin one. */
export function paySomething(namespace: Namespace, fetch: Fetch) {
  return pay(namespace, fetch, { ...SAMPLE, key: namespace.info.apiKey, scenario: "" });
}

/** The same payment as another, under the scenario asked for. */
export async function payAgain(namespace: Namespace, fetch: Fetch, id: string, scenario: string) {
  const charge = namespace.engine.state.get("charges", id);
  if (charge === undefined) return refuse("NOT_FOUND", "Charge not found");
  const { mode, pricing, payment_method, payment_rail, currency, metadata } = charge;
  const { customer_email, customer_name, phone_number, bank_account_number } = charge;
  const { apiKey, liveApiKey } = namespace.info;
  const order = {
    pricing,
    payment_method: payment_method ?? charge.offered_methods[0] ?? "",
    ...(payment_rail === null ? {} : { payment_rail }),
    ...(currency === pricing.base_currency ? {} : { currency }),
  };
  const known = Object.entries({ customer_email, customer_name, phone_number, bank_account_number });
  const customer = { ...Object.fromEntries(known.filter(([, value]) => value !== null)), metadata };
  return pay(namespace, fetch, { order, customer, key: mode === "live" ? liveApiKey : apiKey, scenario });
}

interface Payment {
  readonly order: object;
  readonly customer: object;
  readonly key: string;
  readonly scenario: string;
}

async function pay(
  namespace: Namespace,
  fetch: Fetch,
  { order, customer, key, scenario }: Payment,
): Promise<(Notice & { to: string }) | Refusal> {
  const post = async (path: string, body: object): Promise<Record<string, string> | Refusal> => {
    const response = await fetch(
      new Request(`http://sandbox/api/v1/payments/${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "sandbox-namespace": namespace.name,
          "sandbox-runner": "dashboard",
          ...(scenario === "" ? {} : { "sandbox-scenario": scenario }),
        },
        body: JSON.stringify(body),
      }),
    );
    const made = (await response.json()) as Record<string, string> & {
      error?: { message: string; details?: object };
    };
    return made.error === undefined
      ? made
      : refuse("VALIDATION_ERROR", `${made.error.message} ${JSON.stringify(made.error.details ?? {})}`);
  };
  const quote = await post("quotes", order);
  if (isRefusal(quote)) return quote;
  const { currency: _quoted, ...checkout } = order as Record<string, unknown>;
  const charge = await post("whitelabel", { ...checkout, ...customer, quote_id: quote.quote_id });
  if (isRefusal(charge)) return charge;
  return {
    text: `Charge ${charge.charge_id} created`,
    to: `${homeOf(namespace.name)}/charges/${charge.charge_id}`,
  };
}
