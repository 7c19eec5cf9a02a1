/** Columns and filters of each list of the control API, for tables and options, forms and curl commands. */
import type { DeliveryState, ReceiverHealth } from "../schema/control-log-responses.js";
import { isMishapScenario } from "../schema/scenario-rules.js";
import { attemptsOf, deliveryTrouble, stateText } from "./delivery-text.js";
import { missingStatusReason, requestTrouble } from "./request-text.js";
import { effectText, matchText } from "./rule-text.js";

export type JsonRecord = Readonly<Record<string, unknown>>;

/** Format of a value. A narrow terminal shortens times, ids and addresses, and truncates texts. */
export type ValueFormat = "text" | "id" | "time" | "address" | "status" | "amount" | "count" | "event";

const FORMATS: readonly (readonly [field: RegExp, format: ValueFormat])[] = [
  [/(^|_)id$|^(fault|about)$/, "id"],
  [/(^|_)at$|^(now|next_due)$/, "time"],
  [/^(url|path)$/, "address"],
  [/^status$/, "status"],
  [/^type$/, "event"],
  [/(^|_)amount$|^fees?$|_balance$/, "amount"],
  [/^(attempts|used|charges)$/, "count"],
];

export function formatOf(field: string): ValueFormat {
  return FORMATS.find(([pattern]) => pattern.test(field))?.[1] ?? "text";
}

function shareText(share: number | null): string | undefined {
  return share === null ? undefined : `${Math.floor(share * 100)} %`;
}

function durationText(durationMs: number | null): string | undefined {
  return durationMs === null ? undefined : `${Math.round(durationMs)} ms`;
}

type Query = Readonly<Record<string, string>>;

export interface ListFilter {
  /** Name of the query parameter in the control API. */
  readonly name: string;
  readonly option?: readonly [flags: string, about: string];
  /** Field of the dashboard's form; `field.name` is the query parameter of the page. */
  readonly field?: { readonly name: string; readonly label: string };
  /** Builds the control API's query from the field's value; default: `name` with that value. */
  readonly query?: (value: string) => Query;
}

export interface ListColumns {
  /** Fields of the record, also the headings in a terminal. */
  readonly columns: readonly string[];
  /** Columns that a narrow terminal leaves out, the first to go first. */
  readonly dropFirst?: readonly string[];
  /** Lines below the row: why the record is in trouble, and after `! ` what to know of it. */
  readonly notes?: (record: JsonRecord) => readonly string[];
  readonly values?: Readonly<Record<string, (record: JsonRecord) => unknown>>;
  /** Returns true for a record without further effect. A terminal shows it last and dim. */
  readonly isDone?: (record: JsonRecord) => boolean;
  readonly filters?: readonly ListFilter[];
}

export function columnValue(
  { values }: Pick<ListColumns, "values">,
  field: string,
  record: JsonRecord,
): unknown {
  const value = values?.[field];
  return value === undefined ? record[field] : value(record);
}

const STATUS: ListFilter = {
  name: "status",
  option: ["--status <status>", "only of this status"],
  field: { name: "status", label: "Status" },
};
const TYPE: ListFilter = {
  name: "type",
  option: ["--type <glob>", "only of this type"],
  field: { name: "type", label: "Event" },
};
/** Filters of the page that a link of another page sets. */
const STUCK: readonly ListFilter[] = [
  { name: "stuck", field: { name: "stuck", label: "Stuck" } },
  { name: "scenario", field: { name: "scenario", label: "Scenario" } },
];
const SEARCH: ListFilter = { name: "q", field: { name: "q", label: "Search" } };

/** The app's order: the first entry of the metadata that is named for one. */
export function orderOf({ metadata }: { readonly metadata?: unknown }): string | undefined {
  const entries = Object.entries((metadata ?? {}) as Readonly<Record<string, string>>);
  return entries.find(([name]) => /order/i.test(name))?.[1];
}

/** Id of the charge or withdrawal that an event or a delivery is about. */
function objectId({ charge_id, withdrawal_id }: JsonRecord): unknown {
  return charge_id ?? withdrawal_id;
}

/** Fields of the payment that a request created or read. */
function requestPayment({ request_body, response_body }: JsonRecord): JsonRecord {
  return { ...Object(request_body), ...Object(response_body) };
}

const lists = {
  charges: {
    columns: ["created_at", "status", "amount", "customer_email", "order", "payment_method", "charge_id"],
    dropFirst: ["payment_method"],
    values: { order: orderOf },
    filters: [
      SEARCH,
      { ...STATUS, query: (value) => ({ status: value.replaceAll(" ", "_") }) },
      ...STUCK,
      { name: "customer_email", option: ["--email <address>", "only of this customer"] },
    ],
  },
  withdrawals: {
    columns: ["created_at", "status", "amount", "fee", "reference", "withdrawal_id"],
    dropFirst: ["fee"],
    filters: [STATUS, ...STUCK],
  },
  deliveries: {
    columns: ["created_at", "type", "url", "status", "response", "about", "delivery_id"],
    dropFirst: ["response", "url"],
    values: {
      about: objectId,
      url: ({ url, status }) => url ?? (status === "dropped" ? url : "mailbox"),
      status: ({ state }) => stateText(state as DeliveryState),
      attempts: (delivery) => attemptsOf(delivery).length,
      response: (delivery) => {
        const { length, [length - 1]: last } = attemptsOf(delivery);
        return last && `${length === 1 ? "" : `${length} × `}${last.status ?? "none"}`;
      },
    },
    notes: (delivery) => {
      const trouble = deliveryTrouble(delivery) ?? [];
      const copy = delivery.copy === undefined ? [] : [`! ${delivery.copy}`];
      return [copy, delivery.hold === null ? trouble : `! ${trouble}`].flat();
    },
    filters: [
      { name: "failing", option: ["--failing", "only those that were tried and not delivered"] },
      {
        name: "status",
        field: { name: "status", label: "Status" },
        query: (value): Query => ({ state: value.replaceAll(" ", "_") }),
      },
      TYPE,
      { name: "webhook_id", field: { name: "receiver", label: "Receiver" } },
      SEARCH,
    ],
  },
  requests: {
    columns: ["at", "method", "path", "status", "amount", "about"],
    values: {
      status: (request) => request.status ?? missingStatusReason(request),
      amount: (request) => {
        const { amount, currency } = requestPayment(request);
        return typeof amount === "string" ? `${currency} ${amount}` : undefined;
      },
      about: (request) => {
        const payment = requestPayment(request);
        const parts = [objectId(payment), payment.customer_email].filter((part) => typeof part === "string");
        return parts.length === 0 ? undefined : parts.join(" ");
      },
    },
    notes: (request) => [
      ...[requestTrouble(request) ?? (request.fault === null ? [] : `! fault of ${request.fault}`)].flat(),
      ...(request.tolerated as readonly string[]).map((note) => `! passed over: ${note}`),
    ],
    filters: [
      SEARCH,
      {
        ...STATUS,
        option: ["--status <status>", "only with this status, such as 400 or 4xx"],
        query: (value) => ({ status: value === "dropped" ? "none" : value.padEnd(3, "x") }),
      },
      {
        name: "operation",
        option: ["--operation <glob>", "only of this operation"],
        field: { name: "operation", label: "Operation" },
      },
      { name: "path", field: { name: "path", label: "Path" } },
      { name: "why", field: { name: "why", label: "Reason" } },
      { name: "since", field: { name: "since", label: "Since" } },
    ],
  },
  events: {
    columns: ["at", "type", "event_id", "about"],
    dropFirst: ["event_id"],
    values: { about: objectId },
    filters: [TYPE],
  },
  next: {
    columns: ["at", "in", "amount", "who", "id", "what"],
    dropFirst: ["id", "amount"],
    notes: ({ note }) => (note === undefined ? [] : [`! ${note}`]),
  },
  balances: { columns: ["organization_id", "mode", "currency", "available_balance", "pending_balance"] },
  "webhook-endpoints": {
    columns: ["webhook_id", "url", "mode", "status", "delivered", "p95", "events"],
    dropFirst: ["mode", "p95"],
    values: {
      url: ({ url, mailbox }) => url ?? `mailbox ${mailbox}`,
      status: ({ health }) => {
        const { state, open_failures } = health as ReceiverHealth;
        return state === "failing" ? `${open_failures} ${state}` : state;
      },
      delivered: ({ health }) => shareText((health as ReceiverHealth).delivered_share),
      p95: ({ health }) => durationText((health as ReceiverHealth).p95_ms),
    },
    notes: ({ health }) => {
      const { state, last_error } = health as ReceiverHealth;
      return state === "failing" && last_error !== null ? [last_error] : [];
    },
  },
  snapshots: { columns: ["name", "at"] },
  namespaces: { columns: ["name", "api_key", "charges"] },
  scenarios: {
    columns: ["name", "kind", "active", "description"],
    values: {
      kind: (scenario) => (isMishapScenario(scenario) ? "mishap" : "outcome"),
      // The scenario `default` always applies, after all others; it needs no activation.
      active: ({ name, active }) => (name === "default" ? "always" : active ? "yes" : undefined),
      description: ({ description = "" }) => String(description).replace(/\s+/g, " ").trim(),
    },
  },
  faults: {
    columns: ["fault_id", "used", "rule"],
    values: {
      rule: (record) => `${matchText(record)} → ${effectText(record).replace(/^return /, "")}`,
      used: ({ applied, times, per = "customer" }) => {
        if (times === undefined) return applied;
        return per === "request" ? `${applied} of ${times}` : `${applied} (${times} for each ${per})`;
      },
    },
    isDone: ({ applied, times, per }) => per === "request" && Number(applied) >= Number(times),
  },
} satisfies Readonly<Record<string, ListColumns>>;

export type ListName = keyof typeof lists;

/** Columns and filters by list. The name of a list is its path below `/_sandbox`. */
export const LIST_COLUMNS: Readonly<Record<ListName, ListColumns>> = lists;
