import { anyGlobMatches } from "../../domain/glob.js";
import { retryDelivery } from "../../engine/commands/deliveries.js";
import { redeliver, triggerEvent } from "../../engine/commands/events.js";
import { deliveryView, eventView } from "../../engine/log-views.js";
import type { Delivery } from "../../engine/records.js";
import type { JournalEntry } from "../../namespace/request-journal.js";
import {
  deliveryQuerySchema,
  emptyRequestSchema,
  eventQuerySchema,
  redeliverRequestSchema,
  requestQuerySchema,
  triggerRequestSchema,
} from "../../schema/control.js";
import { jsonOrText } from "../../schema/depth.js";
import { INVALID_QUERY_MESSAGE, invalid, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { parseInstant } from "../../schema/time.js";
import { pageOf, readControlQuery } from "../query.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

function listed<Item>(
  found: readonly Item[],
  query: { limit?: string; offset?: string },
  view: (item: Item) => unknown,
): Reply {
  const { limit, offset } = pageOf(query);
  return ok({ total: found.length, items: found.slice(offset, offset + limit).map(view) });
}

/** Newest first, by type, charge and mode. */
export function listEvents({ namespace, url }: ControlCall): Reply | Refusal {
  const read = readControlQuery(eventQuerySchema, url);
  if (isRefusal(read)) return read;
  namespace.settle();
  const { type, charge_id, mode } = read.query;
  const { state } = namespace.engine;
  const all =
    charge_id === undefined
      ? state.page("events", "events", 0, state.count("events"))
      : state.eventsOf(charge_id);
  const found = all.filter(
    (event) =>
      (type === undefined || anyGlobMatches(type, event.type)) && (mode === undefined || event.mode === mode),
  );
  return listed(found, read.query, eventView);
}

/** A new event, for an existing charge or a sample, and how many deliveries of it there are. */
export function postEvent({ namespace, body, mode: keyMode }: ControlCall): Reply | Refusal {
  const checked = check(triggerRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const { type, charge_id, data, force, mode } = checked.data;
  const event = namespace.execute(
    triggerEvent({ type, mode: mode ?? keyMode, chargeId: charge_id, data, force }),
  );
  if (isRefusal(event)) return event;
  return ok({ ...eventView(event), deliveries: namespace.engine.state.deliveriesOf(event.event_id).length });
}

export function listDeliveries({ namespace, url }: ControlCall): Reply | Refusal {
  const read = readControlQuery(deliveryQuerySchema, url);
  if (isRefusal(read)) return read;
  namespace.settle();
  const { limit: _limit, offset: _offset, ...filter } = read.query;
  const { type, charge_id, event_id, status, mode } = filter;
  const { state } = namespace.engine;
  const total = state.count("deliveries");
  const view = (delivery: Delivery) => deliveryView(state, delivery);
  if (Object.keys(filter).length === 0) {
    // A page of all of them costs no more than the page.
    const { limit, offset } = pageOf(read.query);
    return ok({ total, items: state.page("deliveries", "deliveries", offset, limit).map(view) });
  }
  const among =
    event_id === undefined ? state.page("deliveries", "deliveries", 0, total) : state.deliveriesOf(event_id);
  const found = among.filter(
    (delivery) =>
      (type === undefined || anyGlobMatches(type, delivery.event_type)) &&
      (charge_id === undefined || delivery.object_id === charge_id) &&
      (status === undefined || delivery.status === status) &&
      (mode === undefined || delivery.mode === mode),
  );
  return listed(found, read.query, view);
}

export function getDelivery({ namespace, param }: ControlCall): Reply | Refusal {
  const { state } = namespace.engine;
  const delivery = state.get("deliveries", param("delivery_id"));
  return delivery === undefined
    ? refuse("NOT_FOUND", "Delivery not found")
    : ok(deliveryView(state, delivery));
}

export function redeliverDelivery({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(redeliverRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const made = namespace.execute(redeliver(param("delivery_id"), checked.data.times ?? 1));
  if (isRefusal(made)) return made;
  return ok({
    total: made.length,
    items: made.map((delivery) => deliveryView(namespace.engine.state, delivery)),
  });
}

/** The same delivery, a new attempt, now. */
export function retryNow({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(emptyRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const delivery = namespace.execute(retryDelivery(param("delivery_id")));
  return isRefusal(delivery) ? delivery : ok(deliveryView(namespace.engine.state, delivery));
}

/** What the app sent and got, newest first. */
export function listRequests({ namespace, url }: ControlCall): Reply | Refusal {
  const read = readControlQuery(requestQuerySchema, url);
  if (isRefusal(read)) return read;
  const { method, path, operation, status, since } = read.query;
  const sinceId = since !== undefined && /^\d+$/.test(since) ? Number(since) : undefined;
  const sinceMs = since === undefined || sinceId !== undefined ? undefined : parseInstant(since);
  if (since !== undefined && sinceId === undefined && sinceMs === undefined)
    return invalid(
      { since: "must be the id of a request, or an ISO 8601 instant such as 2026-01-31T09:00:00.000Z" },
      INVALID_QUERY_MESSAGE,
    );
  const found = namespace.journal
    .entries()
    .filter(
      (entry) =>
        (method === undefined || entry.method === method.toUpperCase()) &&
        (path === undefined || anyGlobMatches(path, entry.path)) &&
        (operation === undefined || anyGlobMatches(operation, entry.operation)) &&
        (status === undefined || anyGlobMatches(status.replaceAll("x", "?"), String(entry.status))) &&
        (sinceId === undefined || entry.id > sinceId) &&
        (sinceMs === undefined || Date.parse(entry.at) >= sinceMs),
    );
  return listed(found, read.query, requestView);
}

export function clearRequests({ namespace }: ControlCall): Reply {
  namespace.clearRequests();
  return ok({ total: 0, items: [] });
}

/** A journal entry with its bodies as JSON where they are, and the key masked. */
export function requestView(entry: JournalEntry) {
  const mark = entry.url.indexOf("?");
  return {
    request_id: entry.id,
    at: entry.at,
    method: entry.method,
    path: entry.path,
    query: mark === -1 ? {} : Object.fromEntries(new URLSearchParams(entry.url.slice(mark + 1))),
    operation: entry.operation,
    status: entry.status,
    client_gone: entry.clientGone,
    api_key: entry.apiKey === null ? null : maskKey(entry.apiKey),
    idempotency_key: entry.idempotencyKey,
    runner: entry.runner ?? null,
    scenario: entry.scenario,
    fault: entry.fault,
    request_body: asJson(entry.requestBody),
    request_body_bytes: entry.requestBytes ?? bytesOf(entry.requestBody),
    response_body: asJson(entry.responseBody),
    response_body_bytes: entry.responseBytes ?? bytesOf(entry.responseBody),
  };
}

/** Enough of a key to know it by, and too little to use it. */
export function maskKey(key: string): string {
  return key.length <= 12 ? `${key.slice(0, 4)}…` : `${key.slice(0, 8)}…${key.slice(-4)}`;
}

function bytesOf(text: string | null): number | null {
  return text === null || text === "" ? null : Buffer.byteLength(text);
}

function asJson(text: string | null): unknown {
  return text === null || text === "" ? null : jsonOrText(text);
}
