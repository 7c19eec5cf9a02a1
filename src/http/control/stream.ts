import type { Context } from "hono";
import type { Charge } from "../../domain/charge.js";
import { deliveryView, eventView } from "../../engine/log-views.js";
import type { Change, Delivery, EventRecord } from "../../engine/records.js";
import { bearerKey } from "../authenticate.js";
import type { JournalEntry, World, Worlds } from "../ports.js";
import { replyHeaders, toResponse } from "../reply.js";
import { noNamespace } from "../service.js";
import { requestView } from "./logs.js";

/** A reader that does not read is cut off rather than let the memory grow. */
const BUFFERED_MESSAGES = 10_000;

/** `GET /_sandbox/stream`: requests, charges, events and deliveries as they come, as server-sent events. */
export function serveStream(worlds: Worlds): (c: Context) => Response {
  return (c) => {
    const { headers } = c.req.raw;
    const name = headers.get("sandbox-namespace") ?? c.req.query("namespace") ?? null;
    const key = bearerKey(headers.get("authorization"));
    const world = worlds.find(name, key);
    if (world === undefined) return toResponse(noNamespace(worlds, name, key), worlds.nowMs());
    const answer = {
      headers: {
        ...replyHeaders(world.nowMs()),
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      },
    };
    // A stream nobody reads would never be given up.
    return new Response(c.req.raw.method === "HEAD" ? null : streamOf(world), answer);
  };
}

function streamOf(world: World): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = (): void => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let isOver = false;
        const send = (event: string, data: unknown): void => {
          // One change may be several messages, and a stream is closed once.
          if (isOver) return;
          if ((controller.desiredSize ?? 0) <= 0) {
            isOver = true;
            stop();
            controller.close();
            return;
          }
          controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
        };
        send("hello", { namespace: world.name, now: world.clock.view().now });
        stop = world.subscribe({
          onChange: (change) => {
            for (const [event, data] of messagesOf(world, change)) send(event, data);
          },
          onRequest: (entry: JournalEntry) => send("request", requestView(entry)),
        });
      },
      cancel: () => stop(),
    },
    { highWaterMark: BUFFERED_MESSAGES },
  );
}

/** What a change means to somebody who watches. */
function* messagesOf(world: World, change: Change): Generator<[string, unknown]> {
  for (const [name, , record] of change.puts) {
    if (record === null) continue;
    if (name === "charges") {
      const { charge_id, status, amount, currency, updated_at, customer_email } = record as Charge;
      yield ["charge", { charge_id, status, amount, currency, updated_at, customer_email }];
    } else if (name === "events") yield ["event", eventView(record as EventRecord)];
    else if (name === "deliveries") yield ["delivery", deliveryView(world.engine.state, record as Delivery)];
    else if (name === "clock") yield ["clock", world.clock.view()];
  }
}
