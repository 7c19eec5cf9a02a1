import { expect } from "vitest";
import { START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { type Client, openShop } from "../support/receiver-client.js";
import { accept, Receiver, refuseWith } from "../support/receiver-server.js";

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
type Json = any;

async function attention(client: Client, query = ""): Promise<Json[]> {
  const { total, items } = (await client.ask(`GET /_sandbox/attention${query}`)).json as Json;
  expect(items).toHaveLength(total);
  return items;
}

async function receiverOf(client: Client): Promise<Json> {
  return ((await client.ask("GET /_sandbox/webhook-endpoints")).json as Json).items[0];
}

it("GET /_sandbox/attention is empty when nothing is wrong", async ({ shop: { client, sandbox } }) => {
  expect(await attention(client)).toEqual([]);
  await client.pay();
  await sandbox.advance("1h");
  expect(await attention(client)).toEqual([]);
});

it("a failing receiver comes with its error, and its operation retries what it counts", async () => {
  await using receiver = await Receiver.open(refuseWith(503));
  const { client, sandbox } = await openShop({ webhooks: [receiver.url] });
  await client.pay();
  await sandbox.advance("3s");
  const { webhook_id } = await receiverOf(client);
  const [item, ...others] = await attention(client);
  expect(others).toEqual([]);
  expect(item).toMatchObject({ kind: "receiver_failing", object: webhook_id, count: 2 });
  expect(item.sentence).toMatch(/^2 webhooks not accepted by 127\.0\.0\.1:\d+\S*: 503 answer$/);
  expect(item.mend).toEqual({
    sentence: expect.stringMatching(/^Fix the HTTP 503 at :\d+, then retry\.$/),
    command: `npx payments-sandbox webhook retry ${webhook_id}`,
    operation: "retryReceiver",
  });
  const open = (await client.ask("GET /_sandbox/deliveries?failing=1")).json as Json;
  expect(open.total).toBe(item.count);
  expect(open.items.at(-1).attempts[0].at).toBe(item.since);
  receiver.handler = accept;
  const retried = await client.ask(`POST /_sandbox/webhook-endpoints/${webhook_id}/retry`, {});
  expect((retried.json as Json).total).toBe(2);
  await sandbox.settled();
  expect(await attention(client)).toEqual([]);
});

it("the retry of an unknown receiver is refused", async ({ client }) => {
  const { status } = await client.ask("POST /_sandbox/webhook-endpoints/we_none/retry", {});
  expect(status).toBe(404);
});

it("health of a receiver is ok only without an open failure", async () => {
  await using receiver = await Receiver.open(accept);
  const { client, sandbox } = await openShop({ webhooks: [receiver.url] });
  const health = async () => (await receiverOf(client)).health;
  expect(await health()).toEqual({
    ...{ state: "ok", open_failures: 0, last_error: null },
    ...{ p50_ms: null, p95_ms: null, recent: 0, delivered_share: null },
  });
  await client.pay();
  await sandbox.advance("1s");
  receiver.handler = refuseWith(500);
  await sandbox.advance("2s");
  const failing = await health();
  expect(failing).toMatchObject({ state: "failing", open_failures: 1, last_error: "500 answer" });
  expect(failing.delivered_share).toBe(0.5);
  expect(failing.p50_ms).toBeGreaterThanOrEqual(0);
  expect(failing.p95_ms).toBeGreaterThanOrEqual(failing.p50_ms);
  receiver.handler = accept;
  const { webhook_id } = await receiverOf(client);
  await client.ask(`POST /_sandbox/webhook-endpoints/${webhook_id}/retry`, {});
  await sandbox.settled();
  expect(await health()).toMatchObject({ state: "ok", open_failures: 0, delivered_share: 1 });
  await client.ask(`PATCH /_sandbox/webhook-endpoints/${webhook_id}`, { enabled: false });
  expect((await health()).state).toBe("off");
});

it("health counts the last 50 deliveries", async () => {
  await using receiver = await Receiver.open(refuseWith(500));
  const { client, sandbox } = await openShop({ webhooks: [receiver.url] });
  const send = async (count: number) => {
    for (let made = 0; made < count; made++)
      await client.ask("POST /_sandbox/events", { type: "webhook.test" });
    await sandbox.settled();
  };
  await send(10);
  receiver.handler = accept;
  await send(45);
  const { health } = await receiverOf(client);
  expect(health).toMatchObject({ state: "failing", open_failures: 10, recent: 50, delivered_share: 0.9 });
});

it("a held receiver says that nothing listens", async () => {
  const { client } = await openShop({ clock: "real", webhooks: ["http://127.0.0.1:9/hooks"] });
  await client.transition(await client.pay(), "FAILED");
  await client.ask("POST /_sandbox/wait", { for: "delivery", match: { state: "held" } });
  expect((await receiverOf(client)).health.state).toBe("held");
  const [item] = await attention(client);
  expect(item).toMatchObject({
    ...{ kind: "receiver_held", count: 1 },
    sentence: "1 webhook held for 127.0.0.1:9/hooks: nothing listens on 127.0.0.1:9",
    mend: { sentence: "Start your app at :9; its held webhooks will then be sent." },
  });
});

it("calls refused alike are one item, until a later call of the operation succeeds", async ({ client }) => {
  const refused = { pricing: { base_currency: "XXX", amount: "19.99" }, payment_method: "card" };
  for (let call = 0; call < 3; call++) await client.ask("POST /api/v1/payments/quotes", refused);
  const [item, ...others] = await attention(client);
  expect(others).toEqual([]);
  expect(item).toMatchObject({ kind: "call_refused", count: 3, since: START });
  expect(item.sentence).toMatch(/^POST \/api\/v1\/payments\/quotes 400 3 times: VALIDATION_ERROR: /);
  expect(item.mend.command).toBe("npx payments-sandbox requests --status 400 --operation createQuote");
  const requests = (await client.ask("GET /_sandbox/requests?status=400&operation=createQuote")).json as Json;
  expect([requests.total, String(requests.items[0].request_id)]).toEqual([item.count, item.object]);
  await client.quote();
  expect(await attention(client)).toEqual([]);
});

it("a call with a wrong key is mended by the namespace's variables", async ({ client }) => {
  await client.quote({ key: "sk_test_wrong" });
  const [item] = await attention(client);
  expect(item.mend.command).toBe("npx payments-sandbox env");
});

it("a call that a fault refused is not in need of attention", async ({ client }) => {
  await client.ask("POST /_sandbox/faults", {
    match: { operation: "createQuote" },
    respond: { status: 503 },
  });
  expect((await client.quote()).status).toBe(503);
  expect(await attention(client)).toEqual([]);
});

it("unfinished charges for which nothing is scheduled come after failing receivers", async () => {
  await using receiver = await Receiver.open(refuseWith(500));
  const { client, sandbox } = await openShop({ webhooks: [receiver.url] });
  const id = await client.pay({ email: "stuck@shop.test" });
  await sandbox.advance("10s");
  const items = await attention(client);
  expect(items.map(({ kind }) => kind)).toEqual(["receiver_failing", "payment_stuck"]);
  expect(items[1]).toMatchObject({
    ...{ object: id, count: 1 },
    mend: { command: `npx payments-sandbox charge ${id} complete`, operation: null },
  });
  expect((await attention(client, "?mode=live")).map(({ kind }) => kind)).toEqual([]);
});

it("commands name a namespace that is not the default", async ({ client }) => {
  await client.ask("POST /_sandbox/namespaces", { name: "worker-1", api_key: "sk_test_worker" });
  const worker = client.in("worker-1");
  await worker.quote({ key: "sk_test_wrong" });
  const [item] = await attention(worker);
  expect(item.mend.command).toBe("npx payments-sandbox env --namespace worker-1");
});

it("GET /_sandbox/attention takes limit and offset like every list", async ({ client }) => {
  await client.quote({ key: "sk_test_wrong" });
  await client.ask("GET /api/v1/payments/charges/ch_none");
  const pages = ["", "?limit=1", "?limit=1&offset=1"].map(
    async (query) => (await client.ask(`GET /_sandbox/attention${query}`)).json as Json,
  );
  const [all, first, second] = await Promise.all(pages);
  expect([all.total, first.total, second.total]).toEqual([2, 2, 2]);
  expect([...first.items, ...second.items]).toEqual(all.items);
});
