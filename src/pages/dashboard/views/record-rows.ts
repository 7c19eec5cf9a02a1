/** Records as rows of lists, all with the same columns in one order. */
import type { Charge } from "../../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../../core/domain/withdrawal.js";
import { amountReturned, requireBookedPayment } from "../../../core/engine/ledger-posting.js";
import type { Delivery, Destination, Endpoint } from "../../../core/engine/records.js";
import type { RequestEntry } from "../../../core/namespace/request-journal.js";
import { isFailing, nextTryIn } from "../../../core/reports/delivery-text.js";
import { mendText } from "../../../core/reports/payment-text.js";
import { type ShownStatus, statusDetails } from "../../../core/reports/shown-status.js";
import { iso } from "../../../core/schema/time.js";
import { webhookCounts } from "../../../server/control/payment-report.js";

import { breakable, groupDigits } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import { statusOf } from "../../payment-status.js";
import { callFailureText, faultPart } from "../call-failures.js";
import * as ui from "../components.js";
import { deliveryFailureText, deliveryStateOf, isOpenFailure } from "../deliveries.js";
import { objectName, orderOf } from "../object-names.js";
import { type PageContext, type ViewName, viewUrl } from "../page-context.js";

/** Page of a record. A link in its own list keeps the filters, for the list beside the record. */
function rowUrl(context: PageContext, view: ViewName, id: string): string {
  const filters = view === context.view ? Object.fromEntries(context.query) : {};
  return viewUrl(context, view, id, filters);
}

/** The app's order begins what a row says of a record. */
function orderMarkup(order: string | false): Markup | false {
  return order !== false && html`<span class="order">${order}</span>`;
}

export function isRequestInMode({ mode }: PageContext, { apiKey }: RequestEntry): boolean {
  return mode === undefined || (apiKey?.startsWith("sk_live_") ?? false) === (mode === "live");
}

/** Returns true if a call got an error response or none. */
export function hasFailed({ inFlight, status }: RequestEntry): boolean {
  return !inFlight && (status ?? 500) >= 400;
}

export function requestBadge({ inFlight, status }: RequestEntry, times = ""): Markup {
  return inFlight
    ? ui.badge(`in flight${times}`, "warn")
    : ui.badge(`${status ?? "dropped"}${times}`, ui.httpTone(status));
}

/** Id of the charge, payout or quote that a call created or names in its path. */
export function objectIdOf({ objectId, path, method, responseBody }: RequestEntry): string | undefined {
  return (
    objectId ??
    /\/([a-z]+_[0-9a-f]{8,})/.exec(path)?.[1] ??
    (method === "POST" ? /"(?:charge|withdrawal|quote)_id":"(\w+)"/.exec(responseBody ?? "")?.[1] : undefined)
  );
}

/** `bank account …6789` */
export function destinationText(destination: Destination | undefined): string {
  if (destination === undefined) return "destination deleted";
  const { type, account_number, phone_number, wallet_address } = destination.fields;
  const number = account_number ?? phone_number ?? wallet_address;
  return `${type.replaceAll("_", " ")}${number ? ` …${number.slice(-4)}` : ""}`;
}

/** The app's order or payout reference, and the short id; `withoutId`: the id only without an order. */
export function objectText(
  { namespace }: PageContext,
  id: string | null | undefined,
  withoutId = false,
): Content[] {
  if (id == null) return [];
  const name = objectName(namespace, id);
  const hasName = name !== id;
  return [
    hasName && html`<span class="about">${name}</span>`,
    !(withoutId && hasName) && html`<code>${ui.shortIdText(id)}</code>`,
  ];
}

/** Details of a payment's status, with the sum of partial refunds: `USD 6.50 of 20.67: USD 5.50; USD 1.00`. */
export function statusDetailsText(
  { namespace: { engine } }: PageContext,
  record: Charge | Withdrawal,
  shown: ShownStatus,
): string {
  const details = statusDetails(shown);
  if (shown.earlier === undefined || !("charge_id" in record)) return details;
  const { amount, currency } = requireBookedPayment(record);
  const sum = `${currency} ${groupDigits(amountReturned(engine.state, record))} of ${groupDigits(amount)}`;
  return shown.earlier.length === 0 ? details.replace(shown.amount!, sum) : `${sum}: ${details}`;
}

interface PaymentRow extends Pick<ui.ListRow, "key" | "title" | "at"> {
  readonly view: "charges" | "money";
  readonly order?: string | false;
  readonly about: readonly Content[];
}

function paymentRow(
  context: PageContext,
  record: Charge | Withdrawal,
  { view, order = false, about, ...row }: PaymentRow,
): Markup {
  const shown = statusOf(context.namespace, record);
  const { amount, currency, scenario, created_at } = record;
  const details = statusDetailsText(context, record, shown);
  const scenarioText = scenario !== null && scenario !== "default" && `scenario ${scenario}`;
  return ui.listRow(context, {
    at: created_at,
    status: ui.badge(shown.word),
    tone: ui.statusTone(shown.word),
    amount: [amount, currency],
    to: rowUrl(context, view, row.key),
    subtitle: ui.joinWithDots([
      orderMarkup(order),
      ui.reasonMarkup(details !== "" && breakable(details)),
      ...about,
      scenarioText,
    ]),
    id: row.key,
    ...row,
  });
}

/** @param at default: when it was created */
export function chargeRow(context: PageContext, charge: Charge, at = charge.created_at): Markup {
  const { charge_id: key, customer_email, customer_name, mode, payment_method } = charge;
  const customer = ui.breakable(customer_email ?? customer_name ?? "no e-mail");
  return paymentRow(context, charge, {
    key,
    at,
    view: "charges",
    title: html`<bdi>${customer}</bdi> ${ui.liveModeTag(mode)}`,
    order: orderOf(charge),
    about: [payment_method?.replaceAll("_", " "), failingWebhooks(context, charge)],
  });
}

/** Number of a charge's webhooks that were not accepted. Needs attention names the receivers and their errors once. */
function failingWebhooks({ namespace }: PageContext, charge: Charge): Markup | false {
  const { failing, given_up } = webhookCounts(namespace, charge);
  const counts = [
    failing > 0 && `${ui.formatCount(failing, "webhook")} failing`,
    given_up > 0 && `${ui.formatCount(given_up, "webhook")} given up`,
  ].filter(Boolean);
  return counts.length > 0 && html`<span class="mark warn" data-key="failing">${counts.join(", ")}</span>`;
}

/** @param at default: when it was created */
export function withdrawalRow(context: PageContext, payout: Withdrawal, at = payout.created_at): Markup {
  const { withdrawal_id: key, reference, mode, destination_id } = payout;
  const destination = context.namespace.engine.state.get("destinations", destination_id);
  return paymentRow(context, payout, {
    key,
    at,
    view: "money",
    title: html`${destinationText(destination)} ${ui.liveModeTag(mode)}`,
    about: [html`payout <bdi>${reference}</bdi>`],
  });
}

/** Page of a charge or payout; undefined for an id of another object, or none. */
export function objectUrl(context: PageContext, id: string | null | undefined): string | undefined {
  const { state } = context.namespace.engine;
  if (state.get("charges", id ?? "") !== undefined) return viewUrl(context, "charges", id!);
  return state.get("withdrawals", id ?? "") === undefined ? undefined : viewUrl(context, "money", id!);
}

/** Result of a delivery so far: why it is held or failing; then when the next attempt is due. */
export function deliveryOutcome(context: PageContext, delivery: Delivery): [result: string, due?: string] {
  const { namespace, nowMs } = context;
  const { attempts, next_attempt_at: next, mishap, status } = delivery;
  const hold = namespace.findHold(delivery);
  const last = attempts.at(-1);
  if (hold !== null) return [hold.reason];
  if (status === "dropped") {
    if (last === undefined && mishap !== null) return [`dropped by scenario ${mishap.scenario}`];
    const isDeleted = namespace.engine.state.get("endpoints", delivery.webhook_id) === undefined;
    return [`dropped: receiver was ${isDeleted ? "deleted" : "off"}`];
  }
  if (last === undefined) return ["no attempt yet"];
  if (status === "delivered") return [`${last.status} in ${Math.round(last.duration_ms)} ms`];
  return [
    deliveryFailureText(delivery),
    deliveryStateOf(context, delivery) === "off" ? "off: not retried" : nextTryIn(next, nowMs),
  ];
}

/** Next step after a failed attempt; false after another. */
export function nextStepText(delivery: Delivery, endpoint: Endpoint | undefined): string | false {
  const url = endpoint?.url;
  if (!isFailing(delivery) || url == null || endpoint?.enabled === false) return false;
  return `${mendText({ url, attempt: delivery.attempts.at(-1) })}, then Retry`;
}

/** Button that retries a failing delivery, or redelivers any other delivery. */
export function attemptButton(delivery: Delivery, to: string): Markup {
  const isRetry = isFailing(delivery);
  const { delivery_id } = delivery;
  return ui.button({
    does: isRetry ? ["retryDelivery", { delivery_id }] : ["redeliver", { delivery_id }],
    label: isRetry ? "Retry" : "Redeliver",
    to,
  });
}

/** @param withButton false beside an object and on the page of a delivery */
export function deliveryRow(context: PageContext, delivery: Delivery, withButton = true): Markup {
  const { delivery_id: key, event_type, created_at: at, mode, object_id, attempts } = delivery;
  const receiver = ui.receiverLabel(context.namespace.engine.state.get("endpoints", delivery.webhook_id));
  const state = deliveryStateOf(context, delivery);
  const [reason, due] = deliveryOutcome(context, delivery);
  const tries = attempts.length > 1 && `${attempts.length} attempts`;
  return ui.listRow(context, {
    key,
    at,
    status: ui.badge(state, ui.statusTone(state)),
    tone: isOpenFailure(context, delivery) ? "bad" : "",
    title: html`${event_type} → <bdi>${receiver}</bdi> ${ui.liveModeTag(mode)}`,
    to: rowUrl(context, "webhooks", key),
    subtitle: ui.joinWithDots([...nameOf(context, object_id), ui.reasonMarkup(reason), due, tries]),
    id: object_id ?? undefined,
    rowButtons: withButton && attemptButton(delivery, `${event_type} to ${receiver}`),
  });
}

/** The app's order or payout reference of a charge or payout. */
function nameOf({ namespace }: PageContext, id: string | null | undefined): Content[] {
  const name = id == null ? undefined : objectName(namespace, id);
  return name === undefined || name === id ? [] : [orderMarkup(name)];
}

/** `others` are earlier calls with the outcome of `entry`. The row's key is the oldest call's id, which stays. */
export function requestRow(
  context: PageContext,
  entry: RequestEntry,
  others: readonly RequestEntry[] = [],
): Markup {
  const { inFlight, operation, tolerated = [], durationMs } = entry;
  const bad = hasFailed(entry);
  const objectId = objectIdOf(entry);
  return ui.listRow(context, {
    key: `request-${(others.at(-1) ?? entry).id}`,
    at: iso(entry.atMs),
    status: requestBadge(entry, others.length === 0 ? "" : ` ×${others.length + 1}`),
    tone: bad ? "bad" : "",
    title: ui.callText(entry),
    to: rowUrl(context, "requests", String(entry.id)),
    subtitle: ui.joinWithDots([
      ...nameOf(context, objectId),
      ui.reasonMarkup(bad && callFailureText(entry)),
      operation,
      ...tolerated.map((note) => `ignored: ${note}`),
      !bad && faultPart(entry),
      !inFlight && `${durationMs} ms`,
    ]),
    id: objectId,
  });
}
