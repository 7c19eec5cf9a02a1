import { request as httpRequest } from "node:http";

export const API_KEY = "sk_test_sandbox";
const ANSWER_LIMIT_MS = 20_000;

const PRICING = { base_currency: "KES", amount: "500.00" };
const QUOTE = { pricing: PRICING, payment_method: "mobile_money" };

/** An HTTP/1.1 request as the bytes the load generator sends. */
export function getText(path) {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${API_KEY}\r\n\r\n`;
}

function postText(path, body) {
  const json = JSON.stringify(body);
  return [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${API_KEY}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(json)}`,
    "",
    json,
  ].join("\r\n");
}

export const chargePath = (chargeId) => `/api/v1/payments/charges/${chargeId}`;
export const PAYINS_PATH = "/api/v1/payments/payins";

/** @param {string} quoteId @param {string} [scenario] what is to become of the charge */
export function whitelabelText(quoteId, scenario) {
  return postText("/api/v1/payments/whitelabel", whitelabelBody(quoteId, scenario));
}

function whitelabelBody(quoteId, scenario) {
  return {
    pricing: PRICING,
    customer_email: "customer@shop.test",
    customer_name: "Test Customer",
    quote_id: quoteId,
    payment_method: "mobile_money",
    phone_number: "+254700000001",
    metadata: { order_id: "order-0001", ...(scenario === undefined ? {} : { sandbox_scenario: scenario }) },
  };
}

/** One call outside the load: answers the body's text, throws for anything but a 200. */
export function call(port, method, path, body) {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        // A connection of its own: one kept alive may be closed by the server just when it is used again.
        agent: false,
        headers: {
          authorization: `Bearer ${API_KEY}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () =>
          response.statusCode === 200
            ? resolve(text)
            : reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text.slice(0, 600)}`)),
        );
      },
    );
    outgoing.setTimeout(ANSWER_LIMIT_MS, () => outgoing.destroy(new Error(`${method} ${path}: no answer`)));
    outgoing.once("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export async function newQuote(port) {
  return JSON.parse(await call(port, "POST", "/api/v1/payments/quotes", QUOTE)).quote_id;
}

export async function newCharge(port, quoteId) {
  const text = await call(port, "POST", "/api/v1/payments/whitelabel", whitelabelBody(quoteId));
  return { text, chargeId: JSON.parse(text).charge_id };
}

export async function reset(port) {
  await call(port, "POST", "/_sandbox/reset", {});
}
