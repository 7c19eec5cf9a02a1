import { createServer, type IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { closed, listening } from "../support/servers.js";
import { BUSY_SHOPS, SHOPS, type ShopKind } from "./faults.js";
import { Payments } from "./payments.js";
import type { Order, Shop } from "./shop.js";

export interface ShopOptions {
  /** URL of the payments service. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Secret of its webhooks. */
  readonly secret?: string;
  /** Timeout of its calls in milliseconds; default: 2000. */
  readonly patienceMs?: number;
}

export interface RunningShop {
  readonly url: string;
  close(): Promise<void>;
}

export interface ShopHere extends RunningShop {
  /** From now on, does not respond. */
  hang(): void;
  /** From now on, sends responses that are not HTTP. */
  babble(): void;
}

/** Starts a shop and registers its webhook URL. */
export async function startShop(
  kind: ShopKind,
  { baseUrl, apiKey, secret = DEFAULT_WEBHOOK_SECRET, patienceMs = 2_000 }: ShopOptions,
): Promise<ShopHere> {
  const shop = new { ...SHOPS, ...BUSY_SHOPS }[kind](new Payments({ baseUrl, apiKey, patienceMs }));
  const webhook = new Webhook(secret);
  let manner: "answers" | "hangs" | "babbles" = "answers";
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (manner === "hangs") return;
    if (manner === "babbles") return void response.socket?.end("so it is\r\n\r\n");
    const { method, url, headers } = request;
    const [status, answer] = await answerOf(shop, webhook, `${method} ${url}`, headers, body).catch(
      (error: Error) => [500, { error: error.message }] as const,
    );
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  shop.url = url;
  await hearWebhooks(url, { baseUrl, apiKey, secret });
  const hang = () => void (manner = "hangs");
  const babble = () => void (manner = "babbles");
  return { url, hang, babble, close: () => closed(server) };
}

export async function hearWebhooks(url: string, { baseUrl, apiKey, secret }: ShopOptions): Promise<void> {
  const registered = await fetch(`${baseUrl}/_sandbox/webhook-endpoints`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ url: `${url}/webhooks`, secret }),
  });
  if (!registered.ok) throw new Error(await registered.text());
}

type Answer = readonly [status: number, body: object];

async function answerOf(
  shop: Shop,
  webhook: Webhook,
  call: string,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<Answer> {
  if (call === "POST /webhooks") return hear(shop, webhook, headers, body);
  if (call === "POST /orders") {
    const { order = String(shop.orders.size + 1), email, phone = "+254700000001", page } = JSON.parse(body);
    const placed = await shop.order({ id: order, email, phone, onPage: page === true });
    return [placed.charge_id === null ? 202 : 201, rowOf(placed)];
  }
  if (call === "POST /tick") {
    await shop.tick();
    return [200, {}];
  }
  if (call === "GET /orders") return [200, { orders: [...shop.orders.values()].map(rowOf) }];
  const [, id = "", back] = /^GET \/orders\/([\w-]+)(\/back\b.*)?$/.exec(call) ?? [];
  const order = shop.orders.get(id);
  if (order === undefined) return [404, { error: "not found" }];
  if (back !== undefined) await shop.comeBack(order);
  return [200, rowOf(order)];
}

async function hear(
  shop: Shop,
  webhook: Webhook,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<Answer> {
  try {
    webhook.verify(body, headers as Record<string, string>);
  } catch {
    return [400, { error: "bad signature" }];
  }
  const { id: eventId, type, data } = JSON.parse(body);
  if (!type.startsWith("charge.")) return [200, {}];
  const heard = shop.hear({ ...data, eventId });
  if (shop.answersFirst) return [202, {}];
  await heard;
  return [200, {}];
}

/** Formats an order as a row of `reconcile`. */
function rowOf({ id, email, charge_id, status, amount, currency, delivered, page }: Order): object {
  const metadata = { order_id: id };
  const checkout_id = page?.checkout_id;
  return { order: id, email, charge_id, metadata, status, amount, currency, delivered, checkout_id };
}
