import type { Context } from "hono";
import type * as z from "zod/mini";
import type { Charge } from "../../core/domain/charge-transition.js";
import type { Change, Delivery, EventRecord } from "../../core/engine/records.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import type { RequestEntry } from "../../core/namespace/request-journal.js";
import { streamQuerySchema } from "../../core/schema/control-log-requests.js";
import type { STREAM_SCHEMAS } from "../../core/schema/control-responses.js";
import type { DeepReadonly } from "../../core/schema/records/record-fields.js";
import { isRefusal } from "../../core/schema/refusals.js";
import { parseBearerKey } from "../http/call.js";
import { readQuery } from "../http/operation-row.js";
import { errorReply, replyHeaders, toResponse } from "../http/reply.js";
import { unknownNamespaceReply } from "../service/admit.js";
import type { ControlRow } from "./control-operation.js";
import { createDeliveryMapper } from "./deliveries.js";
import { eventView } from "./record-views.js";
import { requestEntryView } from "./requests.js";

const BUFFERED_BYTES = 16 * 1024 * 1024;
/** Maximum sum of all readers' buffers. Above it, only a reader with an empty buffer may buffer. */
const BUFFERED_BYTES_IN_ALL = 64 * 1024 * 1024;

interface BufferedSum {
  bytes: number;
}

export const STREAM_SPEC: ControlRow = {
  id: "followStream",
  call: "GET /_sandbox/stream",
  summary: "Stream activity live",
  description:
    "Server-sent events: `hello` at first, then `request`, `charge`, `event`, `delivery` and `clock` as they come. " +
    "Past events are not replayed. Up to 16 MB are buffered for a slow reader, and 64 MB for all; beyond that " +
    "messages are dropped, and a `missed` message in their place says how many. With `view=light` there are only " +
    "`hello` and `news`, at most seven a second, which list what has changed.",
  input: streamQuerySchema,
  output: "StreamHello",
};

export function serveStream(namespaces: Namespaces): (c: Context) => Response {
  const buffered: BufferedSum = { bytes: 0 };
  return (c) => {
    const { headers } = c.req.raw;
    const name = headers.get("sandbox-namespace") ?? c.req.query("namespace") ?? null;
    const key = parseBearerKey(headers.get("authorization"));
    const namespace = namespaces.find(name, key);
    if (namespace === undefined)
      return toResponse(unknownNamespaceReply(namespaces, name, key), namespaces.nowMs());
    const input = readQuery(streamQuerySchema, c.req.url);
    if (isRefusal(input)) return toResponse(errorReply(input), namespaces.nowMs());
    const options = {
      headers: {
        ...replyHeaders(namespace.nowMs()),
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      },
    };
    // No stream for HEAD, because an unread stream is never cancelled.
    const isHead = c.req.raw.method === "HEAD";
    return new Response(isHead ? null : streamOf(namespace, input.input.view, buffered), options);
  };
}

/** Streams a namespace's messages. A full buffer drops messages; a later `missed` message has their number. */
function streamOf(
  namespace: Namespace,
  view: "light" | undefined,
  buffered: BufferedSum,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = (): void => {};
  let droppedCount = 0;
  let ownBytes = 0;
  const noteOwnBytes = (bytes: number): void => {
    buffered.bytes += bytes - ownBytes;
    ownBytes = bytes;
  };
  /** After a drop, returns false until half of the reader's buffer is free. */
  const hasRoom = ({ desiredSize }: ReadableStreamDefaultController): boolean => {
    noteOwnBytes(BUFFERED_BYTES - (desiredSize ?? 0));
    if (ownBytes > 0 && buffered.bytes >= BUFFERED_BYTES_IN_ALL) return false;
    return droppedCount === 0 ? ownBytes < BUFFERED_BYTES : ownBytes <= BUFFERED_BYTES / 2;
  };
  const enqueue = (controller: ReadableStreamDefaultController, event: string, data: unknown): void => {
    controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
    noteOwnBytes(BUFFERED_BYTES - (controller.desiredSize ?? 0));
  };
  const tellMissed = (controller: ReadableStreamDefaultController): void => {
    if (droppedCount === 0 || !hasRoom(controller)) return;
    enqueue(controller, "missed", { count: droppedCount });
    droppedCount = 0;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (event: string, view: () => unknown): void => {
          tellMissed(controller);
          if (droppedCount === 0 && hasRoom(controller)) enqueue(controller, event, view());
          else droppedCount++;
        };
        const sendRequest = (entry: RequestEntry): void => send("request", () => requestEntryView(entry));
        send("hello", () => ({ namespace: namespace.name, now: namespace.clock.view().now }));
        if (view === "light") {
          stop = subscribeToSummary(namespace, (summary) => send("news", () => summary));
          return;
        }
        const { events } = namespace;
        const stops = [
          events.on("stored", (change) => {
            for (const [event, view] of messagesOf(namespace, change)) send(event, view);
          }),
          events.on("arrived", sendRequest),
          events.on("answered", sendRequest),
        ];
        stop = () => {
          for (const each of stops) each();
        };
      },
      // Called after each read while the buffer has room.
      pull: tellMissed,
      cancel: () => {
        noteOwnBytes(0);
        stop();
      },
    },
    { highWaterMark: BUFFERED_BYTES, size: ({ byteLength }) => byteLength },
  );
}

/** Yields the stream's messages about a change. Each message is an event name and a function that makes the data. */
function* messagesOf(namespace: Namespace, change: Change): Generator<[string, () => unknown]> {
  for (const [name, , record] of change.puts) {
    if (record === null) continue;
    if (name === "charges") yield ["charge", () => chargeMessage(record as Charge)];
    else if (name === "events") yield ["event", () => eventView(record as EventRecord)];
    else if (name === "deliveries")
      yield ["delivery", () => createDeliveryMapper(namespace)(record as Delivery)];
    else if (name === "clock") yield ["clock", () => namespace.clock.view()];
  }
}

function chargeMessage({ charge_id, status, amount, currency, updated_at, customer_email }: Charge) {
  return { charge_id, status, amount, currency, updated_at, customer_email };
}

/** Changes within `GATHER_MS` share a message; `PAUSE_MS` after each message limits messages to seven a second. */
const GATHER_MS = 20;
const PAUSE_MS = 130;
/** Maximum number of items in a message; further changes are only counted. */
const ITEMS_MAX = 100;

const KIND_OF_COLLECTION = {
  charges: "charge",
  withdrawals: "withdrawal",
  events: "event",
  deliveries: "delivery",
  endpoints: "receiver",
  faults: "fault",
  scenarios: "scenario",
  clock: "clock",
} as const;

type Summary = DeepReadonly<z.infer<typeof STREAM_SCHEMAS.news>>;
type SummaryItem = Summary["items"][number];

/** Emits changes in batches, each object once with its latest status. Returns the unsubscribe function. */
function subscribeToSummary(namespace: Namespace, emit: (summary: Summary) => void): () => void {
  let items = new Map<string, SummaryItem>();
  let counts: Record<string, number> = {};
  let isPlanned = false;
  let isOver = false;
  const flush = async (): Promise<void> => {
    if (!(await namespace.sleep(GATHER_MS)) || isOver) return;
    const summary = {
      now: namespace.clock.view().now,
      counts,
      items: [...items.values()].slice(0, ITEMS_MAX),
    };
    items = new Map();
    counts = {};
    emit(summary);
    if (!(await namespace.sleep(PAUSE_MS)) || isOver) return;
    isPlanned = false;
    if (Object.keys(counts).length > 0) plan();
  };
  const plan = (): void => {
    if (isPlanned) return;
    isPlanned = true;
    void flush();
  };
  const note = (kind: string, id: string, status: string | null): void => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    plan();
    const key = `${kind} ${id}`;
    if (items.has(key) || items.size < ITEMS_MAX) items.set(key, { kind, id, status });
  };
  const noteRequest = ({ id, status }: RequestEntry): void =>
    note("request", String(id), status === null ? null : String(status));
  const { events } = namespace;
  const stops = [
    events.on("stored", ({ puts }) => {
      for (const [name, key, record] of puts)
        if (Object.hasOwn(KIND_OF_COLLECTION, name))
          note(
            KIND_OF_COLLECTION[name as keyof typeof KIND_OF_COLLECTION],
            String(key),
            recordStatus(record),
          );
    }),
    events.on("arrived", noteRequest),
    events.on("answered", noteRequest),
  ];
  return () => {
    isOver = true;
    for (const stop of stops) stop();
  };
}

function recordStatus(record: unknown): string | null {
  if (record === null) return "gone";
  const { status } = record as { readonly status?: unknown };
  return typeof status === "string" ? status : null;
}
