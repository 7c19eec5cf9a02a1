import { pause } from "../../runtime/pause.js";
import { UserError } from "../../schema/user-error.js";
import type { Connection } from "./connection.js";

/** `webhook redeliver [last|ID] --times N`: new deliveries of the same event. */
export async function redeliver(
  connection: Connection,
  selector: string,
  times: number,
): Promise<Record<string, unknown>> {
  const id = await deliveryOf(connection, selector);
  return connection.call("POST", `/_sandbox/deliveries/${encodeURIComponent(id)}/redeliver`, { times });
}

/** `webhook retry [last|ID]`: the same delivery, its next attempt now. */
export async function retry(connection: Connection, selector: string): Promise<Record<string, unknown>> {
  const id = await deliveryOf(connection, selector);
  return connection.call("POST", `/_sandbox/deliveries/${encodeURIComponent(id)}/retry`, {});
}

/** The id of a delivery: as given, of the newest one, or of the newest one of an event. */
async function deliveryOf(connection: Connection, selector: string): Promise<string> {
  if (selector === "last") {
    const { items } = await connection.call("GET", "/_sandbox/deliveries?limit=1");
    const [last] = items as { delivery_id: string }[];
    if (last === undefined) throw new UserError("there is no delivery yet");
    return last.delivery_id;
  }
  if (selector.startsWith("evt_")) {
    const { items } = await connection.call(
      "GET",
      `/_sandbox/deliveries?limit=1&event_id=${encodeURIComponent(selector)}`,
    );
    const [ofEvent] = items as { delivery_id: string }[];
    if (ofEvent === undefined) throw new UserError(`there is no delivery of event ${selector}`);
    return ofEvent.delivery_id;
  }
  return selector;
}

interface Taken {
  readonly delivery_id: string;
  readonly type: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const MAILBOX = "pull";
const LOOK_EVERY_MS = 200;

/**
 * `webhook pull --forward-to URL`: collects deliveries from a mailbox of its own and hands each to the app, for
 * an app that the sandbox cannot reach. What the app answers is the answer of the delivery.
 */
export async function pull(
  connection: Connection,
  target: string,
  options: { readonly once: boolean; readonly report: (line: string) => void },
): Promise<void> {
  const url = /^https?:\/\//i.test(target) ? target : `http://${target}`;
  if (!URL.canParse(url)) throw new UserError(`--forward-to ${JSON.stringify(target)} is not a URL`);
  await connection.call("POST", "/_sandbox/webhook-endpoints", { mailbox: MAILBOX });
  for (;;) {
    // One at a time: what is taken and not answered, because somebody interrupts, is given to nobody again.
    const { items } = await connection.call("POST", `/_sandbox/mailboxes/${MAILBOX}/take`, { max: 1 });
    for (const one of items as Taken[]) {
      const status = await forward(url, one);
      const path = `/_sandbox/mailboxes/${MAILBOX}/${one.delivery_id}/ack`;
      const { ok } = await connection.fetch("POST", path, { status });
      options.report(`${one.type} ${one.delivery_id} ${status}${ok ? "" : " (forgotten by a reset)"}`);
    }
    if (options.once && (items as Taken[]).length === 0) return;
    if ((items as Taken[]).length === 0) await pause(LOOK_EVERY_MS);
  }
}

/** An app that cannot be reached is one that answers 503: the delivery is tried again by the schedule. */
async function forward(url: string, { headers, body }: Taken): Promise<number> {
  try {
    return (await fetch(url, { method: "POST", headers, body, redirect: "manual" })).status;
  } catch {
    return 503;
  }
}
