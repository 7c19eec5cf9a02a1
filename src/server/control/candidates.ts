import type { Charge } from "../../core/domain/charge-transition.js";
import type { FieldCondition } from "../../core/engine/indexes.js";
import { emailCondition, metadataCondition } from "../../core/engine/match-fields.js";
import type { Delivery, RecordKey } from "../../core/engine/records.js";
import type { State } from "../../core/engine/state.js";
import { chargeDetailView } from "../../core/engine/wire-views.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { RequestEntry } from "../../core/namespace/request-journal.js";
import type { WatchedChanges } from "../../core/namespace/watchers.js";
import { isMatcher } from "../../core/schema/matcher-words.js";
import { createDeliveryMapper, deliveriesOfObject } from "./deliveries.js";
import { requestEntryView } from "./requests.js";

export type ExpectedFields = Readonly<Record<string, unknown>>;

/** Finds and reads records of one kind, for `POST /_sandbox/wait`. */
export interface RecordSource<Item extends object> {
  /** Records that may match, from an index if the match has an indexed field. */
  possibleMatches(match: ExpectedFields): Iterable<Item>;
  newest(limit: number): readonly Item[];
  /** Changed records with their keys; a deleted record is undefined. */
  changed(news: WatchedChanges): Iterable<readonly [RecordKey, Item | undefined]>;
  key(item: Item): RecordKey;
  /** Sort key; greater is newer. */
  order(item: Item): number;
  view(item: Item): Record<string, unknown>;
  /** Functions that read single fields without making the view, which parses bodies. */
  readonly fields: Readonly<Record<string, (item: Item) => unknown>>;
}

function readers<Item>(...names: readonly (keyof Item & string)[]) {
  return Object.fromEntries(names.map((name) => [name, (item: Item): unknown => item[name]]));
}

const DELIVERY_FIELDS = {
  ...readers<Delivery>("delivery_id", "event_id", "webhook_id", "status", "mode"),
  type: ({ event_type }: Delivery) => event_type,
};
const REQUEST_FIELDS = {
  ...readers<RequestEntry>("method", "path", "operation", "status", "fault"),
  in_flight: ({ inFlight }: RequestEntry) => inFlight,
  request_id: ({ id }: RequestEntry) => id,
  runner: ({ runner }: RequestEntry) => runner ?? null,
};

/** Returns the text unless it is a glob. */
function exactText(value: unknown): string | undefined {
  return typeof value === "string" && !/[*?\\]/.test(value) ? value : undefined;
}

function zeroOrOne<Item>(item: Item | undefined): Item[] {
  return item === undefined ? [] : [item];
}

function chargesAmong(state: State, match: ExpectedFields): Iterable<Charge> {
  const id = exactText(match.charge_id);
  if (id !== undefined) return zeroOrOne(state.get("charges", id));
  const checkoutId = exactText(match.checkout_id);
  if (checkoutId !== undefined) return zeroOrOne(state.chargeOfCheckout(checkoutId));
  const fields = indexedFields(match);
  return fields.length === 0 ? state.tables.charges.values() : state.chargesMatching(fields);
}

function indexedFields({ customer_email, metadata }: ExpectedFields): FieldCondition<Charge>[] {
  const email = exactText(customer_email);
  const isObject = typeof metadata === "object" && metadata !== null && !isMatcher(metadata);
  return [
    ...(email === undefined ? [] : [emailCondition(email)]),
    ...Object.entries(isObject ? metadata : {}).flatMap(([key, expected]) => {
      const value = exactText(expected);
      return value === undefined || key.startsWith("\\") ? [] : [metadataCondition(key, value)];
    }),
  ];
}

function deliveriesAmong(state: State, match: ExpectedFields): Iterable<Delivery> {
  const id = exactText(match.delivery_id);
  if (id !== undefined) return zeroOrOne(state.get("deliveries", id));
  const eventId = exactText(match.event_id);
  if (eventId !== undefined) return state.deliveriesOf(eventId);
  const objectId = exactText(match.charge_id) ?? exactText(match.withdrawal_id);
  return objectId === undefined ? state.tables.deliveries.values() : deliveriesOfObject(state, objectId);
}

function charges({ engine }: Namespace): RecordSource<Charge> {
  return {
    possibleMatches: (match) => chargesAmong(engine.state, match),
    newest: (limit) => engine.state.page("charges", "charges", 0, limit),
    *changed(news) {
      for (const key of news.charges) yield [key, engine.state.get("charges", key)];
    },
    key: ({ charge_id }) => charge_id,
    order: ({ seq }) => seq,
    view: (charge) => ({ ...chargeDetailView(charge), mode: charge.mode }),
    fields: {},
  };
}

function deliveries(namespace: Namespace): RecordSource<Delivery> {
  const { engine } = namespace;
  return {
    possibleMatches: (match) => deliveriesAmong(engine.state, match),
    newest: (limit) => engine.state.page("deliveries", "deliveries", 0, limit),
    *changed(news) {
      for (const key of news.deliveries) yield [key, engine.state.get("deliveries", key)];
    },
    key: ({ delivery_id }) => delivery_id,
    order: ({ seq }) => seq,
    view: createDeliveryMapper(namespace),
    fields: DELIVERY_FIELDS,
  };
}

function requests({ journal }: Namespace): RecordSource<RequestEntry> {
  return {
    possibleMatches: () => journal.entries(),
    newest: (limit) => journal.entries().slice(0, limit),
    *changed(news) {
      for (const entry of news.requests) yield [entry.id, entry];
    },
    key: ({ id }) => id,
    order: ({ id }) => id,
    view: requestEntryView,
    fields: REQUEST_FIELDS,
  };
}

const BY_KIND = { charge: charges, delivery: deliveries, request: requests } as const;

export function recordSourceOf(namespace: Namespace, kind: keyof typeof BY_KIND): RecordSource<object> {
  return BY_KIND[kind](namespace) as unknown as RecordSource<object>;
}
