import { Payments } from "./payments.js";
import { createShop } from "./shop.js";

const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, PORT = "3000" } = process.env;

const payments = new Payments({ baseUrl: PAYMENTS_BASE_URL, apiKey: PAYMENTS_API_KEY });
const app = createShop({ payments, webhookSecret: PAYMENTS_WEBHOOK_SECRET });
const server = app.listen(Number(PORT), () =>
  console.log(`the shop listens on port ${server.address().port}`),
);
