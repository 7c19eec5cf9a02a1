// Uses the hosted page, and reads the charge after each return and webhook.
import { createCheckout, Locks, readCharge, serve, verified } from "./service.mjs";

const orders = new Map();
const locks = new Locks();

const shown = ({ status, delivered, checkout }) => ({
  status,
  delivered,
  checkout_id: checkout?.checkout_id,
});

async function open(order) {
  order.checkout = await createCheckout(order);
  order.charges.push(order.checkout.charge_id);
}

async function refresh(order) {
  for (const id of order.charges) {
    if (order.status === "paid") return;
    const { status } = await readCharge(id);
    if (status === "COMPLETED") Object.assign(order, { status: "paid", delivered: order.delivered + 1 });
    else order.status = status.toLowerCase();
  }
}

const refreshAlone = (order) => locks.run(order.id, () => refresh(order));

serve({
  "POST /orders": async ({ body }) => {
    const { id, email } = JSON.parse(body);
    if (!orders.has(id)) orders.set(id, { id, email, status: "new", delivered: 0, charges: [] });
    const order = orders.get(id);
    await locks.run(id, () => order.checkout === undefined && open(order));
    return [201, shown(order)];
  },
  "GET /orders/:id": ({ id }) => (orders.has(id) ? [200, shown(orders.get(id))] : [404, {}]),
  "GET /orders/:id/back": async ({ id }) => {
    await refreshAlone(orders.get(id)).catch(() => {});
    return [200, shown(orders.get(id))];
  },
  "POST /webhooks": async (request) => {
    const event = verified(request);
    if (event === undefined) return [400, {}];
    const order = orders.get(event.data.metadata?.order);
    if (order !== undefined) await refreshAlone(order);
    return [200, {}];
  },
  "POST /tick": async () => {
    for (const order of orders.values()) await refreshAlone(order).catch(() => {});
    return [200, {}];
  },
});
