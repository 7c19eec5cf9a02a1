import { once } from "node:events";
import { basename } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { Shop } from "../../src/shop.js";

const { PAYMENTS_SANDBOX_URL: sandboxUrl, PAYMENTS_WEBHOOK_SECRET: webhookSecret } = process.env;

/** A name of its own for each test file: what is done under it, no other file sees. */
export function namespaceOf(file) {
  return basename(file, ".test.js").replaceAll(/[^A-Za-z0-9_-]/g, "-");
}

/**
 * A shop and a namespace for a test file. With --auto-namespaces nothing has to be set up: the key that names the
 * namespace makes it when it is first used. Each test begins with the namespace as new.
 */
export function useWorld({ fulfil } = {}) {
  const namespace = namespaceOf(expect.getState().testPath);
  const apiKey = `sk_test_ns_${namespace}`;

  const sandbox = async (method, path, body) => {
    const response = await fetch(`${sandboxUrl}/_sandbox${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}` },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };

  const world = {
    sandbox,
    shop: new Shop({ baseUrl: sandboxUrl, apiKey, webhookSecret, fulfil }),
    /** What is to be found in the shop's books when the test is over: they are held against the sandbox's ledger. */
    wrong: [],
    /** Moves this file's clock; resolves when all that falls due has happened, webhooks answered. */
    advance: (by) => sandbox("POST", "/clock/advance", { by }),
    balance: async () => {
      const { items } = await sandbox("GET", "/balances");
      return items.find(({ currency }) => currency === "KES")?.available_balance ?? "0.00";
    },
  };

  beforeAll(async () => {
    const { server } = world.shop;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${server.address().port}/webhooks`;
    await sandbox("POST", "/webhook-endpoints", { url });
  });
  beforeEach(async () => {
    world.shop.orders.clear();
    world.wrong = [];
    await sandbox("POST", "/reset");
  });
  afterEach(async () => {
    const rows = [...world.shop.orders.values()];
    const map = { "metadata.order_id": "id", delivered: "shipments" };
    const { findings } = await sandbox("POST", "/reconcile", { rows, map });
    expect(
      findings.map(({ kind }) => kind),
      JSON.stringify(findings),
    ).toEqual(world.wrong);
  });
  afterAll(() => {
    world.shop.server.close();
    world.shop.server.closeAllConnections();
  });

  return world;
}
