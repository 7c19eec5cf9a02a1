import type { Charge } from "../../domain/charge.js";
import type { Delivery, Key } from "../../engine/records.js";
import { chargeDetail } from "../../engine/views.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { News } from "../../namespace/news.js";
import type { JournalEntry } from "../../namespace/served-request.js";
import { viewIn } from "./deliveries.js";
import { requestView } from "./request-view.js";

/** Records of a kind that can be waited for. */
export interface Candidates<Item extends object> {
  all(): Iterable<Item>;
  newest(limit: number): readonly Item[];
  /** Those that have changed, and the keys of those that are gone. */
  changed(news: News): Iterable<readonly [Key, Item | undefined]>;
  key(item: Item): Key;
  /** The greater, the newer. */
  order(item: Item): number;
  view(item: Item): Record<string, unknown>;
  /** Fields of the view that can be told without making it. */
  readonly quick: Readonly<Record<string, (item: Item) => unknown>>;
}

/** What is mostly asked of a charge, and shown as the charge has it. */
const CHARGE_FIELDS = Object.fromEntries(
  (
    [
      "charge_id",
      "checkout_id",
      "mode",
      "status",
      "customer_email",
      "customer_name",
      "metadata",
      "amount",
      "currency",
      "payment_method",
    ] as const satisfies readonly (keyof Charge)[]
  ).map((field) => [field, (charge: Charge) => charge[field]]),
);

function charges({ engine }: Namespace): Candidates<Charge> {
  return {
    all: () => engine.state.tables.charges.values(),
    newest: (limit) => engine.state.page("charges", "charges", 0, limit),
    *changed(news) {
      for (const key of news.charges) yield [key, engine.state.get("charges", key)];
    },
    key: ({ charge_id }) => charge_id,
    order: ({ seq }) => seq,
    view: (charge) => ({ ...chargeDetail(charge), mode: charge.mode }),
    quick: CHARGE_FIELDS,
  };
}

function deliveries(namespace: Namespace): Candidates<Delivery> {
  const { engine } = namespace;
  return {
    all: () => engine.state.tables.deliveries.values(),
    newest: (limit) => engine.state.page("deliveries", "deliveries", 0, limit),
    *changed(news) {
      for (const key of news.deliveries) yield [key, engine.state.get("deliveries", key)];
    },
    key: ({ delivery_id }) => delivery_id,
    order: ({ seq }) => seq,
    view: viewIn(namespace),
    quick: {
      delivery_id: ({ delivery_id }) => delivery_id,
      event_id: ({ event_id }) => event_id,
      webhook_id: ({ webhook_id }) => webhook_id,
      type: ({ event_type }) => event_type,
      status: ({ status }) => status,
      mode: ({ mode }) => mode,
    },
  };
}

function requests({ journal }: Namespace): Candidates<JournalEntry> {
  return {
    all: () => journal.entries(),
    newest: (limit) => journal.entries().slice(0, limit),
    *changed(news) {
      for (const entry of news.requests) yield [entry.id, entry];
    },
    key: ({ id }) => id,
    order: ({ id }) => id,
    view: requestView,
    quick: {
      request_id: ({ id }) => id,
      method: ({ method }) => method,
      path: ({ path }) => path,
      operation: ({ operation }) => operation,
      status: ({ status }) => status,
      runner: ({ runner }) => runner ?? null,
    },
  };
}

const KINDS = { charge: charges, delivery: deliveries, request: requests } as const;

export function candidatesOf(namespace: Namespace, kind: keyof typeof KINDS): Candidates<object> {
  return KINDS[kind](namespace) as unknown as Candidates<object>;
}
