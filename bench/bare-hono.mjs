// The yardstick: Hono on node-server with the sandbox's response bodies. Each page is serialized and each body checked by
// zod, as any service has to. Without a file of bodies (start, memory) each response is one constant.
import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const file = process.argv[2];
const TEXT = '{"status":"ok"}';
const bodies =
  file === undefined
    ? { charge: TEXT, payins: TEXT, whitelabel: TEXT }
    : JSON.parse(readFileSync(file, "utf8"));
const page = JSON.parse(bodies.payins);
const HEADERS = { "content-type": "application/json; charset=utf-8" };
const check = file === undefined ? (body) => body : await whitelabelCheck();

const app = new Hono();
app.get("/api/v1/payments/charges/:charge_id", (c) => c.body(bodies.charge, 200, HEADERS));
app.get("/health", (c) => c.body(bodies.payins, 200, HEADERS));
app.get("/api/v1/payments/payins", (c) => c.body(JSON.stringify(page), 200, HEADERS));
app.post("/api/v1/payments/whitelabel", async (c) => {
  check(await c.req.json());
  return c.body(bodies.whitelabel, 200, HEADERS);
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));

async function whitelabelCheck() {
  const z = await import("zod");
  const amount = z.string().regex(/^\d{1,30}(\.\d+)?$/);
  const text = z.string().max(200);
  const schema = z.object({
    pricing: z.object({ base_currency: text, amount, local_pricing: z.optional(z.record(text, amount)) }),
    customer_email: z.email(),
    customer_name: z.optional(text),
    quote_id: text,
    payment_method: text,
    payment_rail: z.optional(text),
    phone_number: z.optional(z.string().regex(/^\+\d{7,15}$/)),
    metadata: z.optional(z.record(text, text)),
  });
  return (body) => schema.parse(body);
}
