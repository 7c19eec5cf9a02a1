import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { fulfil as fulfilOnce } from "./fulfil.js";
import { basketPage, orderPage, troublePage } from "./pages.js";
import { createCheckout } from "./payments.js";

const PRICE = { base_currency: "KES", amount: "500.00" };

/** Sells one thing. The customer pays on the service's page; that it is paid is for a webhook to say. */
export function createShop({ payments, webhookSecret, shopUrl, fulfil = fulfilOnce }) {
  const orders = new Map(); // in an app: tables
  const ship = (order) => order.shipments.push(new Date().toISOString());
  const webhook = new Webhook(webhookSecret);

  const app = new Hono();

  app.get("/", (c) => c.html(basketPage()));

  app.post("/orders", async (c) => {
    const { email } = await c.req.parseBody();
    const order = { id: randomUUID(), email, status: "pending", history_lengths: new Map(), shipments: [] };
    orders.set(order.id, order);
    return toCheckout(c, order);
  });

  // For who cancelled, failed or came too late, and for who got no page at all because the response was lost.
  app.post("/orders/:id/pay", (c) => {
    const order = orders.get(c.req.param("id"));
    if (!order) return c.notFound();
    return order.status === "paid" ? c.redirect(`/orders/${order.id}`, 303) : toCheckout(c, order);
  });

  /** Each try is a checkout of its own. One whose response was lost does no harm: nobody has its address to pay at. */
  async function toCheckout(c, order) {
    const checkout = await createCheckout(payments, {
      pricing: PRICE,
      payment_methods: ["mobile_money", "card"],
      customer_email: order.email,
      metadata: { order_id: order.id },
      success_url: `${shopUrl}/orders/${order.id}`,
      cancel_url: `${shopUrl}/orders/${order.id}`,
    });
    order.charge_id = checkout.charge_id;
    order.status = "pending";
    return c.redirect(checkout.checkout_url, 303);
  }

  // The customer comes back here, with a status in the address that anybody could have typed: it is not looked at.
  app.get("/orders/:id", (c) => {
    const order = orders.get(c.req.param("id"));
    return order ? c.html(orderPage(order)) : c.notFound();
  });

  app.post("/webhooks", async (c) => {
    const body = await c.req.text(); // as it came: the signature is for these bytes
    let event;
    try {
      event = webhook.verify(body, c.req.header());
    } catch {
      return c.text("bad signature", 400);
    }
    // Types and orders the shop does not know are no mistake: a 4xx would only make them come again.
    const order = orders.get(event.data.metadata?.order_id);
    if (event.type.startsWith("charge.") && order) fulfil(order, event.data, ship);
    return c.body(null, 204);
  });

  app.onError((error, c) => {
    console.error(error);
    return c.html(troublePage(), 502);
  });

  return { app, orders };
}
