import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";
import { fulfil as fulfilOnce } from "./fulfil.js";

/** How many of the newest charges are looked through for one whose response was lost. */
const LOOK_BACK = 20;

/** As much of a shop as it takes to sell something by mobile money and to be told that it is paid. */
export class Shop {
  #baseUrl;
  #apiKey;
  #webhook;
  #fulfil;
  /** The charge of each order, made or under way: two presses at once wait for one. */
  #charges = new WeakMap();
  /** Orders for which a charge has been asked for, whatever became of it. */
  #tried = new WeakSet();

  orders = new Map(); // in an app: a table

  constructor({ baseUrl, apiKey, webhookSecret, fulfil = fulfilOnce }) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
    this.#webhook = new Webhook(webhookSecret);
    this.#fulfil = fulfil;
    this.server = createServer((request, response) => this.#serve(request, response));
  }

  /** Orders something for that many shillings; resolves with the order. With the same id, it is the same order. */
  async order({ id, email, price, phone = "+254700000001" }) {
    const order = this.orders.get(id) ?? { id, status: "pending", history_length: 0, shipments: 0 };
    this.orders.set(id, order);
    const wanted = {
      pricing: { base_currency: "KES", amount: price },
      payment_method: "mobile_money",
      customer_email: email,
    };
    if (!this.#charges.has(order)) this.#charges.set(order, this.#charge(order, wanted, phone));
    await this.#charges.get(order);
    return order;
  }

  async #charge(order, wanted, phone_number) {
    try {
      const { quote_id } = await this.#call("POST", "/api/v1/payments/quotes", wanted);
      if (this.#tried.has(order) && (await this.#isCharged(order.id))) return;
      this.#tried.add(order);
      const asked = { ...wanted, quote_id, phone_number, metadata: { order_id: order.id } };
      await this.#call("POST", "/api/v1/payments/whitelabel", asked);
    } catch (error) {
      this.#charges.delete(order); // what has failed may be tried again
      throw error;
    }
  }

  async #isCharged(order_id) {
    const { items } = await this.#call("GET", `/api/v1/payments/payins?limit=${LOOK_BACK}`);
    for (const { charge_id } of items) {
      // The list does not show metadata.
      const { metadata } = await this.#call("GET", `/api/v1/payments/charges/${charge_id}`);
      if (metadata?.order_id === order_id) return true;
    }
    return false;
  }

  async #call(method, path, body) {
    const response = await fetch(this.#baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${this.#apiKey}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
    return answer;
  }

  async #serve(request, response) {
    const body = Buffer.concat(await request.toArray());
    const { method, url } = request;
    if (method === "POST" && url === "/webhooks") return this.#hear(request, body, response);
    const reply = (status, value) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (method === "POST" && url === "/orders")
      return this.order(JSON.parse(body)).then(
        (order) => reply(201, order),
        (error) => reply(502, { error: error.message }),
      );
    const order = method === "GET" && this.orders.get(url.slice("/orders/".length));
    return order ? reply(200, order) : reply(404, { error: "not found" });
  }

  #hear(request, body, response) {
    let event;
    try {
      event = this.#webhook.verify(body, request.headers);
    } catch {
      response.writeHead(400).end("bad signature");
      return;
    }
    const order = this.orders.get(event.data.metadata?.order_id);
    if (event.type.startsWith("charge.") && order) this.#fulfil(order, event.data, ship);
    response.writeHead(204).end();
  }
}

function ship(order) {
  order.shipments++;
}
