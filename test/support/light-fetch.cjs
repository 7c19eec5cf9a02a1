/** A small `fetch`: loading Node's takes longer than starting Node. */
const { request } = require("node:http");

const fetch = (url, { body, ...options } = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (more) => (text += more));
      response.on("error", reject).on("end", () => {
        const status = response.statusCode;
        const ok = status >= 200 && status < 300;
        resolve({ status, ok, text: async () => text, json: async () => JSON.parse(text) });
      });
    });
    sent.on("error", reject).end(body);
  });

/** Calls the sandbox and returns the parsed body, or throws. */
const call = async (method, path, body, { headers, signal } = {}) => {
  const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key } = process.env;
  const response = await fetch(base + path, {
    method,
    signal,
    body: body && JSON.stringify(body),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
};

const PRICE = { pricing: { base_currency: "NGN", amount: "10.00" }, payment_method: "card" };

/** Creates a quote and a charge with it. */
const pay = async (more = {}, options = {}) => {
  const { quote_id } = await call("POST", "/api/v1/payments/quotes", PRICE);
  const order = { ...PRICE, quote_id, customer_email: "a@shop.test", customer_name: "A", ...more };
  return call("POST", "/api/v1/payments/whitelabel", order, options);
};

module.exports = Object.assign(fetch, { call, PRICE, pay });
