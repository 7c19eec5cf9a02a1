// The pictures of the docs, taken from the real pages: `npm run build && npm run pictures` writes docs/pictures. It needs a
// Chromium (CHROME_PATH, or the one of the system). Ids, times and amounts are the same each time; milliseconds are not.
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { createSandbox } from "../dist/index.js";
import { smallPng } from "./pictures/small-png.mjs";

const FOLDER = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
const MAX_BYTES = 60_000;
const PLACES = [
  process.env.CHROME_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** A shop at an address as in the docs. It fails on payments in Ghana, with the usual mistake. */
async function openShop() {
  const server = createServer(async (request, response) => {
    const { type, data } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const fails = type === "charge.completed" && data.currency === "GHS";
    response.writeHead(fails ? 500 : 200);
    response.end(fails ? "TypeError: Cannot read properties of undefined (reading 'order_id')" : "{}");
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(3000, "localhost", resolve));
  return server;
}

/** A morning of a shop: paid, declined and waiting charges, a failing webhook, a wrong call, a fault. */
async function liveIn(sandbox) {
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
  const call = async (path, body, more) =>
    (
      await fetch(`${sandbox.url}/api/v1${path}`, {
        method: "POST",
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      })
    ).json();
  const charge = async (customer_email, base_currency, amount, phone_number, order_id) => {
    const order = { pricing: { base_currency, amount }, payment_method: "mobile_money" };
    const { quote_id } = await call("/payments/quotes", order);
    const customer = { customer_email, phone_number, metadata: { order_id } };
    return call("/payments/whitelabel", { ...order, ...customer, quote_id });
  };
  await charge("grace.hopper@example.com", "KES", "1249.90", "+254700000001", "A-1040");
  await sandbox.advance("2m");
  const declined = await charge("declined@example.com", "KES", "1105.10", "+254700000002", "A-1041");
  await sandbox.advance("1m");
  await charge("ama.owusu@example.com", "GHS", "79.90", "+233200000001", "A-1042");
  await sandbox.advance("20s");
  await call("/payments/quotes", {
    pricing: { base_currency: "KES", amount: 500 },
    payment_method: "mobile_money",
  });
  const fault = { match: { operation: "createWithdrawal" }, respond: { status: 503 }, times: 2 };
  await sandbox.control("POST /_sandbox/faults", fault);
  const checkout = await call("/payments/checkouts", {
    pricing: { base_currency: "USD", amount: "19.99" },
    customer_email: "ada@example.com",
    success_url: "http://localhost:3000/thanks",
    metadata: { order_id: "A-1043" },
  });
  await charge("katherine@example.com", "KES", "2399.50", "+254700000003", "A-1044");
  await sandbox.advance("1s");
  const failing = (await sandbox.control("GET /_sandbox/deliveries?failing=1")).items[0].delivery_id;
  return { declined: declined.charge_id, failing, checkout: checkout.checkout_url };
}

const executablePath = PLACES.find((place) => place && existsSync(place));
if (executablePath === undefined) {
  console.error("No Chromium found: install one, or set CHROME_PATH to its program.");
  process.exit(1);
}
const shop = await openShop();
const sandbox = await createSandbox({
  clock: "manual",
  startTime: "2026-03-01T09:00:00Z",
  webhooks: ["localhost:3000/webhooks"],
});
await sandbox.listen();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const { declined, failing, checkout } = await liveIn(sandbox);
  const home = `${sandbox.url}/_sandbox/dashboard/default`;
  const pictures = [
    ["activity", `${home}/activity`, 1200, 720],
    ["charge", `${home}/charges/${declined}`, 1200, 720],
    ["delivery", `${home}/webhooks/${failing}`, 1200, 720],
    ["checkout", checkout, 1024, 768],
    ["phone", `${home}/activity`, 390, 720],
  ];
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, url, width, height] of pictures) {
    const page = await browser.newPage({ viewport: { width, height } });
    await page.goto(url);
    if (url.startsWith(home)) await page.getByText("● live").waitFor();
    const size = smallPng(await page.screenshot(), join(FOLDER, `${name}.png`));
    console.log(`docs/pictures/${name}.png ${size} bytes`);
    if (size > MAX_BYTES) process.exitCode = 1;
    await page.close();
  }
} finally {
  await browser.close();
  await sandbox.close();
  shop.close();
}
