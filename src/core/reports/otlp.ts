import { createHash } from "node:crypto";
import type { ChargeHistoryItem } from "../schema/control-responses.js";
import { isSuccessStatus } from "../schema/http-response.js";
import { missingStatusReason } from "./charge-history-text.js";
import type { ChargeHistory } from "./namespace-export.js";

/** History of a charge, with the W3C traceparent of the request that created it. */
export interface TracedHistory extends Omit<ChargeHistory, "is_in_order"> {
  readonly traceparent: string | null;
}

/** OTLP `SpanKind`. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
/** OTLP `StatusCode`. */
const ERROR = 2;

/**
 * Converts a charge's history to OTLP JSON, for a collector's `/v1/traces`. The charge is a child span of the request
 * that created it. Requests and delivery attempts are child spans of the charge; other items are events of its span.
 * Times are sandbox time. Ids are derived from the content, so a repeated export is identical.
 */
export function toOtlpTrace({ charge, items, traceparent }: TracedHistory, version: string) {
  const [, traceIdOfCall, parent] = traceparent?.split("-") ?? [];
  const traceId = traceIdOfCall ?? hash(32, charge.charge_id);
  const idOf = (...parts: readonly unknown[]): string => hash(16, traceId, charge.charge_id, ...parts);
  const root = idOf("charge");
  const below = items.flatMap((item) => {
    if (item.kind !== "request" && item.kind !== "attempt") return [];
    const key =
      item.kind === "request" ? item.request_id : `${item.delivery_id} ${item.attempt} ${item.order}`;
    return [{ traceId, spanId: idOf(item.kind, key), parentSpanId: root, ...spanOf(item) }];
  });
  const events = items.flatMap((item) => {
    const event = eventOf(item);
    return event === undefined ? [] : [{ timeUnixNano: nanoseconds(item.at), ...event }];
  });
  const first = items[0]?.at ?? String(charge.created_at);
  const ends = [
    ...below.map(({ endTimeUnixNano }) => endTimeUnixNano),
    nanoseconds(items.at(-1)?.at ?? first),
  ];
  const whole = {
    traceId,
    spanId: root,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name: "charge",
    kind: KINDS.internal,
    startTimeUnixNano: nanoseconds(first),
    endTimeUnixNano: ends.reduce((latest, end) => (BigInt(end) > BigInt(latest) ? end : latest)),
    attributes: attributes({
      "payments.charge.id": charge.charge_id,
      "payments.charge.status": charge.status,
      "payments.charge.amount": charge.amount,
      "payments.charge.currency": charge.currency,
      "payments.charge.method": charge.payment_method,
      "payments.charge.failure_reason": charge.failure_reason,
    }),
    events,
    ...statusOf(charge.status === "FAILED", charge.failure_reason),
  };
  return {
    resourceSpans: [
      {
        resource: {
          attributes: attributes({ "service.name": "payments-sandbox", "service.version": version }),
        },
        scopeSpans: [{ scope: { name: "payments-sandbox", version }, spans: [whole, ...below] }],
      },
    ],
  };
}

function spanOf(item: Extract<ChargeHistoryItem, { kind: "request" | "attempt" }>) {
  const startTimeUnixNano = nanoseconds(item.at);
  if (item.kind === "request") {
    const { method, path, status, operation } = item;
    return {
      name: `${method} ${operation ?? path}`,
      kind: KINDS.server,
      startTimeUnixNano,
      endTimeUnixNano: startTimeUnixNano,
      attributes: attributes({
        "http.request.method": method,
        "url.path": path,
        "http.response.status_code": status,
        "payments.fault": item.fault,
      }),
      // A refused request (4xx) is no error of the server.
      ...statusOf(status === null || status >= 500, status ?? missingStatusReason(item)),
    };
  }
  const { type, status, error, attempt } = item;
  return {
    name: `POST ${type}`,
    kind: KINDS.client,
    startTimeUnixNano,
    endTimeUnixNano: String(BigInt(startTimeUnixNano) + BigInt(item.duration_ms) * 1_000_000n),
    attributes: attributes({
      "http.request.method": "POST",
      "http.response.status_code": status,
      "http.request.resend_count": attempt > 1 ? attempt - 1 : null,
      "payments.event.id": item.event_id,
      "payments.event.type": type,
      "payments.webhook.id": item.webhook_id,
      "payments.delivery.id": item.delivery_id,
    }),
    ...statusOf(!isSuccessStatus(status), error ?? status),
  };
}

function eventOf(item: ChargeHistoryItem) {
  switch (item.kind) {
    case "transition": {
      const { status, by } = item;
      return {
        name: status,
        attributes: attributes({
          reason: item.reason,
          "payments.actor": by.actor,
          "payments.scenario": by.scenario,
        }),
      };
    }
    case "event":
      return { name: item.type, attributes: attributes({ "payments.event.id": item.event_id }) };
    case "ledger":
      return {
        name: `ledger ${item.posting}`,
        attributes: attributes({ "payments.entry.id": item.entry_id, "payments.currency": item.currency }),
      };
    case "note":
      return { name: "note", attributes: attributes({ note: item.note }) };
    case "hold":
      return {
        name: "held",
        attributes: attributes({ reason: item.reason, "payments.delivery.id": item.delivery_id }),
      };
    default:
      return undefined;
  }
}

/** Without an error the status stays unset, as usual in instrumentation. */
function statusOf(isError: boolean, reason: unknown) {
  return isError ? { status: { code: ERROR, message: String(reason ?? "failed") } } : {};
}

/** Omits absent values. Writes integers as strings, as Protocol Buffers JSON requires. */
function attributes(values: Readonly<Record<string, unknown>>) {
  return Object.entries(values)
    .filter(([, value]) => value != null)
    .map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: String(value) } : { stringValue: String(value) },
    }));
}

function nanoseconds(instant: string): string {
  return String(BigInt(Date.parse(instant)) * 1_000_000n);
}

function hash(digits: number, ...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, digits);
}
