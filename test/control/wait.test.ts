import { expect } from "vitest";
import type { Sandbox } from "../../src/library/sandbox.js";
import { Api, expectError, okBody, openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { exchange, head, Wire } from "../support/api-wire.js";
import { Client } from "../support/receiver-client.js";
import { hold, Receiver } from "../support/receiver-server.js";

it("POST /_sandbox/wait returns an existing match immediately", async ({ client }) => {
  await client.pay();
  const id = await client.pay();
  const { status, json } = await client.ask("POST /_sandbox/wait", {
    for: "charge",
    match: { customer_email: "ada@*", amount: { gte: "100" } },
  });
  expect([status, json.charge_id, json.mode]).toEqual([200, id, "test"]);
});

it("POST /_sandbox/wait returns when the charge is created", async ({ client }) => {
  const match = { status: "COMPLETED", customer_email: "ada@shop.test" };
  let answered = false;
  const waiting = client.ask("POST /_sandbox/wait", { for: "charge", match, timeout: "10m" });
  void waiting.then(() => (answered = true));
  const id = await client.pay();
  await client.ask("GET /_sandbox");
  expect(answered).toBe(false);
  await client.ask("POST /_sandbox/clock/advance", { by: "10s" });
  expect((await waiting).json).toMatchObject({ charge_id: id, status: "COMPLETED" });
});

it("POST /_sandbox/wait waits for a number of requests", async ({ client }) => {
  const match = { operation: "createQuote", status: 200 };
  const waiting = client.ask("POST /_sandbox/wait", { for: "request", match, count: 2, timeout: "10m" });
  await client.quote();
  const short = await client.ask("POST /_sandbox/wait", { for: "request", match, count: 2, timeout: "10ms" });
  expect([short.status, short.json.error.message]).toEqual([408, expect.stringContaining("1 of 2")]);
  await client.quote();
  expect((await waiting).json).toMatchObject({ operation: "createQuote", method: "POST", status: 200 });
});

it("POST /_sandbox/wait waits until a matching delivery exists", async () => {
  await using receiver = await Receiver.open();
  const sandbox = await openSandbox({ webhooks: [receiver.url] });
  const client = Client.of(sandbox);
  const waiting = client.ask("POST /_sandbox/wait", {
    for: "delivery",
    match: { type: "charge.completed", status: "delivered" },
    timeout: "10m",
  });
  const id = await client.pay();
  await sandbox.advance("10s");
  expect((await waiting).json).toMatchObject({ charge_id: id, answered: 200, url: receiver.url });
});

it("POST /_sandbox/wait waits until nothing is due or in progress", async () => {
  await using receiver = await Receiver.open(hold);
  const sandbox = await openSandbox({ webhooks: [receiver.url] });
  const client = Client.of(sandbox);
  await client.ask("POST /_sandbox/events", { type: "webhook.test" });
  const busy = await client.ask("POST /_sandbox/wait", { for: "idle", timeout: "20ms" });
  expect([busy.status, busy.json.error.code]).toEqual([408, "WAIT_TIMEOUT"]);
  const waiting = client.ask("POST /_sandbox/wait", { for: "idle", timeout: "10m" });
  (await receiver.arrived(1)).answer();
  expect((await waiting).json).toMatchObject({ idle: true });
});

it("POST /_sandbox/wait returns 408 with the closest record at the timeout", async ({ client }) => {
  const near = await client.pay({ email: "ada@shop.test" });
  await client.pay({ email: "bob@shop.test" });
  const { status, json } = await client.ask("POST /_sandbox/wait", {
    for: "charge",
    match: { customer_email: "ada@shop.test", status: "FAILED", metadata: { plan: "gold" } },
    timeout: "10ms",
  });
  expect([status, json.error.code]).toEqual([408, "WAIT_TIMEOUT"]);
  expect(Object.keys(json.error.details)[0]).toBe(near);
  expect(json.error.details[near]).toBe(
    'status is "PENDING", not "FAILED"; metadata.plan is absent, not "gold"',
  );
});

it("POST /_sandbox/wait finds a record by each of its fields", async () => {
  const names: Readonly<Record<string, readonly string[]>> = {
    charge: ["currency", "payment_method", "payment_rail", "status", "mode"],
    delivery: ["type", "status", "state", "mode"],
    request: ["method", "operation"],
  };
  await using receiver = await Receiver.open();
  const sandbox = await openSandbox({ webhooks: [receiver.url] });
  const client = Client.of(sandbox);
  await client.pay();
  await sandbox.advance("10s");
  for (const kind of ["charge", "delivery", "request"]) {
    const found = (await client.ask("POST /_sandbox/wait", { for: kind })).json as Record<string, unknown>;
    expect(Object.keys(found).length).toBeGreaterThan(10);
    for (const [field, value] of Object.entries(found)) {
      const by = (match: unknown, timeout: string) =>
        client.ask("POST /_sandbox/wait", { for: kind, match: { [field]: match }, timeout });
      const isGlob = typeof value === "string" && /[*?]/.test(value);
      if (!isGlob) expect([field, (await by(value, "10s")).status]).toEqual([field, 200]);
      const refused = names[kind]!.includes(field) ? 400 : 408;
      expect([field, (await by("nothing of the kind", "1ms")).status]).toEqual([field, refused]);
    }
  }
});

it("POST /_sandbox/wait counts only records that match at the same time", async ({ client }) => {
  const match = { status: "AWAITING_PAYMENT" };
  const waiting = client.ask("POST /_sandbox/wait", { for: "charge", match, count: 2, timeout: "10m" });
  let answered = false;
  void waiting.then(() => (answered = true));
  const first = await client.pay({ scenario: "stuck" });
  const second = await client.pay({ scenario: "stuck" });
  const move = (id: string, to: string) => client.ask(`POST /_sandbox/charges/${id}/transition`, { to });
  await move(first, "AWAITING_PAYMENT");
  await client.ask("GET /_sandbox");
  await move(first, "PROCESSING");
  await client.ask("GET /_sandbox");
  await move(second, "AWAITING_PAYMENT");
  await client.ask("GET /_sandbox");
  expect(answered).toBe(false);
  const third = await client.pay({ scenario: "stuck" });
  await move(third, "AWAITING_PAYMENT");
  expect((await waiting).json.charge_id).toBe(third);
});

it("POST /_sandbox/wait does not count records from before a reset", async ({ client }) => {
  await client.pay();
  const wanted = { for: "charge", match: { customer_email: "*" }, count: 2, timeout: "10m" };
  const waiting = client.ask("POST /_sandbox/wait", wanted);
  await client.ask("POST /_sandbox/reset");
  await client.pay();
  await client.ask("GET /_sandbox");
  const short = await client.ask("POST /_sandbox/wait", { ...wanted, timeout: "1ms" });
  expect(short.json.error.message).toContain("1 of 2");
  const id = await client.pay();
  expect((await waiting).json.charge_id).toBe(id);
});

it("POST /_sandbox/wait waits for requests that the log does not store", async () => {
  const client = Client.of(await openSandbox({ retention: { requests: 0 } }));
  const match = { operation: "createQuote" };
  const waiting = client.ask("POST /_sandbox/wait", { for: "request", match, timeout: "10m" });
  let answered = false;
  void waiting.then(() => (answered = true));
  const isAnswered = async () => {
    await client.quote();
    return answered;
  };
  await expect.poll(isAnswered).toBe(true);
  expect((await waiting).json).toMatchObject({ operation: "createQuote", status: 200 });
  expect((await client.ask("GET /_sandbox/requests")).json.total).toBe(0);
});

const endless = { for: "charge", match: { customer_email: "nobody" }, timeout: "10m" };
const soon = { ...endless, timeout: "1ms" };
const pending = (sandbox: Sandbox, headers: Record<string, string> = {}) => {
  const leaving = new AbortController();
  const answer = sandbox.fetch("/_sandbox/wait", {
    method: "POST",
    headers,
    body: JSON.stringify(endless),
    signal: leaving.signal,
  });
  return { answer, leave: () => leaving.abort() };
};

it("POST /_sandbox/wait supports a thousand concurrent calls", async ({ shop: { sandbox } }) => {
  const api = new Api(sandbox);
  okBody(await api.put("/_sandbox/namespaces/other", {}));
  const waiting = Array.from({ length: 1_000 }, () => pending(sandbox));
  expectError(await api.post("/_sandbox/wait", soon), 429, "RATE_LIMIT_EXCEEDED");
  expectError(await api.post("/_sandbox/wait", soon, { "sandbox-namespace": "other" }), 408, "WAIT_TIMEOUT");
  waiting[0]!.leave();
  await waiting[0]!.answer;
  expectError(await api.post("/_sandbox/wait", soon), 408, "WAIT_TIMEOUT");
  for (const { leave } of waiting) leave();
  await Promise.all(waiting.map(({ answer }) => answer));
});

it("POST /_sandbox/wait ends when its connection closes", async ({ shop: { sandbox } }) => {
  const api = new Api(sandbox);
  const { port } = await sandbox.listen();
  const body = JSON.stringify(endless);
  const wire = await Wire.open(port);
  wire.write(
    head("POST /_sandbox/wait HTTP/1.1", "Host: localhost", `Content-Length: ${body.length}`) + body,
  );
  // These responses on other connections came later.
  for (let n = 0; n < 10; n++) await exchange(port, head("GET /health HTTP/1.1", "Host: localhost"));
  const waiting = Array.from({ length: 999 }, () => pending(sandbox));
  expectError(await api.post("/_sandbox/wait", soon), 429, "RATE_LIMIT_EXCEEDED");
  wire.close();
  await expect.poll(async () => (await api.post("/_sandbox/wait", soon)).status).toBe(408);
  for (const { leave } of waiting) leave();
  await Promise.all(waiting.map(({ answer }) => answer));
});

it("POST /_sandbox/wait ends when its namespace is deleted", async ({ shop: { sandbox } }) => {
  const api = new Api(sandbox);
  okBody(await api.put("/_sandbox/namespaces/other", {}));
  const waiting = pending(sandbox, { "sandbox-namespace": "other" });
  await api.get("/_sandbox");
  okBody(await api.send("DELETE", "/_sandbox/namespaces/other"));
  expect((await waiting.answer).status).toBe(404);
});

it("POST /_sandbox/wait times out on an empty sandbox", async ({ api }) => {
  expectError(await api.post("/_sandbox/wait", { for: "charge", timeout: "1ms" }), 408, "WAIT_TIMEOUT");
});
