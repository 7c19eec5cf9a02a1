import { serve } from "@hono/node-server";
import { createShop } from "./shop.js";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000", SHOP_URL } = process.env;

const { app } = createShop({
  payments: { baseUrl: PAYMENTS_BASE_URL, apiKey: PAYMENTS_API_KEY },
  webhookSecret: PAYMENTS_WEBHOOK_SECRET,
  shopUrl: SHOP_URL ?? `http://localhost:${PORT}`,
});
serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) =>
  console.log(`the shop listens on port ${port}`),
);
