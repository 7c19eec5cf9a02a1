export const API_KEY = "sk_test_sandbox";
export const PAYINS_PATH = "/api/v1/payments/payins";
export const PAGE_ITEMS = 50;
const ORDER = { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "mobile_money" };

/** An HTTP/1.1 request as text, for the load generator. */
export function requestText(method, path, body = "", { type = "application/json", key = API_KEY } = {}) {
  const bodyHeaders =
    body === "" ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`];
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${key}`,
    ...bodyHeaders,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

export function whitelabelText(quoteId, { scenario, key } = {}) {
  const body = JSON.stringify(whitelabelBody(quoteId, scenario));
  return requestText("POST", "/api/v1/payments/whitelabel", body, { key });
}

function whitelabelBody(quote_id, scenario) {
  return {
    ...ORDER,
    customer_email: "customer@shop.test",
    customer_name: "Test Customer",
    quote_id,
    phone_number: "+254700000001",
    metadata: { order_id: "order-0001", ...(scenario && { sandbox_scenario: scenario }) },
  };
}

/** Response text of a call outside the load. Throws for any status but 200. */
export async function call(port, method, path, body, headers = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 600)}`);
  return text;
}

export async function createQuote(port, key = API_KEY) {
  const headers = { authorization: `Bearer ${key}` };
  return JSON.parse(await call(port, "POST", "/api/v1/payments/quotes", ORDER, headers)).quote_id;
}

export async function reset(port) {
  await call(port, "POST", "/_sandbox/reset", {});
}

/** Resets a sandbox to one quote and one page of charges. */
export async function resetToOnePage(port) {
  await reset(port);
  const quoteId = await createQuote(port);
  let whitelabel = "";
  for (let made = 0; made < PAGE_ITEMS; made++)
    whitelabel = await call(port, "POST", "/api/v1/payments/whitelabel", whitelabelBody(quoteId));
  return { quoteId, whitelabel, chargePath: `/api/v1/payments/charges/${JSON.parse(whitelabel).charge_id}` };
}
