import { join } from "node:path";
import { expect, it } from "vitest";
import type { SandboxOptions } from "../../src/library/index.js";
import { stateOf } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { openShop } from "../support/receiver-client.js";

interface Wish {
  key?: string;
  namespace?: string;
  body?: unknown;
}

async function server(options: SandboxOptions = {}) {
  const { sandbox, client } = await openShop(options);
  const call = (line: string, { key = "sk_test_sandbox", namespace, body }: Wish = {}) =>
    client.in(namespace).ask(line, body, { authorization: `Bearer ${key}` });
  const order = { pricing: { base_currency: "USD", amount: "10.00" }, payment_method: "card" };
  const charge = async (wish: Wish = {}) => {
    const quote = await call("POST /api/v1/payments/quotes", { ...wish, body: order });
    const body = { ...order, quote_id: quote.json.quote_id, customer_email: "ada@example.com" };
    return (await call("POST /api/v1/payments/whitelabel", { ...wish, body })).json.charge_id as string;
  };
  return { sandbox, call, charge };
}

it("namespaces have their own keys, with a given or generated name", async () => {
  const { call } = await server();
  const named = await call("POST /_sandbox/namespaces", { body: { name: "ann" } });
  expect(named.status).toBe(200);
  expect(named.json).toMatchObject({
    name: "ann",
    api_key: "sk_test_ns_ann",
    live_api_key: "sk_live_ns_ann",
    webhook_secret: expect.stringMatching(/^whsec_/),
  });
  expect((await call("POST /_sandbox/namespaces")).json.name).toBe("ns1");
  const list = await call("GET /_sandbox/namespaces");
  expect(list.json.items.map((one: { name: string }) => one.name)).toEqual(["ns1", "ann", "default"]);
});

const PLAIN = "my-secret-hash";
const HOOK = { url: "http://localhost:9/hooks" };

it.each([
  [{}, { webhook_secret: PLAIN }, "webhook_secret"],
  [{}, { webhook_secret: "" }, "webhook_secret"],
  [{}, { webhook_secret: "with a space" }, "webhook_secret"],
  [{ signature: "stripe" }, { webhook_secret: PLAIN }, undefined],
  [{ signature: "stripe", webhookSecret: PLAIN }, {}, undefined],
  [{ signature: "svix" }, { webhook_secret: PLAIN }, "webhook_secret"],
  [{}, { webhooks: [{ ...HOOK, secret: PLAIN }] }, "webhooks.0.secret"],
  [{}, { webhooks: [HOOK, { ...HOOK, secret: PLAIN, signature: "paystack" }] }, undefined],
  [
    { signature: "stripe" },
    { webhook_secret: PLAIN, webhooks: [{ ...HOOK, signature: "standard" }] },
    "webhooks.0.secret",
  ],
  [
    { signature: "stripe", webhooks: [{ url: "http://localhost:9/{namespace}", signature: "standard" }] },
    { webhook_secret: PLAIN, webhooks: [HOOK] },
    "webhook_secret",
  ],
] as const)(
  "namespaces accept the same secrets as startup options: %j, then %j",
  async (options, body, fault) => {
    const { call } = await server(options as SandboxOptions);
    for (const line of ["POST /_sandbox/namespaces", "PUT /_sandbox/namespaces/ann"]) {
      const { status, json } = await call(line, { body });
      expect([line, status, Object.keys(json.error?.details ?? {})]).toEqual([
        line,
        fault === undefined ? 200 : 400,
        fault === undefined ? [] : [fault],
      ]);
    }
    const { total } = (await call("GET /_sandbox/namespaces")).json;
    expect(total).toBe(fault === undefined ? 3 : 1);
  },
);

it("POST returns 409 for an existing namespace, and PUT does not", async () => {
  const { call } = await server();
  await call("POST /_sandbox/namespaces", { body: { name: "ann" } });
  const again = await call("POST /_sandbox/namespaces", { body: { name: "ann" } });
  expect([again.status, again.json.error.code]).toEqual([409, "NAMESPACE_EXISTS"]);
  const put = await call("PUT /_sandbox/namespaces/ann", { body: {} });
  expect([put.status, put.json.api_key]).toEqual([200, "sk_test_ns_ann"]);
  expect((await call("PUT /_sandbox/namespaces/bob", { body: {} })).json.name).toBe("bob");
  expect((await call("PUT /_sandbox/namespaces/b%20ob", { body: {} })).json.error.details).toHaveProperty(
    "name",
  );
});

it("namespaces are isolated by key and by header", async () => {
  const { call, charge } = await server();
  await call("POST /_sandbox/namespaces", { body: { name: "ann" } });
  const mine = await charge({ key: "sk_test_ns_ann" });
  const theirs = await charge();
  const read = (id: string, wish: Wish) => call(`GET /api/v1/payments/charges/${id}`, wish);
  expect((await read(mine, { key: "sk_test_ns_ann" })).status).toBe(200);
  expect((await read(mine, { namespace: "ann" })).status).toBe(200);
  expect((await read(mine, {})).status).toBe(404);
  expect((await read(theirs, { key: "sk_test_ns_ann" })).status).toBe(404);
  expect((await call("GET /_sandbox", { namespace: "ann" })).json.counts.charges).toBe(1);
});

it("namespaces have separate clocks", async () => {
  const { call, charge } = await server();
  await call("POST /_sandbox/namespaces", { body: { name: "ann" } });
  const mine = await charge({ namespace: "ann" });
  const theirs = await charge();
  await call("POST /_sandbox/clock/advance", { namespace: "ann", body: { by: "10s" } });
  expect((await call(`GET /api/v1/payments/charges/${mine}`, { namespace: "ann" })).json.status).toBe(
    "COMPLETED",
  );
  expect((await call(`GET /api/v1/payments/charges/${theirs}`)).json.status).toBe("PENDING");
});

it("an unknown or deleted namespace returns 404", async () => {
  const { call } = await server();
  expect((await call("GET /_sandbox", { namespace: "nobody" })).status).toBe(404);
  await call("POST /_sandbox/namespaces", { body: { name: "ann" } });
  expect((await call("DELETE /_sandbox/namespaces/ann")).status).toBe(200);
  expect((await call("GET /api/v1/payments/payins", { key: "sk_test_ns_ann" })).status).toBe(401);
  expect((await call("DELETE /_sandbox/namespaces/default")).status).toBe(403);
});

it("a new key creates a namespace only with autoNamespaces", async () => {
  const strict = await server();
  expect((await strict.call("GET /api/v1/payments/payins", { key: "sk_test_ns_w1" })).status).toBe(401);
  const easy = await server({ autoNamespaces: true });
  const mine = await easy.charge({ key: "sk_test_ns_w1" });
  expect(mine).toMatch(/^ch_/);
  expect((await easy.call("GET /_sandbox/namespaces/w1")).json.charges).toBe(1);
  expect((await easy.call("GET /_sandbox")).json.counts.charges).toBe(0);
});

it("refuses a namespace whose API key is already in use", async () => {
  const keys = ["sk_test_ns_shop", "sk_live_till"].map((key) => ({
    key,
    organization_id: "org_sandbox",
    permission: "full" as const,
  }));
  const { call } = await server({ autoNamespaces: true, fixtures: { keys } });
  const status = async (body: object) => (await call("POST /_sandbox/namespaces", { body })).status;
  expect(await status({ name: "ann", api_key: "sk_test_ns_bob" })).toBe(200);
  expect(await status({ name: "bob" })).toBe(409);
  expect((await call("PUT /_sandbox/namespaces/bob", { body: {} })).json.error).toMatchObject({
    code: "NAMESPACE_EXISTS",
    message: "The API key belongs to another namespace",
  });
  expect(await status({ name: "shop" })).toBe(409);
  expect(await status({ api_key: "sk_test_till" })).toBe(409);
  expect((await call("GET /api/v1/payments/payins", { key: "sk_live_ns_shop" })).status).toBe(401);
  expect(await status({ name: "bob", api_key: "sk_test_bob" })).toBe(200);
  expect((await call("GET /_sandbox", { key: "sk_live_ns_bob" })).json.namespace).toBe("ann");
});

it("a generated namespace gets the next name with an unused key", async () => {
  const { call } = await server();
  await call("POST /_sandbox/namespaces", { body: { name: "ann", api_key: "sk_test_ns_ns1" } });
  expect((await call("POST /_sandbox/namespaces")).json.name).toBe("ns2");
});

it("a webhook URL can contain the namespace's name", async () => {
  const { call } = await server({
    webhooks: ["http://localhost:9/{namespace}/hooks", "http://localhost:9/only"],
  });
  await call("POST /_sandbox/namespaces", { body: { name: "ann" } });
  const urls = async (namespace: string) =>
    (await call("GET /_sandbox/webhook-endpoints", { namespace })).json.items.map(
      (one: { url: string }) => one.url,
    );
  expect(await urls("ann")).toEqual(["http://localhost:9/ann/hooks"]);
  expect(await urls("default")).toEqual(["http://localhost:9/only", "http://localhost:9/default/hooks"]);
});

it("a thousand namespaces created at once are isolated", async () => {
  // A database commits each namespace separately.
  const count = stateOf.data === undefined ? 1_000 : 50;
  const { call, charge } = await server();
  for (let n = 0; n < count; n++) await call(`PUT /_sandbox/namespaces/w${n}`, { body: {} });
  const ids = await Promise.all(Array.from({ length: count }, (_, n) => charge({ key: `sk_test_ns_w${n}` })));
  expect(new Set(ids).size).toBe(count);
  for (const n of [0, count / 2, count - 1]) {
    const list = await call("GET /api/v1/payments/payins", { key: `sk_test_ns_w${n}` });
    expect(list.json.items.map((one: { charge_id: string }) => one.charge_id)).toEqual([ids[n]]);
  }
});

it("restoring a snapshot restores data, time and scheduled tasks", async () => {
  const { call, charge } = await server();
  const id = await charge();
  await call("POST /_sandbox/clock/advance", { body: { by: "2s" } });
  const saved = await call("POST /_sandbox/snapshots", { body: { name: "two-seconds-in" } });
  expect(saved.status).toBe(200);
  const before = (await call("GET /_sandbox")).json.clock.now;
  await call("POST /_sandbox/clock/advance", { body: { by: "10s" } });
  expect((await call(`GET /api/v1/payments/charges/${id}`)).json.status).toBe("COMPLETED");
  expect((await call("POST /_sandbox/snapshots/two-seconds-in/restore")).status).toBe(200);
  expect((await call("GET /_sandbox")).json.clock.now).toBe(before);
  expect((await call(`GET /api/v1/payments/charges/${id}`)).json.status).toBe("AWAITING_PAYMENT");
  await call("POST /_sandbox/clock/advance", { body: { by: "10s" } });
  expect((await call(`GET /api/v1/payments/charges/${id}`)).json.status).toBe("COMPLETED");
  expect((await call("GET /api/v1/accounts/balances")).json.balances[0].available_balance).toBe("10.00");
});

it("records after a restore have new ids, the same in a repeated run", async () => {
  const idsOf = async () => {
    const { call, charge } = await server();
    await call("POST /_sandbox/snapshots", { body: { name: "empty" } });
    const ids = [await charge()];
    for (let round = 0; round < 2; round++) {
      await call("POST /_sandbox/snapshots/empty/restore");
      ids.push(await charge());
    }
    return ids;
  };
  const ids = await idsOf();
  expect(new Set(ids).size).toBe(3);
  expect(await idsOf()).toEqual(ids);
});

it("restoring a snapshot keeps requests, coverage and rate limits", async () => {
  const { call, charge } = await server({ rateLimit: 5 });
  await call("POST /_sandbox/snapshots", { body: { name: "empty" } });
  await charge();
  const state = (await call("GET /_sandbox/state")).json;
  const before = (await call("GET /_sandbox/requests")).json;
  const met = (await call("GET /_sandbox/coverage")).json.operations.met;
  expect(met).toEqual({ createQuote: 1, createWhitelabel: 1 });
  await call("POST /_sandbox/snapshots/empty/restore");
  expect((await call("GET /_sandbox/requests")).json).toEqual(before);
  expect((await call("PUT /_sandbox/state", { body: state })).status).toBe(200);
  expect((await call("GET /_sandbox/requests")).json).toEqual(before);
  expect((await call("GET /_sandbox/coverage")).json.operations.met).toEqual(met);
  const answer = await call("GET /api/v1/accounts/balances");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("ratelimit")).toMatch(/;r=2;/);
  await call("POST /_sandbox/reset", { body: {} });
  expect((await call("GET /_sandbox/requests")).json.total).toBe(0);
});

it("snapshots stay after a reset and can be deleted", async () => {
  const { call } = await server();
  await call("POST /_sandbox/snapshots", { body: { name: "a" } });
  await call("POST /_sandbox/reset", { body: {} });
  expect((await call("GET /_sandbox/snapshots")).json).toMatchObject({ total: 1, items: [{ name: "a" }] });
  expect((await call("POST /_sandbox/snapshots/b/restore")).status).toBe(404);
  expect((await call("DELETE /_sandbox/snapshots/a")).status).toBe(200);
  expect((await call("GET /_sandbox/snapshots")).json.total).toBe(0);
  expect((await call("POST /_sandbox/snapshots", { body: { name: "../x" } })).status).toBe(400);
});

it("a snapshot can be imported into another server", async () => {
  const one = await server();
  const id = await one.charge();
  const state = (await one.call("GET /_sandbox/state")).json;
  const other = await server({ seed: "another" });
  expect((await other.call("PUT /_sandbox/state", { body: state })).status).toBe(200);
  const read = async (where: typeof one) => (await where.call(`GET /api/v1/payments/charges/${id}`)).json;
  expect(await read(other)).toEqual(await read(one));
  await other.sandbox.advance("10s");
  expect((await read(other)).status).toBe("COMPLETED");
});

it.each([{}, { version: 2 }, { version: 1, seq: 1, at: 0, counters: {}, collections: {} }])(
  "refuses an invalid snapshot and changes nothing: %j",
  async (body) => {
    const { call, charge } = await server();
    const id = await charge();
    expect((await call("PUT /_sandbox/state", { body })).status).toBe(400);
    expect((await call(`GET /api/v1/payments/charges/${id}`)).status).toBe(200);
  },
);

const OWN = {
  name: "ann",
  api_key: "sk_test_ann_herself",
  webhook_secret: `whsec_${Buffer.from("a secret of her own, 32 bytes ok").toString("base64")}`,
  clock: "manual",
  start_time: "2026-03-01T09:00:00.000Z",
  seed: "hers",
};

it("namespaces in --data survive a restart with other options", async () => {
  const data = join(temporaryFolder(), "data.json");
  const first = await server({ data, clock: undefined });
  const made = (await first.call("POST /_sandbox/namespaces", { body: OWN })).json;
  const charge = await first.charge({ key: OWN.api_key });
  await first.call("POST /_sandbox/clock/advance", { key: OWN.api_key, body: { by: "10s" } });
  await first.sandbox.close();

  const again = await server({ data, clock: "60x" });
  expect((await again.call("GET /_sandbox/namespaces/ann")).json).toEqual({
    ...made,
    clock: { ...made.clock, now: "2026-03-01T09:00:10.000Z" },
    charges: 1,
  });
  const read = await again.call(`GET /api/v1/payments/charges/${charge}`, { key: OWN.api_key });
  expect(read).toMatchObject({ status: 200, json: { status: "COMPLETED" } });

  expect((await again.call("DELETE /_sandbox/namespaces/ann")).status).toBe(200);
  await again.sandbox.close();
  const last = await server({ data });
  expect((await last.call("GET /_sandbox/namespaces")).json.total).toBe(1);
  expect((await last.call("GET /_sandbox", { key: OWN.api_key })).json.namespace).toBe("default");
});
