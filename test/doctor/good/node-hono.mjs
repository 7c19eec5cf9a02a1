// Hono with the svix library. Stores only statuses from events.
import { createRequire } from "node:module";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";

const { Webhook } = createRequire(join(process.env.WEBHOOK_LIBRARIES, "importer.js"))("svix");

const webhook = new Webhook(process.env.PAYMENTS_WEBHOOK_SECRET);
const orders = new Map();

const app = new Hono();
app.post("/webhooks", async (c) => {
  let event;
  try {
    event = webhook.verify(await c.req.text(), Object.fromEntries(c.req.raw.headers));
  } catch {
    return c.text("no", 401);
  }
  const { data } = event;
  // A history that is not longer contains nothing new.
  const known = orders.get(data.charge_id)?.status_history.length ?? 0;
  if (event.type.startsWith("charge.") && data.status_history?.length > known)
    orders.set(data.charge_id, data);
  return c.text("thanks");
});
createAdaptorServer({ fetch: app.fetch }).listen(0, "127.0.0.1", function () {
  console.log(this.address().port);
});
