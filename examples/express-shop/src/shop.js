import { randomUUID } from "node:crypto";
import express from "express";
import { Webhook } from "standardwebhooks";
import { fulfil as fulfilOnce } from "./fulfil.js";
import { PaymentsError } from "./payments.js";

const PRICE = { base_currency: "KES", amount: "500.00" };
const OWN_ACCOUNT = {
  type: "mobile_money",
  currency: "KES",
  phone_number: "+254700000009",
  provider: "simba_pesa",
};

/** Sells one thing, by mobile money, on its own page. */
export function createShop({ payments, webhookSecret, fulfil = fulfilOnce }) {
  const orders = new Map(); // in an app: tables
  const ship = (order) => order.shipments.push(new Date().toISOString());
  const webhook = new Webhook(webhookSecret);
  let destination;

  /** Takes up where a try before has failed. */
  async function chargeFor(order, { email, phone }) {
    const wanted = { pricing: PRICE, payment_method: "mobile_money", customer_email: email };
    const { quote_id } = await payments.quote(wanted);
    const { wasTried } = order;
    order.wasTried = true;
    const charge = await payments.charge(order.id, { ...wanted, quote_id, phone_number: phone }, wasTried);
    order.charge_id = charge.charge_id;
    return charge;
  }

  const app = express();

  // Before express.json(): a signature is for the bytes as they came, not for what a parser made of them.
  app.post("/webhooks", express.raw({ type: "*/*" }), (request, response) => {
    let event;
    try {
      event = webhook.verify(request.body, request.headers);
    } catch {
      return response.status(400).send("bad signature");
    }
    // Types and orders the shop does not know are no mistake: a 4xx would only make them come again.
    const order = orders.get(event.data.metadata?.order_id);
    if (event.type.startsWith("charge.") && order) fulfil(order, event.data, ship);
    response.sendStatus(204);
  });

  app.use(express.json());

  app.post("/orders", async (request, response) => {
    // The page makes up a number when it is opened: sent again with it, after an error or by a second press, it is one order.
    const { number = randomUUID() } = request.body;
    const order = orders.get(number) ?? { id: number, status: "pending", history_length: 0, shipments: [] };
    // Kept before the charge is made: its webhooks may be here before the answer is.
    orders.set(order.id, order);
    // Two presses at once wait for one charge; what has failed may be tried again.
    order.charging ??= chargeFor(order, request.body).catch((error) => {
      order.charging = undefined;
      throw error;
    });
    const { amount, currency, payment_instructions } = await order.charging;
    response.status(201).json({ id: order.id, amount, currency, payment_instructions });
  });

  const shown = ({ id, status, shipments }) => ({ id, status, shipments: shipments.length });

  app.get("/orders/:id", (request, response) => {
    const order = orders.get(request.params.id);
    if (!order) return response.sendStatus(404);
    response.json(shown(order));
  });

  // The shop's books, for its own people, and for `payments-sandbox reconcile`.
  app.get("/orders", (_request, response) => {
    response.json({
      orders: [...orders.values()].map((order) => ({ ...shown(order), charge_id: order.charge_id })),
    });
  });

  // Webhooks get lost. The page of a customer who waits calls this, with growing pauses.
  app.post("/orders/:id/refresh", async (request, response) => {
    const order = orders.get(request.params.id);
    if (!order) return response.sendStatus(404);
    if (order.charge_id) fulfil(order, await payments.readCharge(order.charge_id), ship);
    response.json(shown(order));
  });

  // Whoever asks for a payout gives it a number: asked for again under the same number, it is the same payout.
  app.put("/payouts/:number", async (request, response) => {
    destination ??= await payments.destination(OWN_ACCOUNT);
    const { withdrawal_id, amount, currency } = await payments.withdraw(`payout-${request.params.number}`, {
      destination_id: destination.destination_id,
      amount: request.body.amount,
      currency: OWN_ACCOUNT.currency,
    });
    response.json({ withdrawal_id, amount, currency });
  });

  app.use((error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const isTheirs = error instanceof PaymentsError && error.status === 400;
    response.status(isTheirs ? 400 : (error.statusCode ?? 502)).json({ error: error.message });
  });

  return app;
}
