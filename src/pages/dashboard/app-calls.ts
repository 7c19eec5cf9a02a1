import { findJsonFault } from "../../core/domain/json-fault.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import {
  type ActionResult,
  callService,
  DASHBOARD_RUNNER,
  type DashboardAction,
  type FormSubmission,
  type ServiceRequest,
} from "./api-calls.js";
import { dashboardUrl } from "./page-context.js";
import { requestPath } from "./shell-commands.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Buttons that call the emulated service as the app does. */
export const APP_CALL_ACTIONS = {
  replay: (press: FormSubmission) => {
    const entry = entryOf(press);
    if (entry === undefined) return refuse("NOT_FOUND", "That request is no longer in the journal");
    const { method, apiKey, idempotencyKey, scenario, requestBody } = entry;
    const body = requestBody ?? "";
    return send(press, { method, path: requestPath(entry), key: apiKey, idempotencyKey, scenario, body });
  },
  send: (press: FormSubmission) => {
    const { fields, namespace } = press;
    const { path = "", body = "", key: keyName = "", idempotency, scenario } = fields;
    const { apiKey, liveApiKey } = namespace.info;
    const method = (fields.method ?? "").toUpperCase();
    if (!METHODS.includes(method)) return refuseInvalid({ method: `must be one of ${METHODS.join(", ")}` });
    if (!path.startsWith("/api/"))
      return refuseInvalid({ path: "must be a path of the service, such as /api/v1/payments/quotes" });
    const fault = body === "" ? undefined : findJsonFault(body);
    if (fault !== undefined)
      return refuseInvalid({
        body: `is not JSON: line ${fault.line}, column ${fault.column}: ${fault.message}`,
      });
    const key = new Map(Object.entries({ test: apiKey, live: liveApiKey, none: null })).get(keyName);
    return send(press, {
      method,
      path,
      key: key === undefined ? (entryOf(press)?.apiKey ?? apiKey) : key,
      idempotencyKey: idempotency,
      scenario,
      body: method === "GET" ? "" : body,
    });
  },
  make: (press: FormSubmission) =>
    pay(press, press.namespace.info.apiKey, {
      order: { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "mobile_money" },
      customer: {
        customer_email: "grace.hopper@example.com",
        customer_name: "Grace Hopper",
        phone_number: "+254700000001",
        metadata: { order_id: "A-1042" },
      },
    }),
  again: (press: FormSubmission) => {
    const charge = press.namespace.engine.state.get("charges", press.fields.charge_id ?? "");
    if (charge === undefined) return refuse("NOT_FOUND", "Charge not found");
    const { mode, pricing, payment_method, payment_rail, currency, metadata } = charge;
    const { customer_email, customer_name, phone_number, bank_account_number } = charge;
    const { apiKey, liveApiKey } = press.namespace.info;
    const order = {
      pricing,
      payment_method: payment_method ?? charge.offered_methods[0] ?? "",
      ...(payment_rail === null ? {} : { payment_rail }),
      ...(currency === pricing.base_currency ? {} : { to_currency: currency }),
    };
    const details = Object.entries({ customer_email, customer_name, phone_number, bank_account_number });
    const customer = { ...Object.fromEntries(details.filter(([, value]) => value !== null)), metadata };
    return pay(press, mode === "live" ? liveApiKey : apiKey, { order, customer });
  },
} satisfies Record<string, DashboardAction>;

function entryOf({ namespace, fields }: FormSubmission) {
  return namespace.journal.entries().find((entry) => String(entry.id) === fields.request_id);
}

/** Sends a request and redirects to the dashboard page of that request. */
async function send(press: FormSubmission, call: ServiceRequest): Promise<ActionResult | Refusal> {
  const { namespace } = press;
  const { method, path } = call;
  if (!URL.canParse(path, "http://sandbox")) return refuseInvalid({ path: "must be a path" });
  const lastId = namespace.journal.entries()[0]?.id ?? 0;
  const status = await callService(press, call).then(
    (response) => response.status,
    () => undefined,
  );
  const entry = namespace.journal
    .entries()
    .find((entry) => entry.id > lastId && entry.runner === DASHBOARD_RUNNER);
  const { pathname } = new URL(path, "http://sandbox");
  return {
    text: status === undefined ? "The connection was dropped" : `${method} ${pathname}: ${status}`,
    isBad: status === undefined || status >= 400,
    ...(entry === undefined ? {} : { to: `${dashboardUrl(namespace.name)}/requests/${entry.id}` }),
  };
}

interface Payment {
  readonly order: Readonly<Record<string, unknown>>;
  readonly customer: object;
}

/** Creates a quote and a charge from it. */
async function pay(
  press: FormSubmission,
  key: string,
  { order, customer }: Payment,
): Promise<ActionResult | Refusal> {
  const { scenario } = press.fields;
  const post = async (path: string, body: object): Promise<Record<string, string> | Refusal> => {
    const call = { method: "POST", path: `/api/v1/payments/${path}`, key, scenario };
    const response = await callService(press, { ...call, body: JSON.stringify(body) });
    const result = (await response.json()) as Record<string, string> & {
      error?: { message: string; details?: object };
    };
    if (result.error === undefined) return result;
    return refuse(
      "VALIDATION_ERROR",
      `${result.error.message} ${JSON.stringify(result.error.details ?? {})}`,
    );
  };
  const quote = await post("quotes", order);
  if (isRefusal(quote)) return quote;
  const { to_currency: _quoted, ...checkout } = order;
  const charge = await post("whitelabel", { ...checkout, ...customer, quote_id: quote.quote_id });
  if (isRefusal(charge)) return charge;
  const { charge_id } = charge;
  return {
    text: `Charge ${charge_id} created`,
    to: `${dashboardUrl(press.namespace.name)}/charges/${charge_id}`,
  };
}
