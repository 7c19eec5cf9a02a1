// A webhook marks an order, and a cron job processes it.
import { Locks, payOnce, readCharge, serve, verified } from "./service.mjs";

const orders = new Map();
const due = new Set();
const locks = new Locks();

const shown = ({ status, delivered }) => ({ status, delivered });

async function settle(order) {
  if (order.charge === undefined) await payOnce(order);
  const { status } = await readCharge(order.charge);
  if (status === "COMPLETED" && order.delivered === 0) order.delivered = 1;
  order.status = order.delivered > 0 ? "paid" : status.toLowerCase();
  if (["COMPLETED", "FAILED", "CANCELLED"].includes(status)) due.delete(order.id);
}

serve({
  "POST /orders": ({ body }) => {
    const { id, email } = JSON.parse(body);
    if (!orders.has(id)) {
      orders.set(id, { id, email, status: "new", delivered: 0 });
      due.add(id);
    }
    return [202, shown(orders.get(id))];
  },
  "GET /orders/:id": ({ id }) => (orders.has(id) ? [200, shown(orders.get(id))] : [404, {}]),
  "POST /webhooks": (request) => {
    const event = verified(request);
    if (event === undefined) return [400, {}];
    const id = event.data.metadata?.order;
    if (orders.has(id) && orders.get(id).status !== "paid") due.add(id);
    return [200, {}];
  },
  "POST /cron": async () => {
    let isFinished = true;
    for (const id of due) {
      const work = locks.run(id, () => due.has(id) && settle(orders.get(id)));
      await work.catch(() => {
        isFinished = false;
      });
    }
    return [isFinished ? 200 : 503, {}];
  },
});
