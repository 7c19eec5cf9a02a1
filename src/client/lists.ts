/**
 * The lists of the control API: a table of columns and filters for each kind of record. The command line makes its tables
 * and options from them, the dashboard its rows, headings, filter forms and curl commands. Both read the API's fields.
 */
import { unansweredText } from "./story-text.js";

export type Json = Readonly<Record<string, unknown>>;

/** How a value is written. A terminal that is too narrow shortens a time, an id and an address, cuts a text, and keeps the rest. */
export type Format = "text" | "id" | "time" | "address" | "status" | "amount" | "count";

/** The parts of a row of the dashboard. */
export type Slot = "at" | "status" | "title" | "sub" | "side";

export interface Column {
  /** Field of the record, and heading in a terminal. */
  readonly name: string;
  readonly format: Format;
  /** Default: the field. */
  readonly value?: ((record: Json) => unknown) | undefined;
  /** Where the dashboard shows it; columns of one slot follow each other. */
  readonly slot?: Slot | undefined;
}

export type Query = Readonly<Record<string, string>>;

export interface Filter {
  /** Query parameter of the control API. */
  readonly name: string;
  /** Option of the command. */
  readonly option?: readonly [flags: string, about: string];
  /** Field of the dashboard's form, named as in its address. */
  readonly field?: { readonly name: string; readonly label: string; readonly hint?: string };
  /** Query of the control API for a value of the field. Default: the parameter with that value. */
  readonly query?: (value: string) => Query;
}

export interface List {
  readonly columns: readonly Column[];
  readonly filters?: readonly Filter[];
  /** View of the dashboard that has a page for each record. */
  readonly view?: "charges" | "webhooks" | "requests";
  /** Headings of the dashboard's table, a slot each. */
  readonly headings?: readonly [at: string, status: string, title: string, sub: string, side: string];
}

const as =
  (format: Format) =>
  (name: string, slot?: Slot, value?: Column["value"]): Column => ({ name, format, slot, value });
const text = as("text");
const id = as("id");
const time = as("time");
const address = as("address");
const status = as("status");
const amount = as("amount");
const count = as("count");

/** A filter that is an option and a field of the same name. */
function both(
  name: string,
  placeholder: string,
  about: string,
  label: string,
  query?: Filter["query"],
): Filter {
  const filter = { name, option: [`--${name} <${placeholder}>`, about], field: { name, label } } as const;
  return query === undefined ? filter : { ...filter, query };
}

const STATUS = both("status", "status", "only of this status", "Status");
const TYPE = both("type", "glob", "only of this type", "Event");

const search = (label: string, hint: string, query?: Filter["query"]): Filter => ({
  name: "q",
  field: { name: "q", label, hint },
  ...(query === undefined ? {} : { query }),
});

const TASKS: Readonly<Record<string, string>> = {
  timeline: "status change",
  withdrawal: "status change",
  expire: "expiry",
  settle: "settlement",
};

interface Attempt {
  readonly status: number | null;
  readonly error: string | null;
}

const attemptsOf = ({ attempts }: Json) => attempts as readonly Attempt[];

const lists = {
  charges: {
    columns: [
      id("charge_id", "sub"),
      status("status", "status"),
      amount("amount", "side"),
      text("currency"),
      text("payment_method"),
      text("customer_email", "title"),
      time("created_at", "at"),
    ],
    filters: [
      search("Search", "id, e-mail, name, order"),
      STATUS,
      { name: "customer_email", option: ["--email <address>", "only of this customer"] },
    ],
    view: "charges",
    headings: ["Created", "Status", "Customer", "Charge", "Amount"],
  },
  withdrawals: {
    columns: [
      id("withdrawal_id", "title"),
      status("status", "status"),
      amount("amount", "side"),
      amount("fee"),
      text("currency"),
      time("created_at", "at"),
    ],
    filters: [STATUS],
  },
  deliveries: {
    columns: [
      time("created_at", "at"),
      text("type", "title"),
      address("url", "title"),
      status("status", "status"),
      count("attempts", "side", (delivery) => attemptsOf(delivery).length),
      text("response", undefined, (delivery) => {
        const last = attemptsOf(delivery).at(-1);
        return last?.status ?? last?.error;
      }),
      id("delivery_id"),
    ],
    filters: [
      { name: "failing", option: ["--failing", "only those that were tried and not delivered"] },
      {
        name: "status",
        field: { name: "status", label: "Status" },
        query: (value): Query => (value === "failing" ? { failing: "1" } : { status: value }),
      },
      TYPE,
      { name: "webhook_id", field: { name: "receiver", label: "Receiver" } },
      search("About", "order, e-mail, id"),
    ],
    view: "webhooks",
    headings: ["Created", "Status", "Event → receiver", "About", "Attempts"],
  },
  requests: {
    columns: [
      time("at", "at"),
      text("method", "title"),
      address("path", "title"),
      text("operation", "sub"),
      status("status", "status", (request) => request.status ?? unansweredText(request)),
      id("fault"),
    ],
    filters: [
      // The control API has no search in bodies.
      search("Text", "in the path or a body", () => ({})),
      both("status", "status", "only with this status, such as 400 or 4xx", "Status", (value) => ({
        status: value.padEnd(3, "x"),
      })),
      both("operation", "glob", "only of this operation", "Operation"),
    ],
    view: "requests",
    headings: ["Time", "Status", "Request", "About", "Duration"],
  },
  events: {
    columns: [
      time("at", "at"),
      text("type", "title"),
      id("event_id", "sub"),
      id("charge_id"),
      id("withdrawal_id"),
    ],
    filters: [TYPE],
  },
  next: {
    columns: [
      time("at"),
      text("what", undefined, ({ what }) => TASKS[String(what)] ?? what),
      text("to"),
      id("id"),
    ],
  },
  balances: {
    columns: [
      text("organization_id"),
      text("mode"),
      text("currency"),
      amount("available_balance"),
      amount("pending_balance"),
    ],
  },
  "webhook-endpoints": {
    columns: [
      id("webhook_id"),
      address("url", undefined, ({ url, mailbox }) => url ?? `mailbox ${mailbox}`),
      text("mode"),
      text("events"),
      text("enabled"),
    ],
  },
  snapshots: { columns: [text("name"), time("at")] },
  namespaces: { columns: [text("name"), text("api_key"), count("charges")] },
  scenarios: {
    columns: [
      text("name"),
      // `default` is asked last whether or not it was turned on.
      text("active", undefined, ({ name, active }) => (name === "default" ? "always" : active)),
      text("description", undefined, ({ description = "" }) =>
        String(description).replace(/\s+/g, " ").trim(),
      ),
    ],
  },
  faults: {
    columns: [id("fault_id"), text("match"), text("respond"), text("delay"), text("drop"), count("applied")],
  },
} satisfies Readonly<Record<string, List>>;

export type ListName = keyof typeof lists;

/** By the path of the list below `/_sandbox`. */
export const LISTS: Readonly<Record<ListName, List>> = lists;

export function columnValue({ name, value }: Column, record: Json): unknown {
  return value === undefined ? record[name] : value(record);
}
