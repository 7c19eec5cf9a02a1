// Hono without webhooks: polls each charge with growing pauses.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Locks, payOnce, readCharge } from "./service.mjs";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_600;
const POLLS_FOR_MS = 15_000;

const orders = new Map();
const locks = new Locks();
const shown = ({ status, delivered }) => ({ status, delivered });
const isOpen = ({ status }) => status === "new" || status === "pending" || status === "expired";

async function refresh(order) {
  if (!isOpen(order)) return;
  if (order.charge === undefined) {
    await payOnce(order);
    order.status = "pending";
  }
  const { status } = await readCharge(order.charge);
  if (status === "COMPLETED") Object.assign(order, { status: "paid", delivered: order.delivered + 1 });
  else if (status === "FAILED" || status === "CANCELLED" || status === "EXPIRED")
    order.status = status.toLowerCase();
}

const refreshAlone = (order) => locks.run(order.id, () => refresh(order));

/** Polls until the order is final, doubling the pause each time. */
async function poll(order) {
  const endMs = Date.now() + POLLS_FOR_MS;
  for (let pauseMs = FIRST_PAUSE_MS; isOpen(order) && Date.now() < endMs; ) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    await refreshAlone(order).catch(() => {});
  }
}

const app = new Hono();
app.post("/orders", async (c) => {
  const { id, email } = await c.req.json();
  if (!orders.has(id)) {
    orders.set(id, { id, email, status: "new", delivered: 0 });
    await refreshAlone(orders.get(id)).catch(() => {});
    poll(orders.get(id));
  }
  return c.json(shown(orders.get(id)), 202);
});
app.get("/orders/:id", (c) => {
  const order = orders.get(c.req.param("id"));
  return order ? c.json(shown(order)) : c.json({}, 404);
});
app.post("/tick", async (c) => {
  for (const order of orders.values()) await refreshAlone(order).catch(() => {});
  return c.json({});
});
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
