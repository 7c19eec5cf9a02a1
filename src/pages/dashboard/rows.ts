/** Records as rows of lists, all with the same columns in one order. */
import { add, decimalsOf, subtract, zeroAmount } from "../../core/domain/money.js";
import {
  failureText,
  isFailing,
  nextTryIn,
  receiverName,
  stateText,
} from "../../core/reports/delivery-text.js";
import { orderOf } from "../../core/reports/list-columns.js";
import { mendText } from "../../core/reports/payment-text.js";
import { type ShownStatus, shownStatus, statusDetails } from "../../core/reports/shown-status.js";
import type { DeliveryView, RequestView } from "../../core/schema/control-log-responses.js";
import type { ControlCharge, ControlWithdrawal } from "../../core/schema/control-responses.js";
import type { Result } from "../../server/http/page-host.js";
import { breakable, groupDigits } from "../format.js";
import { type Content, html, type Markup } from "../html.js";
import * as ui from "./components.js";
import { type PageContext, viewUrl } from "./page-context.js";

export type Endpoint = Result<"getWebhookEndpoint">;
type Destination = Result<"listControlDestinations">["items"][number];
export type Payment = ControlCharge | ControlWithdrawal;

/** Maximum page length of the control API. */
export const LONGEST_PAGE = 100;

/** Receivers by id. */
export type Receivers = ReadonlyMap<string, Endpoint>;

export async function receiversOf({ ask }: PageContext): Promise<Receivers> {
  const { items } = await ask("listWebhookEndpoints", { limit: LONGEST_PAGE });
  return new Map(items.map((endpoint) => [endpoint.webhook_id, endpoint]));
}

/** Scenarios, the active ones first. */
export async function allScenarios({ ask }: PageContext) {
  return (await ask("listScenarios", { limit: LONGEST_PAGE })).items;
}

/** Page of a record. A link in its own list keeps the filters, for the way back. */
function rowUrl(context: PageContext, view: string, id: string): string {
  const filters = view === context.view ? Object.fromEntries(context.query) : {};
  return viewUrl(context, view, id, filters);
}

/** Characters of a metadata entry in a row. */
const MAX_ORDER_LENGTH = 60;

interface Ordered {
  readonly metadata?: unknown;
  readonly reference?: unknown;
}

/** The app's order, or else the first entry of the metadata with its name, or a payout's reference. */
export function nameOf(record: Ordered | null): string | undefined {
  const { metadata, reference } = record ?? {};
  const order = orderOf({ metadata }) ?? Object.entries(metadata ?? {})[0]?.join(" ");
  if (order === undefined) return typeof reference === "string" ? reference : undefined;
  return order.length > MAX_ORDER_LENGTH ? `${order.slice(0, MAX_ORDER_LENGTH)}…` : order;
}

/** The app's order begins what a row says of a record. */
function orderMarkup(record: Ordered | null): Markup | false {
  const order = nameOf(record);
  return order !== undefined && html`<span class="order">${order}</span>`;
}

/** Returns true if a call got an error response or none. */
export function hasFailed({ in_flight, status }: Pick<RequestView, "in_flight" | "status">): boolean {
  return !in_flight && (status ?? 500) >= 400;
}

export function requestBadge(
  { in_flight, status }: Pick<RequestView, "in_flight" | "status">,
  times = "",
): Markup {
  return in_flight
    ? ui.badge(`in flight${times}`, "warn")
    : ui.badge(`${status ?? "dropped"}${times}`, ui.httpTone(status));
}

/** `bank account …6789` */
export function destinationText(destination: Destination | undefined): string {
  if (destination === undefined) return "destination deleted";
  const { type, ...fields } = destination;
  const { account_number, phone_number, wallet_address } = fields as Readonly<Record<string, string>>;
  const number = account_number ?? phone_number ?? wallet_address;
  return `${type.replaceAll("_", " ")}${number ? ` …${number.slice(-4)}` : ""}`;
}

/** Payout destinations by id, the newest. */
export async function destinationsOf({ ask }: PageContext): Promise<ReadonlyMap<string, Destination>> {
  const { items } = await ask("listControlDestinations", { limit: LONGEST_PAGE });
  return new Map(items.map((destination) => [destination.destination_id, destination]));
}

export function idOf(payment: Payment): string {
  return "charge_id" in payment ? payment.charge_id : payment.withdrawal_id;
}

/** The amount that can still be refunded. */
export function amountLeft(charge: ControlCharge): string {
  const paid = amountPaid(charge);
  return subtract(paid, amountReturned(charge, paid));
}

/** The amount that the customer paid. */
function amountPaid(charge: ControlCharge): string {
  return charge.amount_paid ?? charge.amount;
}

/** The sum of what was taken back. */
function amountReturned({ reversals }: ControlCharge, amount: string): string {
  return reversals.reduce((sum, reversal) => add(sum, reversal.amount), zeroAmount(decimalsOf(amount)));
}

/** Details of a payment's status, with the sum of partial refunds: `USD 6.50 of 20.67: USD 5.50; USD 1.00`. */
export function statusDetailsText(payment: Payment, shown: ShownStatus): string {
  const details = statusDetails(shown);
  if (shown.earlier === undefined || !("charge_id" in payment)) return details;
  const paid = amountPaid(payment);
  const [unit] = shown.amount!.split(" ");
  const sum = `${unit} ${groupDigits(amountReturned(payment, paid))} of ${groupDigits(paid)}`;
  return shown.earlier.length === 0 ? details.replace(shown.amount!, sum) : `${sum}: ${details}`;
}

interface PaymentRow extends Pick<ui.ListRow, "title" | "at"> {
  readonly view: string;
  readonly order?: Content;
  readonly about: readonly Content[];
}

function paymentRow(
  context: PageContext,
  payment: Payment,
  { view, order, about, ...row }: PaymentRow,
): Markup {
  const key = idOf(payment);
  const shown = shownStatus(payment);
  const { amount, currency, sandbox } = payment;
  const details = statusDetailsText(payment, shown);
  const { scenario } = sandbox;
  const scenarioText = scenario !== null && scenario !== "default" && `scenario ${scenario}`;
  return ui.listRow(context, {
    key,
    status: ui.badge(shown.word),
    tone: ui.statusTone(shown.word),
    amount: [amount, currency],
    to: rowUrl(context, view, key),
    subtitle: ui.joinWithDots([
      order,
      ui.reasonMarkup(details !== "" && breakable(details)),
      ...about,
      scenarioText,
    ]),
    id: key,
    ...row,
  });
}

/** @param at default: when it was created */
export function chargeRow(context: PageContext, charge: ControlCharge, at = charge.created_at): Markup {
  const { customer_email, customer_name, mode, payment_method, webhooks } = charge;
  const customer = ui.breakable(customer_email ?? customer_name ?? "no e-mail");
  const { failing, given_up } = webhooks;
  // Needs attention names the receivers and their errors once.
  const counts = [
    failing > 0 && `${ui.formatCount(failing, "webhook")} failing`,
    given_up > 0 && `${ui.formatCount(given_up, "webhook")} given up`,
  ].filter(Boolean);
  const mark = html`<span class="mark warn" data-key="failing">${counts.join(", ")}</span>`;
  return paymentRow(context, charge, {
    at,
    view: "charges",
    title: html`<bdi>${customer}</bdi> ${ui.liveModeTag(mode)}`,
    order: orderMarkup(charge),
    about: [payment_method?.replaceAll("_", " "), counts.length > 0 && mark],
  });
}

/** @param at default: when it was created */
export function withdrawalRow(
  context: PageContext,
  payout: ControlWithdrawal,
  destination: Destination | undefined,
  at = payout.created_at,
): Markup {
  const { reference, mode } = payout;
  return paymentRow(context, payout, {
    at,
    view: "money",
    title: html`${destinationText(destination)} ${ui.liveModeTag(mode)}`,
    about: [html`withdrawal <bdi>${reference}</bdi>`],
  });
}

/** Id of the charge or payout that a delivery is about. */
export function objectIdOf({ charge_id, withdrawal_id }: DeliveryView): string | undefined {
  return charge_id ?? withdrawal_id;
}

/** Result of a delivery so far: why it is held or failing; then when the next attempt is due. */
export function deliveryOutcome(
  { nowMs }: PageContext,
  { attempts, hold, mishap, status, state, next_attempt_at }: DeliveryView,
  endpoint: Endpoint | undefined,
): [result: string, due?: string] {
  const last = attempts.at(-1);
  if (hold !== null) return [hold.reason];
  if (status === "dropped") {
    if (last === undefined && mishap !== null) return [`dropped by scenario ${mishap.scenario}`];
    return [`dropped: receiver was ${endpoint === undefined ? "deleted" : "off"}`];
  }
  if (last === undefined) return ["no attempt yet"];
  if (status === "delivered") return [`${last.status} in ${Math.round(last.duration_ms)} ms`];
  return [failureText(last), state === "off" ? "off: not retried" : nextTryIn(next_attempt_at, nowMs)];
}

/** Next step after a failed attempt; false after another. */
export function nextStepText(delivery: DeliveryView, endpoint: Endpoint | undefined): string | false {
  const url = endpoint?.url;
  if (!isFailing(delivery) || url == null || endpoint?.enabled === false) return false;
  return `${mendText({ url, attempt: delivery.attempts.at(-1) })}, then Retry`;
}

/** Button that retries a failing delivery, or redelivers any other delivery. */
function attemptButton(delivery: DeliveryView, to: string): Markup {
  const isRetry = isFailing(delivery);
  const { delivery_id } = delivery;
  return ui.button({
    does: isRetry ? ["retryDelivery", { delivery_id }] : ["redeliver", { delivery_id }],
    label: isRetry ? "Retry" : "Redeliver",
    to,
  });
}

interface DeliveryPlace {
  /** Time since the payment began, on the payment's own page. */
  readonly time?: Markup;
  readonly tag?: Content;
  readonly hasButton?: boolean;
}

export function deliveryRow(
  context: PageContext,
  delivery: DeliveryView,
  endpoint: Endpoint | undefined,
  { time, tag, hasButton = time === undefined || isFailing(delivery) }: DeliveryPlace = {},
): Markup {
  const { delivery_id: key, type, created_at: at, mode, attempts } = delivery;
  const receiver = ui.receiverLabel(receiverName(endpoint));
  const state = stateText(delivery.state);
  const [reason, due] = deliveryOutcome(context, delivery, endpoint);
  const tries = attempts.length > 1 && `${attempts.length} attempts`;
  return ui.listRow(context, {
    key,
    at: time ?? at,
    status: ui.badge(state, ui.statusTone(state)),
    tone: isFailing(delivery) && endpoint?.enabled !== false ? "bad" : "",
    title: html`${type} → <bdi>${receiver}</bdi> ${tag} ${ui.liveModeTag(mode)}`,
    to: rowUrl(context, "webhooks", key),
    subtitle: ui.joinWithDots([
      time === undefined && orderMarkup(delivery.data),
      ui.reasonMarkup(reason),
      due,
      tries,
    ]),
    id: time === undefined ? objectIdOf(delivery) : undefined,
    rowButtons: hasButton && attemptButton(delivery, `${type} to ${receiver}`),
  });
}

/** `others` are earlier calls with the outcome of `entry`. The row's key is the oldest call's id, which stays. */
export function requestRow(
  context: PageContext,
  entry: RequestView,
  others: readonly RequestView[] = [],
): Markup {
  const { in_flight, operation, tolerated, duration_ms, why, request_body, response_body } = entry;
  const bad = hasFailed(entry);
  return ui.listRow(context, {
    key: `request-${(others.at(-1) ?? entry).request_id}`,
    at: entry.at,
    status: requestBadge(entry, others.length === 0 ? "" : ` ×${others.length + 1}`),
    tone: bad ? "bad" : "",
    title: ui.callText(entry),
    to: rowUrl(context, "requests", String(entry.request_id)),
    subtitle: ui.joinWithDots([
      orderMarkup({ ...Object(response_body), ...Object(request_body) }),
      ui.reasonMarkup(bad && why),
      operation,
      ...tolerated.map((note) => `ignored: ${note}`),
      !bad && why,
      !in_flight && `${duration_ms} ms`,
    ]),
    id: entry.object_id ?? undefined,
  });
}
