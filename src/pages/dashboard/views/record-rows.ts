/**
 * Records as list rows. Columns come from `LIST_COLUMNS`; the functions below add data that only the server knows,
 * such as the app's order that a delivery is about, or a charge's failing webhooks.
 */

import type { Charge } from "../../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../../core/domain/withdrawal.js";
import { amountReturned, requireBookedPayment } from "../../../core/engine/ledger-posting.js";
import type { Delivery, Destination, Endpoint } from "../../../core/engine/records.js";
import type { RequestEntry } from "../../../core/namespace/request-journal.js";
import {
  columnValue,
  formatOf,
  type JsonRecord,
  LIST_COLUMNS,
  type ListName,
  type RowSlot,
} from "../../../core/reports/list-columns.js";
import { type ShownStatus, statusDetails } from "../../../core/reports/shown-status.js";
import { nextTryIn, receiverText } from "../../../core/reports/trouble.js";
import type { Mode } from "../../../core/schema/common.js";
import { NOTHING_LISTENS } from "../../../core/schema/receiver-url.js";
import { iso } from "../../../core/schema/time.js";
import { isFailing } from "../../../server/control/record-views.js";
import { breakable, groupDigits } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import { statusOf } from "../../payment-status.js";
import {
  callFailureText,
  deliveryFailureText,
  deliveryStateOf,
  faultPart,
  isOpenFailure,
} from "../attention.js";
import * as ui from "../components.js";
import { objectName, orderOf } from "../object-names.js";
import { type PageContext, type ViewName, viewUrl } from "../page-context.js";

interface RowOptions {
  /** Default: time of creation. */
  readonly at?: string;
  readonly rowButtons?: Content;
  readonly to?: string | undefined;
  /** Leaves out the row's own id to save room. */
  readonly withoutId?: boolean;
  /** Follows the reason in the row's subtitle. */
  readonly about?: readonly Content[];
}

interface RecordRow extends Partial<ui.ListRow>, RowOptions {
  readonly key: string;
  /** The app's order, else the short id of a charge. */
  readonly order?: string;
  /** Error or state of the record. */
  readonly reason?: Content;
}

/**
 * Renders a record as a row with the columns of its list in `LIST_COLUMNS`. Overrides replace single parts. The subtitle
 * begins with the order and the reason, and ends with ids.
 */
function recordRow(
  context: PageContext,
  name: ListName,
  record: object,
  { order, reason, about = [], withoutId = false, ...overrides }: RecordRow,
): Markup {
  const list = LIST_COLUMNS[name];
  const fields = record as JsonRecord & { readonly mode?: Mode };
  const contents = (names: readonly string[]) =>
    names.map((field) => fieldContent(field, columnValue(list, field, fields), fields));
  const slot = (name: RowSlot) => contents(list.slots?.[name] ?? []);
  const sub = list.slots?.sub ?? [];
  const isId = (field: string) => formatOf(field) === "id";
  return ui.listRow(context, {
    status: slot("status"),
    title: html`<bdi>${slot("title").map((part, index) => html`${index > 0 && " "}${part}`)}</bdi>${fields.mode !== undefined && html` ${ui.liveModeTag(fields.mode)}`}`,
    to: list.view && rowUrl(context, list.view, overrides.key),
    subtitle: ui.joinWithDots([
      order && html`<span class="order${order.length <= MAX_UNBROKEN_LENGTH && " whole"}">${order}</span>`,
      ui.reasonMarkup(reason),
      ...contents(sub.filter((field) => !isId(field))),
      ...about,
      ...(withoutId ? [] : contents(sub.filter(isId))),
    ]),
    side: slot("side"),
    tone: ui.statusTone(String(fields.status)),
    ...overrides,
  });
}

/** Page of a record. A link in its own list keeps the filters, for the list beside the record. */
function rowUrl(context: PageContext, view: ViewName, id: string): string {
  const filters = view === context.view ? Object.fromEntries(context.query) : {};
  return viewUrl(context, view, id, filters);
}

function fieldContent(field: string, value: unknown, { currency }: JsonRecord): Content {
  if (value === null || value === undefined) return false;
  const text = String(value);
  const format = formatOf(field);
  if (format === "id") return html`<code>${ui.shortIdText(text)}</code>`;
  if (format === "status") return ui.badge(text);
  if (format === "amount") return ui.amountMarkup(text, String(currency));
  return format === "count" ? ui.formatCount(Number(value), field.replace(/s$/, "")) : text;
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

/** Characters of a metadata entry that stays in one line. */
const MAX_UNBROKEN_LENGTH = 20;

/** `bank account …6789` */
export function destinationText(destination: Destination | undefined): string {
  if (destination === undefined) return "destination deleted";
  const { type, account_number, phone_number, wallet_address } = destination.fields;
  const number = account_number ?? phone_number ?? wallet_address;
  return `${type.replaceAll("_", " ")}${number ? ` …${number.slice(-4)}` : ""}`;
}

/** The app's order or payout reference, and the short id of the charge or payout; `withoutId`: the id only without an order. */
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

/** Details of a payment's status, with the sum of a charge's partial refunds: `USD 6.50 of 20.67: USD 5.50; USD 1.00`. */
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

/** `about` follows the reason; then the scenario, if it is another than the default. */
function paymentRow(
  context: PageContext,
  name: "charges" | "withdrawals",
  record: Charge | Withdrawal,
  { about = [], ...row }: RecordRow,
): Markup {
  const shown = statusOf(context.namespace, record);
  const { word } = shown;
  const tone = ui.statusTone(word);
  const { scenario, created_at: at } = record;
  const scenarioText = scenario !== null && scenario !== "default" && `scenario ${scenario}`;
  const status = ui.badge(word, tone);
  const details = statusDetailsText(context, record, shown);
  return recordRow(context, name, record, {
    at,
    status,
    reason: details !== "" && breakable(details),
    tone,
    ...row,
    about: [...about, scenarioText],
  });
}

export function chargeRow(context: PageContext, charge: Charge, options: RowOptions = {}): Markup {
  const { charge_id: key, customer_email, customer_name, mode, payment_method } = charge;
  const { withoutId = false } = options;
  const method = payment_method?.replaceAll("_", " ");
  const title = html`<bdi>${ui.breakable(customer_email ?? customer_name ?? "no e-mail")}</bdi>${withoutId && method && html` <span class="soft">· ${method}</span>`} ${ui.liveModeTag(mode)}`;
  const named = orderOf(charge);
  const order = named || ui.shortIdText(key);
  const about = [!withoutId && method, failingWebhooks(context, charge)];
  const row = { key, title, order, about, ...options, withoutId: withoutId || !named };
  return paymentRow(context, "charges", charge, row);
}

/** Number of a charge's webhooks that fail or were given up. Activity names the receivers and their errors once. */
function failingWebhooks(context: PageContext, { charge_id }: Charge): Markup | false {
  const { state } = context.namespace.engine;
  const events = state.eventsOf(charge_id);
  const failing = events
    .flatMap(({ event_id }) => state.deliveriesOf(event_id))
    .filter((delivery) => isOpenFailure(context, delivery));
  const counts = ui
    .groupConsecutive(failing.map((delivery) => deliveryStateOf(context, delivery)).sort(), String)
    .map((states) => `${ui.formatCount(states.length, "webhook")} ${states[0]}`);
  return failing.length > 0 && html`<span class="mark warn" data-key="failing">${counts.join(", ")}</span>`;
}

export function withdrawalRow(context: PageContext, payout: Withdrawal, options: RowOptions = {}): Markup {
  const { withdrawal_id: key, reference, mode, destination_id } = payout;
  const destination = context.namespace.engine.state.get("destinations", destination_id);
  const title = html`withdrawal <bdi>${reference}</bdi> ${ui.liveModeTag(mode)}`;
  const about = [destinationText(destination)];
  return paymentRow(context, "withdrawals", payout, { key, title, about, ...options });
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

/** A file of the receiver's code with its line, as an error or its stack trace names it. */
const CODE_PLACE =
  /(?<![\w./-])[\w./-]+\.(?:[cm]?[jt]sx?|py|rb|php|go|java|kt|cs|rs|exs?)(?::|, line |\()\d+/;

/** Next step after a failed attempt; false after another. */
export function nextStepText(delivery: Delivery, endpoint: Endpoint | undefined): string | false {
  const url = endpoint?.url;
  if (!isFailing(delivery) || url == null || endpoint?.enabled === false) return false;
  const { status, response_body } = delivery.attempts.at(-1)!;
  const [place] = CODE_PLACE.exec(response_body ?? "") ?? [];
  const failure = deliveryFailureText(delivery);
  const step =
    failure === NOTHING_LISTENS
      ? `start your app on ${receiverText(new URL(url).origin)}`
      : status === null && failure.startsWith("no answer within")
        ? "respond before you do the work"
        : `fix the receiver${place === undefined ? "" : ` at ${place}`}`;
  return `${step}, then Retry`;
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

/** `count` deliveries fail alike at one receiver; the row shows the newest. */
export function deliveryRow(
  context: PageContext,
  delivery: Delivery,
  { withoutId, about = objectText(context, delivery.object_id, withoutId), ...options }: RowOptions = {},
  count = 1,
): Markup {
  const { delivery_id: key, event_type: type, created_at: at } = delivery;
  const receiver = ui.receiverLabel(context.namespace.engine.state.get("endpoints", delivery.webhook_id));
  const record = { ...delivery, type, url: `→ ${receiver}` };
  const state = deliveryStateOf(context, delivery);
  const [reason, due] = deliveryOutcome(context, delivery);
  return recordRow(context, "deliveries", record, {
    key,
    at,
    status: ui.badge(count === 1 ? state : `${state} ×${count}`, ui.statusTone(state)),
    reason,
    about: [due, ...about],
    rowButtons: attemptButton(delivery, `${type} to ${receiver}`),
    tone: isOpenFailure(context, delivery) ? "bad" : "",
    ...options,
  });
}

/** `others` are earlier calls with the outcome of `entry`. The row's key is the oldest call's id, which stays. */
export function requestRow(
  context: PageContext,
  entry: RequestEntry,
  others: readonly RequestEntry[] = [],
): Markup {
  const { inFlight, tolerated = [] } = entry;
  const at = iso(entry.atMs);
  const about = objectText(context, objectIdOf(entry));
  const bad = hasFailed(entry);
  const times = others.length === 0 ? "" : ` ×${others.length + 1}`;
  return recordRow(context, "requests", entry, {
    key: `request-${(others.at(-1) ?? entry).id}`,
    at,
    status: requestBadge(entry, times),
    title: ui.callText(entry),
    to: rowUrl(context, "requests", String(entry.id)),
    reason: bad && callFailureText(entry),
    about: [...tolerated.map((note) => `ignored: ${note}`), !bad && faultPart(entry), ...about],
    side: !inFlight && `${entry.durationMs} ms`,
    tone: bad ? "bad" : "",
  });
}
