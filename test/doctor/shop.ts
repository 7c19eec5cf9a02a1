import { createHmac } from "node:crypto";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { PassingWall } from "./passing-wall.js";
import type { Event, Incoming, Reply } from "./receivers.js";

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
}

/** No response: a timeout, or a closed connection. */
export const NEVER = { status: 0 } as const;
type Answer = Reply | typeof NEVER | undefined;
