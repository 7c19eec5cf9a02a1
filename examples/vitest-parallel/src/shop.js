import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";
import { fulfil as fulfilOnce } from "./fulfil.js";

/** As much of a shop as it takes to sell something by mobile money and to be told that it is paid. */
export class Shop {
  #baseUrl;
  #apiKey;
  #webhook;
  #fulfil;

  orders = new Map(); // in an app: a table

  constructor({ baseUrl, apiKey, webhookSecret, fulfil = fulfilOnce }) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
    this.#webhook = new Webhook(webhookSecret);
    this.#fulfil = fulfil;
    this.server = createServer((request, response) => this.#hear(request, response));
  }

  /** Orders something for that many shillings; resolves with the order. */
  async order({ id, email, price, phone = "+254700000001" }) {
    const order = { id, status: "pending", history_length: 0, shipments: 0 };
    this.orders.set(id, order);
    const wanted = {
      pricing: { base_currency: "KES", amount: price },
      payment_method: "mobile_money",
      customer_email: email,
    };
    const { quote_id } = await this.#post("/api/v1/payments/quotes", wanted);
    const metadata = { order_id: id };
    await this.#post("/api/v1/payments/whitelabel", { ...wanted, quote_id, phone_number: phone, metadata });
    return order;
  }

  async #post(path, body) {
    const response = await fetch(this.#baseUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
    return answer;
  }

  async #hear(request, response) {
    const body = Buffer.concat(await request.toArray());
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
