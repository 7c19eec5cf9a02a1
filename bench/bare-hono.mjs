// Hono on node-server: what the framework costs before the sandbox does anything. The answers are the very ones the sandbox
// gave; a page is made into JSON for each request and a body is checked by zod, for no service can do without.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { answers, areReal, sayReady } from "./bare-answers.mjs";

const { charge, payins, whitelabel } = answers();
const page = JSON.parse(payins);
const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };
// A start is measured without: a framework's own, and nothing else.
const check = areReal() ? await bodyCheck() : (body) => body;

const app = new Hono();
app.get("/api/v1/payments/charges/:charge_id", (c) => c.body(charge, 200, JSON_HEADERS));
app.get("/health", (c) => c.body(payins, 200, JSON_HEADERS));
app.get("/api/v1/payments/payins", (c) => c.body(JSON.stringify(page), 200, JSON_HEADERS));
app.post("/api/v1/payments/whitelabel", async (c) => {
  check(await c.req.json());
  return c.body(whitelabel, 200, JSON_HEADERS);
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => sayReady(port));

/** What an app of that size would ask of the body of POST whitelabel. */
async function bodyCheck() {
  const z = await import("zod");
  const amount = z.string().regex(/^\d{1,30}(\.\d+)?$/);
  const schema = z.object({
    pricing: z.object({
      base_currency: z.string(),
      amount,
      local_pricing: z.optional(z.record(z.string(), amount)),
    }),
    customer_email: z.email(),
    customer_name: z.optional(z.string().max(200)),
    quote_id: z.string(),
    payment_method: z.string(),
    payment_rail: z.optional(z.string()),
    phone_number: z.optional(z.string().regex(/^\+\d{7,15}$/)),
    metadata: z.optional(z.record(z.string(), z.string())),
  });
  return (body) => schema.parse(body);
}
