import { createHmac } from "node:crypto";
import { ControlClient } from "../../src/core/client/control-client.js";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import {
  type CheckWebhookOptions,
  createSandbox,
  type Sandbox,
  type WebhookReport,
} from "../../src/library/index.js";
import { closedAtEnd } from "../support/lifetime.js";
import { PassingWall } from "./passing-wall.js";
import { checkAt, type Event, type Incoming, type Reply, serve } from "./receivers.js";

interface Order {
  status: string;
  amount: string;
  credits: number;
}

const KEY = Buffer.from(DEFAULT_WEBHOOK_SECRET.slice("whsec_".length), "base64");
const RANKS = ["AWAITING_PAYMENT", "PROCESSING", "EXPIRED", "FAILED", "CANCELLED", "COMPLETED", "REFUNDED"];

/** A shop with a correct receiver; tests replace parts of it. */
export class Shop {
  readonly orders = new Map<string, Order>();
  readonly handled = new Set<string>();
  readonly wall = new PassingWall();
  requests = 0;

  /** Runs first for each request. */
  first(_incoming: Incoming): Answer | Promise<Answer> {
    return undefined;
  }

  /** Returns the bytes that the signature covers. */
  signedBytes(body: Buffer): Buffer {
    return body;
  }

  signatures(header: string): string[] {
    return header.split(" ");
  }

  fits(given: string, expected: string): boolean {
    return given === expected;
  }

  isTimely(ageMs: number): boolean {
    return Math.abs(ageMs) <= 300_000;
  }

  verifies({ headers, body }: Incoming): boolean {
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": header } = headers;
    if (typeof header !== "string" || !this.isTimely(this.wall.nowMs() - Number(at) * 1000)) return false;
    const mac = createHmac("sha256", KEY).update(`${id}.${at}.`).update(this.signedBytes(body));
    const expected = `v1,${mac.digest("base64")}`;
    return this.signatures(header).some((given) => this.fits(given, expected));
  }

  refuse(_incoming: Incoming): Answer {
    return { status: 400, text: "bad signature" };
  }

  repeated(_event: Event): Answer {
    return { status: 200, text: "already handled" };
  }

  /** Runs before the event is handled, and may respond instead. */
  look(_event: Event, _incoming: Incoming): Answer | Promise<Answer> {
    return undefined;
  }

  isNewer(order: Order, status: string): boolean {
    return RANKS.indexOf(status) > RANKS.indexOf(order.status);
  }

  /** Returns true for events of the shop's own mode. */
  isOurs({ mode }: Event): boolean {
    return mode === "test";
  }

  /** Reads a charge; undefined when the shop trusts the event. */
  read: ((chargeId: string) => Promise<Response>) | undefined;

  /** Returns the charge, or undefined if it is unknown. */
  async chargeOf({ data }: Event): Promise<Event | undefined> {
    if (this.read === undefined) return data;
    const answer = await this.read(data.charge_id);
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error("the service does not answer");
    return await answer.json();
  }

  async handle(event: Event): Promise<void> {
    if (!/^charge\.[a-z]+$/.test(event.type) || !this.isOurs(event)) return;
    const charge = await this.chargeOf(event);
    if (charge === undefined) return;
    const { charge_id, status } = event.data;
    const { amount } = charge;
    const order = this.orders.get(charge_id) ?? { status: "NEW", amount, credits: 0 };
    this.orders.set(charge_id, order);
    if (!this.isNewer(order, status)) return;
    order.status = status;
    if (status === "COMPLETED") {
      order.amount = amount;
      order.credits += 1;
    }
  }

  async receive(incoming: Incoming): Promise<Reply | undefined> {
    const answer = await this.#answer(incoming);
    return answer === NEVER ? undefined : answer;
  }

  async #answer(incoming: Incoming): Promise<Answer> {
    this.requests++;
    if (incoming.method === "GET") return this.view(incoming.path.split("/").at(-1)!);
    const early = await this.first(incoming);
    if (early !== undefined) return early;
    if (!this.verifies(incoming)) return this.refuse(incoming);
    const event: Event = JSON.parse(incoming.body.toString());
    if (this.handled.has(event.id)) return this.repeated(event);
    const answer = await this.look(event, incoming);
    if (answer !== undefined) return answer;
    this.handled.add(event.id);
    try {
      await this.handle(event);
    } catch {
      this.undo(event);
      return { status: 500, text: "try again" };
    }
    return { status: 200, text: "ok" };
  }

  /** Runs when processing an event fails. */
  undo({ id }: Event): void {
    this.handled.delete(id);
  }

  view(id: string): Answer {
    const order = this.orders.get(id);
    return order === undefined
      ? { status: 404, text: "{}" }
      : { status: 200, text: JSON.stringify({ order: id, ...order }) };
  }
}

/** No response: a timeout, or a closed connection. */
export const NEVER = { status: 0 } as const;
type Answer = Reply | typeof NEVER | undefined;

export const OBSERVE = "GET /orders/{charge_id}";

export interface World {
  readonly shop: Shop;
  readonly sandbox: Sandbox;
  readonly url: string;
  check(observe?: string): Promise<WebhookReport>;
}

export async function world(): Promise<World> {
  const sandbox = closedAtEnd(await createSandbox({ rateLimit: "off" }));
  const shop = new Shop();
  const authorization = `Bearer ${sandbox.apiKey}`;
  shop.read = (chargeId) =>
    sandbox.fetch(`/api/v1/payments/charges/${chargeId}`, { headers: { authorization } });
  const { url } = await serve((incoming) => shop.receive(incoming));
  return { shop, sandbox, url, check: (observe = OBSERVE) => checkIn(sandbox, shop, url, { observe }) };
}

/** Runs `sandbox.checkWebhook` with a fake clock. */
export function checkIn(
  sandbox: Sandbox,
  { wall }: Shop,
  url: string,
  options: CheckWebhookOptions,
): Promise<WebhookReport> {
  return checkAt(url, options, { wall, sandbox: new ControlClient({ fetch: sandbox.fetch }) });
}
