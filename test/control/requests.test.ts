import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, vi } from "vitest";
import { expectInvalid, later, openApi, openSandbox, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Client } from "../support/receiver-client.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";

const open = async (options = {}) => Client.of(await openSandbox(options));
interface Entry {
  request_id: number;
  operation: string | null;
  status: number;
}

it("GET /_sandbox/requests returns the newest requests first, with masked keys", async ({ client }) => {
  const id = await client.pay({ email: "ada@shop.test" });
  const answer = await client.ask("GET /_sandbox/requests");
  expect(answer.json.total).toBe(2);
  const [checkout, quote] = answer.json.items;
  expect(quote).toMatchObject({ operation: "createQuote", at: START, status: 200 });
  expect(checkout).toMatchObject({
    method: "POST",
    path: "/api/v1/payments/whitelabel",
    operation: "createWhitelabel",
    request_body: { customer_email: "ada@shop.test" },
    response_body: { charge_id: id, status: "PENDING" },
    fault: null,
  });
  expect(checkout.request_id).toBeGreaterThan(quote.request_id);
  expect(checkout.api_key).toBe("sk_test_…dbox");
  expect(answer.text).not.toContain("sk_test_sandbox");
});

it("GET /_sandbox/requests omits cross-site requests without a key", async ({ client }) => {
  const page = { authorization: "", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
  for (const path of ["/api/v1/nothing", "/api/v1/payments/payment-methods", "/api/v1/accounts/balances"])
    await client.get(path, page);
  await client.ask("POST /api/v1/payments/quotes", {}, page);
  expect((await client.ask("GET /_sandbox/requests")).json.total).toBe(0);
  await client.ask("GET /api/v1/nothing", undefined, { ...page, "sec-fetch-site": "same-site" });
  await client.ask("GET /api/v1/nothing", undefined, { ...page, authorization: "Bearer sk_test_nobody" });
  expect((await client.ask("GET /_sandbox/requests")).json.total).toBe(2);
});

it("GET /_sandbox/requests truncates a long URL", async ({ client }) => {
  await client.ask(`GET /api/v1/${"a".repeat(14_000)}`);
  await client.ask(`GET /api/v1/short?q=${"b".repeat(14_000)}`);
  const { items } = (await client.ask("GET /_sandbox/requests")).json;
  expect(items[0].path).toBe("/api/v1/short");
  expect(items[0].query.q).toMatch(/^b{2000,4096}…$/);
  expect(items[1].path).toMatch(/^\/api\/v1\/a{2040}…$/);
  expect(items[1].query).toEqual({});
});

it("GET /_sandbox/requests omits calls of the control API", async ({ client }) => {
  await client.ask("GET /_sandbox/charges");
  expect((await client.ask("GET /_sandbox/requests")).json).toEqual({ total: 0, items: [] });
});

it("GET /_sandbox/requests includes unknown paths and wrong methods", async ({ client }) => {
  await client.ask("GET /api/v1/accounts/balance");
  await client.ask("POST /api/v1/accounts/balances", { a: 1 });
  await client.ask("GET /api/v1/nothing", undefined, { authorization: "" });
  await client.ask("GET /favicon.ico", undefined, { authorization: "" });
  await client.ask("GET /_sandbox/nothing");
  const { items } = (await client.ask("GET /_sandbox/requests?status=4xx")).json;
  expect(items.map((one: Record<string, unknown>) => [one.path, one.operation, one.status])).toEqual([
    ["/api/v1/nothing", null, 404],
    ["/api/v1/accounts/balances", null, 405],
    ["/api/v1/accounts/balance", null, 404],
  ]);
  expect(items[1]).toMatchObject({ request_body: { a: 1 }, api_key: "sk_test_…dbox" });
  expect(items[2].response_body.error.code).toBe("NOT_FOUND");
});

it("GET /_sandbox/requests filters by method, path, operation and status", async ({ client }) => {
  const id = await client.pay();
  await client.ask(`GET /api/v1/payments/charges/${id}`);
  await client.ask("GET /api/v1/payments/charges/ch_x");
  await client.ask("GET /api/v1/accounts/balances", undefined, { authorization: "Bearer wrong" });
  const found = async (query: string) =>
    (await client.ask(`GET /_sandbox/requests?${query}`)).json.items.map(
      (one: Entry) => `${one.operation} ${one.status}`,
    );
  expect(await found("method=post")).toEqual(["createWhitelabel 200", "createQuote 200"]);
  expect(await found("path=/api/v1/payments/charges/*")).toEqual(["getCharge 404", "getCharge 200"]);
  expect(await found("operation=create*")).toEqual(["createWhitelabel 200", "createQuote 200"]);
  expect(await found("status=4xx")).toEqual(["getBalances 401", "getCharge 404"]);
  expect(await found("status=404&operation=getCharge")).toEqual(["getCharge 404"]);
  expect(await found("status=5xx")).toEqual([]);
  expect((await client.ask("GET /_sandbox/requests?limit=1&offset=1")).json).toMatchObject({
    total: 5,
    items: [{ operation: "getCharge", status: 404 }],
  });
});

it("GET /_sandbox/requests lists calls without a response by the status none", async ({ client }) => {
  await client.ask("POST /_sandbox/faults", { match: { operation: "getBalances" }, drop: "after", times: 1 });
  await client.ask("GET /api/v1/accounts/balances").catch(() => undefined);
  await client.ask("GET /api/v1/accounts/balances");
  const found = async (status: string) =>
    (await client.ask(`GET /_sandbox/requests?status=${status}`)).json.items.map((one: Entry) => one.status);
  expect(await found("none")).toEqual([null]);
  expect(await found("2xx")).toEqual([200]);
});

it("GET /_sandbox/requests filters by time and request", async ({ client }) => {
  await client.quote();
  await client.ask("POST /_sandbox/clock/advance", { by: "5s" });
  await client.quote();
  const total = async (since: string) =>
    (await client.ask(`GET /_sandbox/requests?since=${encodeURIComponent(since)}`)).json.total;
  expect(await total(START)).toBe(2);
  expect(await total(START.replace(".000Z", "Z"))).toBe(2);
  expect(await total(later(5))).toBe(1);
  expect(await total(later(5).replace(".000Z", "Z"))).toBe(1);
  expect(await total(later(5).replace("T09", "T11").replace("Z", "+02:00"))).toBe(1);
  expect(await total(later(6))).toBe(0);
  expect(await total("1")).toBe(1);
  expect(await total("2")).toBe(0);
});

it.each([
  ["status=abc", "status"],
  ["status=4", "status"],
  ["since=yesterday", "since"],
])("GET /_sandbox/requests refuses %s", async (query, field) => {
  expectInvalid(await (await openApi()).get(`/_sandbox/requests?${query}`), field);
});

it("GET /_sandbox/requests returns a body as text when it is not JSON", async ({ api }) => {
  await api.post("/api/v1/payments/quotes", "{nonsense");
  const { body } = await api.get<{ items: { request_body: unknown; status: number }[] }>(
    "/_sandbox/requests",
  );
  expect(body.items[0]).toMatchObject({ request_body: "{nonsense", status: 400 });
});

it("GET /_sandbox/requests truncates a body above 64 kB", async ({ client }) => {
  const sent = { pricing: { note: "ä".repeat(500_000) } };
  const text = JSON.stringify(sent);
  await client.ask("POST /api/v1/payments/quotes", sent);
  await client.quote();
  const [short, long] = (await client.ask("GET /_sandbox/requests")).json.items;
  const bytes = Buffer.byteLength(text);
  expect(long.request_body_bytes).toBe(bytes);
  expect(long.request_body).toMatch(
    new RegExp(`^\\{"pricing":\\{"note":"ä+… \\[cut: ${bytes} bytes in all\\]$`),
  );
  expect(Buffer.byteLength(long.request_body)).toBeLessThan(66_000);
  expect(long.response_body).toMatchObject({ error: { code: "VALIDATION_ERROR" } });
  expect(short.request_body).toMatchObject({ payment_method: "bank_transfer" });
  expect(short.request_body_bytes).toBe(Buffer.byteLength(JSON.stringify(short.request_body)));
  expect(short.response_body_bytes).toBe(Buffer.byteLength(JSON.stringify(short.response_body)));
  await client.ask("GET /api/v1/accounts/balances");
  const [read] = (await client.ask("GET /_sandbox/requests")).json.items;
  expect(read).toMatchObject({ request_body: null, request_body_bytes: null });
});

it("GET /_sandbox/requests is empty after DELETE", async ({ client }) => {
  await client.quote();
  expect((await client.ask("DELETE /_sandbox/requests")).status).toBe(200);
  expect((await client.ask("GET /_sandbox/requests")).json.total).toBe(0);
  await client.quote();
  expect((await client.ask("GET /_sandbox/requests")).json.total).toBe(1);
});

it("DELETE /_sandbox/requests with filters removes only matching requests", async () => {
  const client = await open({ retention: { requests: 3 } });
  await client.quote();
  await client.ask("GET /api/v1/nothing");
  await client.quote();
  const left = async (call: string) =>
    (await client.ask(call)).json.items.map((one: Entry) => [one.request_id, one.status]);
  expect(await left("DELETE /_sandbox/requests?status=404&method=POST")).toHaveLength(3);
  expect(await left("DELETE /_sandbox/requests?status=404")).toEqual([
    [3, 200],
    [1, 200],
  ]);
  await client.ask("GET /api/v1/nothing");
  expect(await left("GET /_sandbox/requests")).toEqual([
    [4, 404],
    [3, 200],
    [1, 200],
  ]);
  expect(await left("DELETE /_sandbox/requests?since=2")).toEqual([[1, 200]]);
  for (const wrong of ["staus=404", "status=4", "since=nonsense", "limit=1"])
    expectInvalid(await client.ask(`DELETE /_sandbox/requests?${wrong}`), wrong.split("=", 1)[0]!);
  expect(await left("GET /_sandbox/requests")).toEqual([[1, 200]]);
});

/** Resolves when the server has noticed that the client is gone. */
function hungUp(): Promise<void> {
  const channel = "http.server.request.start";
  return new Promise((resolve) => {
    const listen = (message: unknown): void => {
      unsubscribe(channel, listen);
      const { response } = message as { response: ServerResponse };
      response.once("close", () => setImmediate(resolve));
    };
    subscribe(channel, listen);
  });
}

it("a client that disconnects during a fault's delay is marked as disconnected", async () => {
  const wall = new FakeWall(Date.parse(START));
  const { sandbox, client } = await worldOn(wall);
  await using _ = sandbox;
  const { url } = await sandbox.listen();
  await client.ask("POST /_sandbox/faults", { match: { operation: "createQuote" }, delay: "1h", times: 1 });
  const gone = hungUp();
  const abort = new AbortController();
  const sent = fetch(`${url}/api/v1/payments/quotes`, {
    method: "POST",
    headers: { authorization: "Bearer sk_test_sandbox", "content-type": "application/json" },
    body: JSON.stringify({
      pricing: { base_currency: "NGN", amount: "100.00" },
      payment_method: "bank_transfer",
    }),
    signal: abort.signal,
  }).catch((error: Error) => error.name);
  await vi.waitFor(() => expect(wall.armed).toContain(3_600_000));
  abort.abort();
  expect(await sent).toBe("AbortError");
  await gone;
  wall.elapse(3_600_000);
  await vi.waitFor(async () => {
    const { items } = (await client.ask("GET /_sandbox/requests")).json;
    expect(items).toMatchObject([
      { operation: "createQuote", status: null, client_gone: true, response_body: null },
    ]);
  });
  expect((await client.ask("GET /_sandbox")).json.counts.quotes).toBe(1);
  expect((await client.ask("GET /_sandbox/coverage")).json.operations.met).toEqual({});
  await client.quote();
  const [answered] = (await client.ask("GET /_sandbox/requests")).json.items;
  expect(answered).toMatchObject({ status: 200, client_gone: false });
  expect((await client.ask("GET /_sandbox/coverage")).json.operations.met).toEqual({ createQuote: 1 });
});

it.each([
  ["createQuote", "/api/v1/payments/quotes"],
  [null, "/api/v1/payments/quote"],
])("a client that sends half a body is marked as disconnected: %s", async (operation, path) => {
  const sandbox = await openSandbox();
  const { port } = await sandbox.listen();
  const client = Client.of(sandbox);
  await client.ask("POST /_sandbox/faults", { match: { operation: "*" }, respond: { status: 500 } });
  const socket = connect(port, "127.0.0.1");
  socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer sk_test_sandbox\r\n`);
  socket.write('content-type: application/json\r\ncontent-length: 100\r\n\r\n{"half":', () =>
    socket.destroy(),
  );
  await vi.waitFor(async () => {
    const { items } = (await client.ask("GET /_sandbox/requests")).json;
    expect(items).toMatchObject([
      { operation, status: null, client_gone: true, request_body: null, response_body: null, fault: null },
    ]);
  });
});

it("a client that sends half a control call changes nothing", async () => {
  const sandbox = await openSandbox();
  const { port } = await sandbox.listen();
  const client = Client.of(sandbox);
  await client.quote();
  const gone = hungUp();
  const socket = connect(port, "127.0.0.1");
  socket.write("POST /_sandbox/reset HTTP/1.1\r\nhost: localhost\r\n");
  socket.write('content-length: 100\r\n\r\n{"keep":', () => socket.destroy());
  await gone;
  expect((await client.ask("GET /_sandbox")).json.counts.quotes).toBe(1);
});
