// Responds to a webhook with 202 and processes it later from a queue.
import { payOnce, readCharge, serve, verified } from "./service.mjs";

const orders = new Map();
const jobs = [];
let isWorking = false;

const shown = ({ status, delivered }) => ({ status, delivered });

async function work() {
  if (isWorking) return;
  isWorking = true;
  for (let left = jobs.length; left > 0; left--) {
    const job = jobs.shift();
    try {
      await handle(job);
    } catch {
      job.tries += 1;
      jobs.push(job);
      if (job.tries < 3) left++;
    }
  }
  isWorking = false;
  if (jobs.some(({ tries }) => tries === 0)) await work();
}

async function handle({ order, chargeId }) {
  if (chargeId !== undefined) order.charge = chargeId;
  if (order.charge === undefined) return payOnce(order);
  if (order.status === "paid") return;
  const { status } = await readCharge(order.charge);
  if (status === "COMPLETED") {
    order.status = "paid";
    order.delivered += 1;
  } else if (status === "FAILED" || status === "CANCELLED" || status === "EXPIRED") {
    order.status = status.toLowerCase();
  }
}

function enqueue(job) {
  jobs.push({ ...job, tries: 0 });
  setImmediate(work);
}

serve({
  "POST /orders": ({ body }) => {
    const { id, email } = JSON.parse(body);
    if (!orders.has(id)) {
      const order = { id, email, status: "pending", delivered: 0 };
      orders.set(id, order);
      enqueue({ order });
    }
    return [202, shown(orders.get(id))];
  },
  "GET /orders/:id": ({ id }) => (orders.has(id) ? [200, shown(orders.get(id))] : [404, {}]),
  "POST /webhooks": (request) => {
    const event = verified(request);
    if (event === undefined) return [400, {}];
    const order = orders.get(event.data.metadata?.order);
    if (order !== undefined) enqueue({ order, chargeId: event.data.charge_id });
    return [202, {}];
  },
  "POST /tick": async () => {
    for (const job of jobs) job.tries = 0;
    for (const order of orders.values()) if (order.status !== "paid") jobs.push({ order, tries: 0 });
    await work();
    return [200, {}];
  },
});
