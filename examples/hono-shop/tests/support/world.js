import assert from "node:assert/strict";
import { once } from "node:events";
import { serve } from "@hono/node-server";
import { createSandbox } from "payments-sandbox";
import { createShop } from "../../src/shop.js";

/**
 * A shop that listens, and a sandbox of its own in this very process, whose clock stands until the test moves it. When
 * the test is over, the shop's books are held against the sandbox's ledger; `wrong` is what is to be found in them.
 */
export async function openWorld(t, { fulfil, wrong = [] } = {}) {
  let shop;
  const server = serve({ fetch: (request) => shop.app.fetch(request), hostname: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const shopUrl = `http://127.0.0.1:${server.address().port}`;

  const sandbox = await createSandbox({ clock: "manual", webhooks: [`${shopUrl}/webhooks`] });
  const { url: sandboxUrl } = await sandbox.listen();
  shop = createShop({
    payments: { baseUrl: sandboxUrl, apiKey: sandbox.apiKey },
    webhookSecret: sandbox.webhookSecret,
    shopUrl,
    fulfil,
  });

  t.after(async () => {
    const rows = [...shop.orders.values()].map(({ id, charge_id, status, shipments }) => {
      return { "metadata.order_id": id, charge_id, status, delivered: shipments.length };
    });
    const { findings } = await sandbox.reconcile(rows);
    server.close();
    server.closeAllConnections();
    await sandbox.close();
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      wrong,
      JSON.stringify(findings, null, 2),
    );
  });

  return {
    sandbox,
    shopUrl,
    sandboxUrl,
    order: () => [...shop.orders.values()].at(-1),
    browser: new Browser(),
    /** A call of the sandbox's control API. */
    control: async (method, path, body) => {
      const response = await fetch(`${sandboxUrl}/_sandbox${path}`, {
        method,
        body: body && JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
      return response.json();
    },
  };
}

/** What a customer's browser does: opens pages, sends their forms, goes where it is sent. */
class Browser {
  url = "";
  status = 0;
  text = "";

  open(url) {
    return this.#go(url, {});
  }

  /** Sends the form of the page that is shown whose action, or that of its button, ends like that. */
  submit(ending, fields = {}) {
    const actions = [...this.text.matchAll(/\s(?:form)?action="([^"]+)"/g)].map(([, action]) => action);
    const action = actions.find((one) => one.endsWith(ending));
    if (!action) throw new Error(`${this.url} has no form for ${ending}, only for ${actions}`);
    return this.#go(new URL(action, this.url), { method: "POST", body: new URLSearchParams(fields) });
  }

  async #go(url, init) {
    const response = await fetch(url, init);
    this.url = response.url;
    this.status = response.status;
    this.text = await response.text();
  }
}
