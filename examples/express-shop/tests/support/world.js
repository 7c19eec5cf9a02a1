import assert from "node:assert/strict";
import { Payments } from "../../src/payments.js";
import { createShop } from "../../src/shop.js";

const { PAYMENTS_SANDBOX_URL: sandboxUrl } = process.env;
if (!sandboxUrl) throw new Error("These tests run beside a sandbox: npx payments-sandbox exec -- npm test");

async function send(url, method, body, headers = {}) {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

/**
 * A shop that listens, and a namespace of the sandbox that is this test's own: its data, its keys and its clock, which
 * stands until the test moves it. So tests neither wait nor disturb each other.
 *
 * When the test is over, the shop's books are held against the sandbox's ledger, whatever the test has asked for.
 * `wrong` is what is to be found in them.
 */
export async function openWorld(t, { fulfil, wrong = [] } = {}) {
  const { body: world } = await send(`${sandboxUrl}/_sandbox/namespaces`, "POST", { clock: "manual" });

  /** A call of the sandbox's control API, in this test's namespace. */
  const sandbox = async (method, path, body) => {
    const answer = await send(`${sandboxUrl}/_sandbox${path}`, method, body, {
      "sandbox-namespace": world.name,
    });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  const payments = new Payments({ baseUrl: sandboxUrl, apiKey: world.api_key, pauseMs: 1 });
  const app = createShop({ payments, webhookSecret: world.webhook_secret, fulfil });
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const shopUrl = `http://127.0.0.1:${server.address().port}`;
  await sandbox("POST", "/webhook-endpoints", { url: `${shopUrl}/webhooks` });

  /** Where the shop's books and the sandbox's ledger differ. */
  const findings = async () => {
    const { orders: rows } = (await send(`${shopUrl}/orders`, "GET")).body;
    const map = { "metadata.order_id": "id", delivered: "shipments" };
    return (await sandbox("POST", "/reconcile", { rows, map })).findings;
  };

  t.after(async () => {
    const found = await findings();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    await sandbox("DELETE", `/namespaces/${world.name}`);
    assert.deepEqual(
      found.map(({ kind }) => kind),
      wrong,
      JSON.stringify(found, null, 2),
    );
  });

  return {
    sandbox,
    /** A call of the shop. */
    shop: (method, path, body) => send(shopUrl + path, method, body),
    order: async (email = "ada@example.com", phone = "+254700000001") => {
      const { status, body } = await send(`${shopUrl}/orders`, "POST", { email, phone });
      if (status !== 201) throw new Error(`the order failed: ${JSON.stringify(body)}`);
      return body;
    },
    /** Lets sandbox time pass; resolves when everything that falls due has happened, webhooks answered. */
    advance: (by) => sandbox("POST", "/clock/advance", { by }),
  };
}
