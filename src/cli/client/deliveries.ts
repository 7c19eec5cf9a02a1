import { ReceiverClient } from "../../core/delivery/receiver-client.js";
import { normalizeWebhookUrl, WEBHOOK_URL_MESSAGE } from "../../core/schema/receiver-url.js";
import { UserError } from "../../core/schema/user-error.js";
import { pause } from "../../core/time/timers.js";
import { generateInstanceId, systemWallClock } from "../../core/time/wall-clock.js";
import type { Connection, Json } from "./connection.js";

/** `webhook redeliver [last|ID] --times N`: creates new deliveries of a delivery's event. */
export async function requestRedelivery(
  connection: Connection,
  selector: string | undefined,
  times: number,
): Promise<Json> {
  return connection.post(`/deliveries/${await deliveryOf(connection, selector)}/redeliver`, { times });
}

/** `webhook retry [last|ID]`: makes the delivery's next attempt now. */
export async function requestRetry(connection: Connection, selector: string | undefined): Promise<Json> {
  return connection.post(`/deliveries/${await deliveryOf(connection, selector)}/retry`, {});
}

/** Id of the delivery that the selector names. The id of an event selects its newest delivery. */
async function deliveryOf(connection: Connection, selector = "last"): Promise<string> {
  if (!selector.startsWith("evt_"))
    return String((await connection.resolveRecord("delivery", selector)).delivery_id);
  const found = await connection.findNewest("/deliveries", { event_id: selector });
  if (found === undefined) throw new UserError(`there is no delivery of event ${selector}`);
  return String(found.delivery_id);
}

interface Collected {
  readonly delivery_id: string;
  readonly type: string;
  readonly ack_within_ms: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const MAILBOX = "pull";
/** Lifetime of a mailbox after its pull was killed. */
const LEASE = "30s";
const POLL_MS = 200;
/** Time reserved within a delivery's timeout to report an app that does not respond. */
const REPORT_TIME_MS = 500;
/** Maximum length of an error in an acknowledgement. */
const ERROR_LENGTH = 500;

/**
 * `webhook pull --forward-to URL`: takes deliveries from a mailbox and sends them to an app that the sandbox cannot
 * reach. The app's response is the response of the delivery. An interrupt deletes the mailbox; after a kill it expires.
 * With `--once` the mailbox stays for the next pull.
 */
export async function pullDeliveries(
  connection: Connection,
  target: string,
  options: { readonly once: boolean; readonly report: (line: string) => void },
): Promise<void> {
  const url = normalizeWebhookUrl(target);
  if (url === undefined) throw new UserError(`--forward-to ${JSON.stringify(target)} ${WEBHOOK_URL_MESSAGE}`);
  const isLeft = options.once || (await hasLeft(connection));
  const own = { mailbox: isLeft ? MAILBOX : `${MAILBOX}-${generateInstanceId()}` };
  const { webhook_id } = await connection.post(
    "/webhook-endpoints",
    options.once ? own : { ...own, lease: LEASE },
  );
  const pulling = forwardAll(connection, { ...own, url }, options);
  if (options.once) return pulling;
  const code = await Promise.race([pulling, interrupted()]);
  // Requests still under way fail once the mailbox is deleted.
  pulling.catch(() => {});
  await connection.send("DELETE", `/_sandbox/webhook-endpoints/${webhook_id}`);
  process.exit(code ?? 0);
}

/** Returns true if an earlier pull with `--once` left a mailbox that no pull uses now. */
async function hasLeft(connection: Connection): Promise<boolean> {
  const { items } = await connection.get("/webhook-endpoints", { limit: 100 });
  return (items as Json[]).some(({ mailbox, lease_ms }) => mailbox === MAILBOX && lease_ms === null);
}

/** Resolves with a shell's exit code for the first signal that asks to stop. */
function interrupted(): Promise<number> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve(130));
    process.once("SIGTERM", () => resolve(143));
  });
}

/** Forwards deliveries; with `once`, until none is left. */
async function forwardAll(
  connection: Connection,
  { mailbox, url }: { readonly mailbox: string; readonly url: string },
  options: { readonly once: boolean; readonly report: (line: string) => void },
): Promise<void> {
  for (;;) {
    // Takes one delivery at a time, so an interrupt leaves at most one to deliver again.
    const { items } = await connection.post(`/mailboxes/${mailbox}/take`, { max: 1 });
    for (const one of items as Collected[]) {
      const { status, response_body, error } = await forward(url, one);
      const answer =
        status === null ? { error: error?.slice(0, ERROR_LENGTH) } : { status, body: response_body };
      const path = `/_sandbox/mailboxes/${mailbox}/${one.delivery_id}/ack`;
      const { ok } = await connection.send("POST", path, answer);
      options.report(
        `${one.type} ${one.delivery_id} ${status ?? error}${ok ? "" : " (no longer waited for)"}`,
      );
    }
    if (options.once && (items as Collected[]).length === 0) return;
    if ((items as Collected[]).length === 0) await pause(POLL_MS);
  }
}

/** Sends a delivery as the sandbox does: same timeout, no redirects. */
async function forward(url: string, { ack_within_ms, headers, body }: Collected) {
  const timeoutMs = ack_within_ms - Math.min(REPORT_TIME_MS, ack_within_ms / 10);
  const client = new ReceiverClient({ timeoutMs, wall: systemWallClock });
  try {
    const sentAt = new Date(systemWallClock.nowMs()).toISOString();
    return await client.post(url, { sentAt, headers, body }, new AbortController().signal);
  } finally {
    client.close();
  }
}
