import type { OperationCall } from "../../core/client/control-client.js";
import { decimalsOf, percentOf } from "../../core/domain/money.js";
import { type ListedDelivery, webhookText } from "../../core/reports/delivery-text.js";
import { isRefusal, refuseInvalid, SandboxError } from "../../core/schema/refusals.js";
import { formatCount } from "../../core/schema/text-format.js";
import { INSTANT_PATTERN, readableDuration } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { pause } from "../../core/time/timers.js";
import { parseJsonObject } from "../../server/http/body.js";
import { dueItems, dueText } from "./due.js";
import { NOTICES, type OwnAction } from "./notices.js";
import { dashboardPath, type Notice, type PageContext } from "./page-context.js";
import { checkoutOf } from "./payment/copies.js";
import { amountLeft, nameOf } from "./rows.js";

/** The notice to show and the page to redirect to, if not the current one. */
export interface ActionResult extends Notice {
  readonly to?: string;
}

type Fields = Readonly<Record<string, string | undefined>>;
type Acting = Pick<PageContext, "ask" | "client" | "namespace" | "sandbox" | "query" | "mode">;

/**
 * Runs the action in the form's field `do`: an operation of the control API with fields of its input, such as
 * `transitionCharge?charge_id=ch_1&to=FAILED`, or an own action. Throws a SandboxError for a refusal.
 */
export async function runFormAction(context: Acting, form: URLSearchParams): Promise<ActionResult> {
  const { do: action = "", back: _back, namespace: _namespace, ...formFields } = filledFields(form);
  const [id = "", query = ""] = action.split("?");
  const given: Fields = { ...formFields, ...filledFields(new URLSearchParams(query)) };
  const fields = await withAmount(context, given);
  if (Object.hasOwn(OWN_ACTIONS, id)) return OWN_ACTIONS[id as OwnAction](context, fields);
  if (!Object.hasOwn(NOTICES, id)) throw new UserError(`Unknown action “${id}”`);
  const result = await context.client.run<object>(...([id, inputOf(fields)] as OperationCall));
  const subject = id === "advanceClock" ? await nextText(context, result) : await subjectOf(context, fields);
  return { text: NOTICES[id as keyof typeof NOTICES](result, subject, fields as Record<string, string>) };
}

/** A percentage of what is left of a charge, as an amount: `50 %`. */
async function withAmount({ ask }: Acting, fields: Fields): Promise<Fields> {
  const { charge_id, amount } = fields;
  const [, percent] = /^(\d{1,2}(?:\.\d{1,4})?) ?%$/.exec(amount ?? "") ?? [];
  if (percent === undefined || charge_id === undefined) return fields;
  const left = amountLeft(await ask("getCharge", { charge_id }));
  return { ...fields, amount: percentOf(left, percent, decimalsOf(left)) };
}

/** The order, reference or id of the charge or payout that an action is about. */
async function subjectOf({ ask }: Acting, { charge_id, withdrawal_id }: Fields): Promise<string> {
  if (charge_id !== undefined) return nameOf(await ask("getCharge", { charge_id })) ?? charge_id;
  if (withdrawal_id === undefined) return "";
  return nameOf(await ask("getControlWithdrawal", { withdrawal_id })) ?? withdrawal_id;
}

/** Words for the task that is due next after an advance. */
async function nextText(context: Acting, { to }: { readonly to?: string }): Promise<string> {
  const [next] = (await dueItems(context)).items;
  if (next === undefined) return "nothing is due later";
  const wait = readableDuration(Date.parse(next.at) - Date.parse(to ?? ""));
  return `next due in ${wait}: ${dueText(next)}`;
}

/** Trims the fields and leaves out those that are empty. */
function filledFields(params: URLSearchParams): Record<string, string> {
  const fields = [...params].map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== ""));
}

/** Input of an operation. Fields are texts; `json` is a whole body, and `when` a duration or an instant. */
function inputOf({ events, enabled, json, when, ...fields }: Fields): object {
  return {
    ...fields,
    ...(events === undefined ? {} : { events: events.match(/[^\s,]+/g) ?? [] }),
    ...(enabled === undefined ? {} : { enabled: enabled === "true" }),
    ...(json === undefined ? {} : parseBody(json)),
    ...(when === undefined ? {} : INSTANT_PATTERN.test(when) ? { to: when } : { by: durationIn(when) }),
  };
}

function parseBody(text: string): object {
  const parsed = parseJsonObject({ text });
  if (isRefusal(parsed)) throw new SandboxError(parsed);
  return parsed.object;
}

/** `"+10 s"` → `"10s"`. */
function durationIn(text: string): string {
  return text.replace(/^\+|\s/g, "");
}

/** Snapshot taken before a reset, for Undo. */
const BEFORE_RESET = "before-reset";

/** A charge that a shop could have made. */
const EXAMPLE = {
  order: { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "mobile_money" },
  customer: {
    customer_email: "grace.hopper@example.com",
    customer_name: "Grace Hopper",
    phone_number: "+254700000001",
    metadata: { order_id: "A-1042" },
  },
};

const OWN_ACTIONS: Readonly<Record<OwnAction, (context: Acting, fields: Fields) => Promise<ActionResult>>> = {
  reset: async ({ client, namespace }, { name }) => {
    // The button names the namespace, so a stale page or a script cannot reset another namespace.
    if (name !== namespace)
      throw new SandboxError(refuseInvalid({ name: `must be this namespace, ${namespace}` }));
    await client.run("createSnapshot", { name: BEFORE_RESET });
    await client.run("resetSandbox");
    return { text: `Namespace “${namespace}” reset (receivers and keys kept)`, undo: BEFORE_RESET };
  },
  redeliver: async (context, { delivery_id = "" }) =>
    attempted(context, (await context.ask("redeliver", { delivery_id })).items),
  retryDelivery: async (context, { delivery_id = "" }) =>
    attempted(context, [await context.ask("retryDelivery", { delivery_id })]),
  retryReceiver: async (context, { webhook_id = "" }) =>
    attempted(context, (await context.ask("retryReceiver", { webhook_id })).items),
  make: (context) => pay(context, context.sandbox.api_key, EXAMPLE, {}),
  again: async (context, fields) => {
    const charge = await context.ask("getCharge", { charge_id: fields.charge_id ?? "" });
    const checkout = await context.ask("getControlCheckout", { checkout_id: charge.checkout_id });
    const { order, to_currency, customer } = checkoutOf(charge, checkout);
    const pricing = { ...order.pricing, amount: fields.amount ?? order.pricing.amount };
    const { api_key, live_api_key } = context.sandbox;
    const key = charge.mode === "live" ? live_api_key : api_key;
    return pay(context, key, { order: { ...order, pricing, to_currency }, customer }, fields);
  },
};

interface Payment {
  readonly order: Readonly<Record<string, unknown>>;
  readonly customer: object;
}

/** Creates a quote and a charge from it, as the app does. */
async function pay(
  { client, namespace }: Acting,
  key: string,
  { order, customer }: Payment,
  { scenario }: Fields,
): Promise<ActionResult> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(scenario === undefined ? {} : { "sandbox-scenario": scenario }),
  };
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await client.send("POST", `/api/v1/payments/${path}`, body, undefined, headers);
    const { error, ...result } = JSON.parse(await response.text());
    if (error !== undefined) throw new SandboxError(error);
    return result;
  };
  const { quote_id } = await post("quotes", order);
  const { to_currency: _quoted, ...checkout } = order;
  const { charge_id = "" } = await post("whitelabel", { ...checkout, ...customer, quote_id });
  return { text: `Charge ${charge_id} created`, to: `${dashboardPath(namespace)}/charges/${charge_id}` };
}

const MAX_WAIT_MS = 3_000;
const POLL_MS = 50;

/** Waits for the next attempts, and says how they ended; counts those of several deliveries. */
async function attempted({ ask }: Acting, sent: readonly ListedDelivery[]): Promise<ActionResult> {
  let waiting = sent;
  const ended: ListedDelivery[] = [];
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const now = await Promise.all(waiting.map(({ delivery_id }) => ask("getDelivery", { delivery_id })));
    const isOver = waitedMs >= MAX_WAIT_MS;
    const hasEnded = (delivery: ListedDelivery, index: number) =>
      isOver || delivery.hold !== null || delivery.attempts.length > waiting[index]!.attempts.length;
    ended.push(...now.filter(hasEnded));
    waiting = waiting.filter((_, index) => !hasEnded(now[index]!, index));
    if (waiting.length === 0) break;
    await pause(POLL_MS);
  }
  const delivered = ended.filter(({ status }) => status === "delivered").length;
  const isBad = delivered < ended.length && ended.some(({ hold }) => hold === null);
  const [only] = ended;
  if (ended.length === 1) return { text: webhookText({ ...only }, only!.type), isBad };
  return { text: `${formatCount(ended.length, "webhook")} sent: ${delivered} delivered`, isBad };
}
