import type { OperationCall } from "../../core/client/control-client.js";
import { findJsonFault } from "../../core/domain/json-fault.js";
import { payAmount } from "../../core/engine/commands/charge-commands.js";
import { resendWithData } from "../../core/engine/commands/event-commands.js";
import { SIGNATURE_VARIANTS } from "../../core/engine/event-emission.js";
import type { Delivery } from "../../core/engine/records.js";
import { normalizeWebhookUrl, WEBHOOK_URL_MESSAGE } from "../../core/schema/receiver-url.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import { iso } from "../../core/schema/time.js";
import { DASHBOARD_RUNNER } from "../../server/control/control-operation.js";
import { isFailing } from "../../server/control/record-views.js";
import { bodyTooLargeRefusal, MAX_BODY_BYTES } from "../../server/http/body.js";
import type { OwnAction } from "../press.js";
import {
  type ActionResult,
  callService,
  type DashboardAction,
  type FormSubmission,
  runOperation,
  type ServiceRequest,
} from "./api-calls.js";
import { dueTasks, findNewestDeliveries } from "./attention.js";
import { formatCount } from "./components.js";
import { objectName } from "./object-names.js";
import type { Fields } from "./operation-actions.js";
import { attemptsText, findOperationAction, parseJsonField } from "./operation-actions.js";
import { dashboardPath } from "./page-context.js";
import { requestPath } from "./shell-commands.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Buttons that call the emulated service as the app does. */
const APP_CALL_ACTIONS = {
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
    const { mode, payment_method, payment_rail, currency, metadata } = charge;
    const { customer_email, customer_name, phone_number, bank_account_number } = charge;
    const { apiKey, liveApiKey } = press.namespace.info;
    const pricing = { ...charge.pricing, amount: press.fields.amount || charge.pricing.amount };
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
    ...(entry === undefined ? {} : { to: `${dashboardPath(namespace.name)}/requests/${entry.id}` }),
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
    to: `${dashboardPath(press.namespace.name)}/charges/${charge_id}`,
  };
}

/** Snapshot taken before a reset, for Undo. */
const BEFORE_RESET = "before-reset";

/** Maximum number of deliveries that "Retry all" retries. */
const MAX_RETRIED = 1_000;

/** Actions that are more than one operation, or none of the control API. */
const OWN_ACTIONS: Readonly<Record<OwnAction, DashboardAction>> = {
  ...APP_CALL_ACTIONS,
  advanceTo: async (press) => {
    const next = dueTasks(press).next().value;
    const nextAt = next && iso(Math.max(next.due_ms, press.namespace.nowMs()));
    const { to = nextAt, id = "" } = press.fields;
    if (to === undefined) return { text: "Nothing is due" };
    // The page may be old, so the time on its button may have passed.
    if (Date.parse(to) < press.namespace.nowMs()) return { text: "That time has passed" };
    const result = await runOperation<{ fired_total: number }>(press, "advanceClock", { to });
    if (isRefusal(result)) return result;
    const { state } = press.namespace.engine;
    const payment = state.get("charges", id) ?? state.get("withdrawals", id);
    const outcome = payment === undefined ? "" : `; ${objectName(press.namespace, id)} is ${payment.status}`;
    return {
      text: `Advanced to ${to.slice(11, 19)}: ${formatCount(result.fired_total, "step")} ran${outcome}`,
    };
  },
  // The service completes and fails a payout only while it is PROCESSING.
  movePayout: async (press) => {
    const { withdrawal_id = "", to = "", reason } = press.fields;
    const transition = (status: string, more = {}) =>
      runOperation<{ status: string }>(press, "transitionWithdrawal", { withdrawal_id, to: status, ...more });
    const { status } = press.namespace.engine.state.get("withdrawals", withdrawal_id) ?? {};
    if (status === "PENDING" && (to === "COMPLETED" || to === "FAILED")) {
      const begun = await transition("PROCESSING");
      if (isRefusal(begun)) return begun;
    }
    const moved = await transition(to, reason ? { reason } : {});
    return isRefusal(moved)
      ? moved
      : { text: `${objectName(press.namespace, withdrawal_id)} is ${moved.status}` };
  },
  payAmount: ({ namespace, fields }) => {
    const { charge_id = "", amount = "" } = fields;
    const paid = namespace.execute(payAmount(charge_id, amount, "dashboard"));
    return isRefusal(paid)
      ? paid
      : { text: `${objectName(namespace, charge_id)} is ${paid.status}: ${paid.currency} ${amount} paid` };
  },
  reset: async (press) => {
    const { name } = press.namespace;
    // The button names the namespace, so a stale page or a script cannot reset another namespace.
    if (press.fields.namespace !== name) return refuseInvalid({ value: `must name this namespace, ${name}` });
    const saved = await runOperation(press, "createSnapshot", { name: BEFORE_RESET });
    const reset = await runOperation(press, "resetSandbox");
    if (isRefusal(reset)) return reset;
    const text = `Namespace “${name}” reset (receivers and keys kept)`;
    return isRefusal(saved) ? { text } : { text, undo: BEFORE_RESET };
  },
  retryAll: async (press) => {
    const { namespace, fields } = press;
    namespace.runDueTasks();
    const { items } = findNewestDeliveries(press, fields.webhook_id ?? "", isFailing, MAX_RETRIED);
    const results = await Promise.all(
      items.map(async ({ delivery_id }) => runOperation<Delivery>(press, "retryDelivery", { delivery_id })),
    );
    return {
      text: await attemptsText(
        namespace,
        results.flatMap((one) => (isRefusal(one) ? [] : one)),
      ),
    };
  },
  resend: async ({ namespace, form, fields }) => {
    const { delivery_id = "", sign = "right", url = "" } = fields;
    if (Buffer.byteLength(form.get("data") ?? "") > MAX_BODY_BYTES) return bodyTooLargeRefusal();
    const data = parseJsonField("data", form.get("data") ?? "");
    if (isRefusal(data)) return data;
    const times = Number(fields.times ?? 1);
    if (!Number.isInteger(times) || times < 1 || times > 100)
      return refuseInvalid({ times: "must be 1 to 100" });
    const signatureVariant = SIGNATURE_VARIANTS.find((signature) => signature === sign);
    if (signatureVariant === undefined)
      return refuseInvalid({ sign: `must be one of: ${SIGNATURE_VARIANTS.join(", ")}` });
    const toUrl = url === "" ? undefined : normalizeWebhookUrl(url);
    if (url !== "" && toUrl === undefined) return refuseInvalid({ url: WEBHOOK_URL_MESSAGE });
    const made = namespace.execute(resendWithData(delivery_id, { data, times, signatureVariant, toUrl }));
    if (isRefusal(made)) return made;
    const text = await attemptsText(namespace, made);
    return { text, to: `${dashboardPath(namespace.name)}/webhooks/${made.at(-1)!.delivery_id}` };
  },
};

/** Runs the action in the form's field `do`, such as `transitionCharge?charge_id=ch_1&to=FAILED`. */
export async function runFormAction(press: Omit<FormSubmission, "fields">): Promise<ActionResult | Refusal> {
  const { do: action = "", back: _back, namespace: _namespace, ...formFields } = trimmedFields(press.form);
  const [name = "", query = ""] = action.split("?");
  const fields = { ...formFields, ...trimmedFields(new URLSearchParams(query)) };
  const own = Object.hasOwn(OWN_ACTIONS, name) ? OWN_ACTIONS[name as OwnAction] : undefined;
  if (own !== undefined) return own({ ...press, fields });
  const operation = findOperationAction(name);
  if (operation === undefined) return refuse("VALIDATION_ERROR", `Unknown action “${name}”`);
  const { id, notice, input } = operation;
  const sent = input === undefined ? fields : input(fields);
  if (isRefusal(sent)) return sent;
  const result = await runOperation(press, ...([id, sent] as OperationCall));
  return isRefusal(result) ? result : { text: await notice(result, fields, press.namespace) };
}

/** Trims the fields; leaves an empty reason out. */
function trimmedFields(params: URLSearchParams): Fields {
  const fields = [...params].map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(fields.filter(([name, value]) => name !== "reason" || value !== ""));
}
