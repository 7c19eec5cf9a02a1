import { createServer, type IncomingMessage, type Server } from "node:http";
import { Webhook } from "standardwebhooks";
import { listening } from "./servers.js";

/** A bug that the shop can have. */
export type Bug = "fulfils_twice";

export interface Order {
  readonly order_id: string;
  readonly charge_id: string;
  status: "pending" | "paid" | "failed";
  delivered: number;
}

const TRIES = 3;

/** A small shop that learns of payments by webhook. */
export class Shop {
  readonly bug: Bug | undefined;
  /** URL and keys of the payments service; set once it runs. */
  service = { url: "", apiKey: "", webhookSecret: "" };
  readonly #server: Server;
  readonly #orders = new Map<string, Order>();
  readonly #seen = new Set<string>();

  constructor(bug?: Bug) {
    this.bug = bug;
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        ([status, body]) => {
          response.writeHead(status, { "content-type": "application/json" });
          response.end(JSON.stringify(body));
        },
        (error: Error) => {
          response.writeHead(502, { "content-type": "application/json" });
          response.end(JSON.stringify({ error: error.message }));
        },
      );
    });
  }

  async listen(): Promise<string> {
    return `http://127.0.0.1:${await listening(this.#server)}`;
  }

  async #answer(request: IncomingMessage): Promise<[number, unknown]> {
    const text = await textOf(request);
    if (request.method === "POST" && request.url === "/orders")
      return [201, await this.#order(JSON.parse(text))];
    if (request.method === "POST" && request.url === "/webhooks") return this.#told(request, text);
    if (request.method === "GET" && request.url === "/orders")
      return [200, { orders: [...this.#orders.values()] }];
    const order = this.#orders.get(/^\/orders\/(\w+)$/.exec(request.url ?? "")?.[1] ?? "");
    return order === undefined ? [404, { error: "not found" }] : [200, order];
  }

  async #order({ email, phone }: { email: string; phone: string }): Promise<Order> {
    const pricing = { base_currency: "KES", amount: "500.00" };
    const common = { pricing, payment_method: "mobile_money", customer_email: email };
    const quote = await this.#call("/api/v1/payments/quotes", common);
    const charge = await this.#call("/api/v1/payments/whitelabel", {
      ...common,
      quote_id: quote.quote_id,
      phone_number: phone,
    });
    const order: Order = {
      order_id: String(this.#orders.size + 1),
      charge_id: charge.charge_id!,
      status: "pending",
      delivered: 0,
    };
    this.#orders.set(order.order_id, order);
    return order;
  }

  /** Calls the service, and repeats the call after a 5xx. */
  async #call(path: string, body: unknown): Promise<Record<string, string>> {
    for (let left = TRIES; ; left--) {
      const answer = await fetch(`${this.service.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.service.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (answer.ok) return (await answer.json()) as Record<string, string>;
      if (answer.status < 500 || left === 1)
        throw new Error(`the payments service answered ${answer.status}`);
    }
  }

  #told(request: IncomingMessage, text: string): [number, unknown] {
    try {
      new Webhook(this.service.webhookSecret).verify(text, request.headers as Record<string, string>);
    } catch {
      return [401, { error: "bad signature" }];
    }
    const event = JSON.parse(text) as { id: string; type: string; data: { charge_id: string } };
    if (this.#seen.has(event.id) && this.bug !== "fulfils_twice") return [200, { seen: true }];
    this.#seen.add(event.id);
    for (const order of this.#orders.values())
      if (order.charge_id === event.data.charge_id && event.type === "charge.completed") {
        order.status = "paid";
        order.delivered++;
      }
    return [200, {}];
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
