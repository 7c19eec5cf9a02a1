import { createServer } from "node:http";
import { signatureHeaders } from "../../core/delivery/signing.js";
import { isJsonObject, parseJsonOrText } from "../../core/schema/json-objects.js";
import { SIGNATURE_PRESETS, SIGNATURE_SCHEMES } from "../../core/schema/signature-schemes.js";
import { systemErrorText } from "../../core/schema/system-error-text.js";
import { UserError } from "../../core/schema/user-error.js";
import { formOf, leavesOf, type Observation, observe } from "./shape.js";

export interface ReceivedWebhook {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly atMs: number;
}

/** A retry after this time is not waited for. */
export const RETRY_MAX_MS = 12_000;
/** The wait before a retry is not told from a service that may be later than this. */
export const SLACK_MAX_MS = 2_000;
/** Observation that a slow service lacks. */
export const RETRY_KEY = "event retry";

export interface Inbox {
  readonly port: number;
  readonly received: ReceivedWebhook[];
  close(): void;
}

/** Receives webhooks. Refuses the first one, to see when it comes again. */
export async function openInbox(port: number, host: string, nowMs: () => number): Promise<Inbox> {
  const received: ReceivedWebhook[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), atMs: nowMs() });
    response.writeHead(received.length === 1 ? 500 : 204).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new UserError(`--listen: port ${port} cannot be opened: ${systemErrorText(error)}`, 2)),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as { port: number }).port,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The preset that verifies a webhook. Its id and time are read from the headers that the preset fills in. */
function signatureOf({ headers, body }: ReceivedWebhook, secret: string): string {
  const event = parseJsonOrText(body);
  for (const preset of SIGNATURE_PRESETS.filter((name) => name !== "none")) {
    const templates = Object.entries<string>(SIGNATURE_SCHEMES[preset].headers);
    const texts = templates.map(([name, template]) => [String(headers[name] ?? ""), template] as const);
    const [, seconds = "0"] =
      /(\d{10})/.exec(texts.find(([, one]) => one.includes("{timestamp}"))?.[0] ?? "") ?? [];
    const id =
      texts.find(([, template]) => template === "{id}")?.[0] ?? (isJsonObject(event) ? String(event.id) : "");
    try {
      const signed = signatureHeaders(preset, { id, sentAtMs: Number(seconds) * 1_000, body }, [secret]);
      if (Object.entries(signed).every(([name, value]) => headers[name] === value)) return preset;
    } catch {
      // A secret of another form than the preset's.
    }
  }
  const names = Object.keys(headers).filter((name) => /sign|hmac|hash/.test(name));
  return names.length === 0 ? "none" : `no preset, in ${names.join(" and ")}`;
}

/** The first field `status`, the outermost one. */
function statusIn(event: unknown): string | undefined {
  if (!isJsonObject(event)) return undefined;
  if (typeof event.status === "string") return event.status;
  return Object.values(event)
    .map(statusIn)
    .find((status) => status !== undefined);
}

/** The payments of webhooks that came earlier: nobody knows which they were. */
const ANY_CHARGE = "any charge";
const ANY_PAYOUT = "any payout";
export const isOfAnyPayment = (key: string) =>
  [ANY_CHARGE, ANY_PAYOUT].some((payment) => key.startsWith(`event ${payment} `));

/** The common part of two webhooks of one status: fields of both, and values if they are the same. */
function commonOf(one: Observation, other: Observation): Observation {
  const fields = Object.entries(one.fields).flatMap(([field, token]) => {
    const second = other.fields[field];
    if (second === undefined || formOf(second) !== formOf(token)) return [];
    return [[field, second === token ? token : formOf(token)] as const];
  });
  return { status: one.status, fields: Object.fromEntries(fields) };
}

/**
 * Webhooks by payment and status, with their order, their signature and the wait before the first retry. Without `payments`, those
 * that came earlier, of any payment.
 */
export function observeWebhooks(
  received: readonly ReceivedWebhook[],
  payments: ReadonlyMap<string, string> | undefined,
  { seen, secret, slackMs = 0 }: { seen: Map<string, string>; secret: string | undefined; slackMs?: number },
): Record<string, Observation> {
  const observations: Record<string, Observation> = {};
  const note = (key: string, fields: Record<string, string>) =>
    (observations[`event ${key}`] = { status: 0, fields });
  const orders = new Map<string, string[]>();
  for (const { body, headers, atMs } of received) {
    const event = parseJsonOrText(body);
    const texts = leavesOf(event);
    const payment =
      payments === undefined
        ? body.includes("withdrawal_id")
          ? ANY_PAYOUT
          : ANY_CHARGE
        : texts.map((text) => payments.get(text)).find((name) => name);
    if (payment === undefined) continue;
    const order = orders.get(payment) ?? [];
    orders.set(payment, order);
    const status = statusIn(event)?.toUpperCase() ?? `number ${order.length + 1}`;
    const isKnown = order.includes(status);
    if (isKnown && payments !== undefined) continue;
    order.push(status);
    const type = new Headers({ "content-type": String(headers["content-type"] ?? "none") });
    const key = `event ${payment} ${status}`;
    const observed = observe(0, event, { seen, probe: key, atMs }, type);
    observations[key] = isKnown ? commonOf(observations[key]!, observed) : observed;
  }
  if (payments === undefined) return observations;
  for (const [payment, order] of orders) note(`order ${payment}`, { order: `list: ${order.join(", ")}` });
  const [first] = received;
  if (first !== undefined && secret !== undefined)
    note("signature", { signature: `text: ${signatureOf(first, secret)}` });
  if (first !== undefined && slackMs <= SLACK_MAX_MS)
    note("retry", { "first retry": `text: ${retryText(received, slackMs)}` });
  return observations;
}

/** When the first webhook, which was refused, came again. */
function retryText([first, ...later]: readonly ReceivedWebhook[], slackMs: number): string {
  const secondsOf = (ms: number) => Math.round(ms / 1_000);
  const give = slackMs < 1_000 ? "" : `, give or take ${secondsOf(slackMs)}`;
  const waitMs =
    (later.find(({ body }) => body === first!.body)?.atMs ?? Number.POSITIVE_INFINITY) - first!.atMs;
  return waitMs > RETRY_MAX_MS ? "not soon" : `${secondsOf(waitMs)} s${give}`;
}
