// Has no webhooks. A job reads the charge of each open order.
import { Locks, payOnce, readCharge, serve } from "./service.mjs";

const orders = new Map();
const locks = new Locks();

const isOpen = ({ status }) => status === "new" || status === "pending" || status === "expired";
const shown = ({ status, delivered }) => ({ status, delivered });

async function pay(order) {
  await payOnce(order);
  order.status = "pending";
}

async function refresh(order) {
  if (order.charge === undefined) return pay(order);
  const { status } = await readCharge(order.charge);
  if (status === "COMPLETED") {
    order.status = "paid";
    order.delivered += 1;
  } else if (status === "FAILED" || status === "CANCELLED" || status === "EXPIRED") {
    order.status = status.toLowerCase();
  }
}

const refreshAlone = (order) => locks.run(order.id, () => isOpen(order) && refresh(order));

serve({
  "POST /orders": async ({ body }) => {
    const { id, email } = JSON.parse(body);
    if (!orders.has(id)) orders.set(id, { id, email, status: "new", delivered: 0 });
    const order = orders.get(id);
    await locks.run(id, () => order.status === "new" && pay(order).catch(() => {}));
    return [202, shown(order)];
  },
  "GET /orders/:id": ({ id }) => (orders.has(id) ? [200, shown(orders.get(id))] : [404, {}]),
  "POST /tick": async () => {
    for (const order of orders.values()) await refreshAlone(order).catch(() => {});
    return [200, {}];
  },
});
