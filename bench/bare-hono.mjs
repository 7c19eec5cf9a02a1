// Hono on node-server with ready answers: what the framework costs before the sandbox does anything.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { answers, sayReady } from "./bare-answers.mjs";

const { charge, payins, whitelabel } = answers();
const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };

const app = new Hono();
app.get("/api/v1/payments/charges/:charge_id", (c) => c.body(charge, 200, JSON_HEADERS));
app.get("/health", (c) => c.body(payins, 200, JSON_HEADERS));
app.get("/api/v1/payments/payins", (c) => c.body(payins, 200, JSON_HEADERS));
app.post("/api/v1/payments/whitelabel", async (c) => {
  await c.req.json();
  return c.body(whitelabel, 200, JSON_HEADERS);
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => sayReady(port));
