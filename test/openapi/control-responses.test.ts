import { beforeAll, expect, it } from "vitest";
import { STREAM_SCHEMAS } from "../../src/core/schema/control-responses.js";
import type { SandboxOptions } from "../../src/library/index.js";
import { schemaNameOf } from "../../src/server/openapi/schemas.js";
import { openSandbox, START } from "../support/api-client.js";
import { ControlAnswers, shippedControlDocument } from "../support/openapi-control.js";
import { Client } from "../support/receiver-client.js";
import { hold, Receiver, refuseWith } from "../support/receiver-server.js";

/** Compares responses with the document: status, headers and body. */
let answers: ControlAnswers;
beforeAll(async () => {
  answers = new ControlAnswers(await shippedControlDocument());
});

/** Opens a sandbox and a client that checks its control responses. */
async function open(options: SandboxOptions = {}) {
  const sandbox = await openSandbox({ scenario: "instant", ...options });
  const { url, port } = await sandbox.listen({ port: 0 });
  const client = new Client(async (target, init) => {
    const response = await fetch(url + target, init);
    const text = await response.text();
    const path = target.split("?")[0]!;
    if (path.startsWith("/_sandbox") || path === "/health")
      expect(answers.faults(init.method!, path, response.status, response.headers, text)).toEqual([]);
    return new Response(text, { status: response.status, headers: response.headers });
  });
  /** Makes a call and checks its status. */
  const call = async (status: number, line: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await client.ask(line, body, headers);
    if (answer.status !== status) throw new Error(`${line}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  return { sandbox, client, call, url, port };
}

async function withdraw(client: Client): Promise<string> {
  const account = { bank_code: "058", account_number: "0123456789", account_name: "Ada" };
  const { json } = await client.ask("POST /api/v1/payouts/destinations", {
    type: "bank_account",
    currency: "NGN",
    ...account,
  });
  const order = { destination_id: json.destination_id, amount: "50000.00", currency: "NGN" };
  return (await client.ask("POST /api/v1/payouts/withdrawals", order)).json.withdrawal_id;
}

it("responses about namespaces and receivers match the document", async () => {
  const { call } = await open();
  const ann = { name: "ann", seed: "s", clock: "60x", start_time: "2026-01-01", api_key: "sk_test_ann" };
  await call(200, "POST /_sandbox/namespaces", {
    ...ann,
    webhook_secret: "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=",
    webhooks: [{ mailbox: "box", signature: "stripe", secret: "s", events: ["charge.*"] }],
  });
  await call(409, "POST /_sandbox/namespaces", ann);
  await call(409, "POST /_sandbox/namespaces", { api_key: ann.api_key });
  await call(409, "PUT /_sandbox/namespaces/bob", { api_key: ann.api_key });
  expect(await call(200, "GET /_sandbox/namespaces")).toMatchObject({ total: 2 });
  expect(await call(200, "GET /_sandbox/namespaces/ann")).toMatchObject({ clock: { mode: "60x" } });
  await call(403, "DELETE /_sandbox/namespaces/default");
});

it("responses about the clock match the document", async () => {
  const { call, client } = await open({ scenario: "success" });
  await client.pay();
  expect((await call(200, "POST /_sandbox/clock/advance", { until: "next" })).fired_total).toBe(1);
  expect((await call(200, "POST /_sandbox/clock/advance", { by: "1h" })).fired.length).toBeGreaterThan(1);
  await call(400, "POST /_sandbox/clock/advance", { to: START });
  await call(400, "PUT /_sandbox/clock", { now: START });
  expect(await call(200, "PUT /_sandbox/clock", { speed: 1.5 })).toMatchObject({ mode: "1.5x" });
  expect(await call(200, "PUT /_sandbox/clock", { mode: "real" })).toMatchObject({ mode: "real" });
  expect(await call(200, "PUT /_sandbox/clock", { mode: "manual" })).toMatchObject({ speed: 1 });
});

it("responses during an advance match the document", async () => {
  await using receiver = await Receiver.open(hold);
  const { call, client } = await open({ webhooks: [receiver.url] });
  const dump = await call(200, "GET /_sandbox/state");
  await call(200, "POST /_sandbox/snapshots", { name: "before" });
  await client.pay();
  const advancing = call(200, "POST /_sandbox/clock/advance", { by: "1m" });
  await receiver.arrived(1);
  expect(await call(200, "GET /_sandbox/clock")).toMatchObject({ advancing: true });
  const busy: [string, unknown][] = [
    ["POST /_sandbox/clock/advance", { by: "1s" }],
    ["PUT /_sandbox/clock", { mode: "real" }],
    ["POST /_sandbox/snapshots/before/restore", undefined],
    ["PUT /_sandbox/state", dump],
    ["POST /_sandbox/reset", undefined],
  ];
  for (const [line, body] of busy) {
    expect((await call(409, line, body)).error.code).toBe("CLOCK_BUSY");
    expect((await call(409, `${line}?wait=1ms`, body)).error.code).toBe("CLOCK_BUSY");
  }
  const waiting = call(200, "POST /_sandbox/reset?wait=10s");
  receiver.handler = (received) => received.answer();
  for (const one of receiver.received) one.answer();
  await advancing;
  expect(await waiting).toMatchObject({ counts: { charges: 0 } });
});

it("responses about charges, withdrawals and balances match the document", async () => {
  await using receiver = await Receiver.open();
  const { call, client } = await open({ scenario: "success", webhooks: [receiver.url] });
  const id = await client.pay({ metadata: { order_id: "7" } });
  const at = `/_sandbox/charges/${id}`;
  await call(200, `POST ${at}/advance`, { until: "PROCESSING" });
  await call(409, `POST ${at}/advance`, { until: "FAILED" });
  await call(200, `POST ${at}/transition`, { to: "COMPLETED", reason: "r" });
  await call(409, `POST ${at}/transition`, { to: "FAILED" });
  expect((await call(200, "GET /_sandbox/balances")).items).toMatchObject([{ currency: "NGN" }]);
  const funded = { currency: "KES", amount: "5000", mode: "live" };
  expect((await call(200, "POST /_sandbox/balances", funded)).available_balance).toBe("5000.00");
  await call(200, `POST ${at}/partial-refund`, { amount: "1.00", reason: "r" });
  await call(200, `POST ${at}/refund`, { reason: "r" });
  await call(409, `POST ${at}/partial-refund`, { amount: "1.00" });
  await call(409, `POST ${at}/refund`);
  await call(200, "POST /_sandbox/clock/advance", { by: "1s" });
  const { items, status } = await call(200, `GET ${at}/timeline`);
  expect(status).toBe("REFUNDED");
  expect(new Set(items.map(({ kind }: { kind: string }) => kind))).toEqual(
    new Set(["request", "transition", "ledger", "event", "attempt"]),
  );

  const rich = await client.pay({ amount: "100000.00" });
  await call(200, `POST /_sandbox/charges/${rich}/transition`, { to: "COMPLETED" });
  const withdrawal = `/_sandbox/withdrawals/${await withdraw(client)}/transition`;
  expect((await call(200, "GET /_sandbox/withdrawals?status=PENDING&limit=1")).total).toBe(1);
  await call(200, `GET ${withdrawal.replace("/transition", "")}`);
  for (const [line, body] of [["refund"], ["transition", { to: "REFUNDED" }]] as const) {
    const { error } = await call(409, `POST /_sandbox/charges/${rich}/${line}`, body);
    expect(error.code).toBe("INSUFFICIENT_BALANCE");
  }
  await call(200, `POST ${withdrawal}`, { to: "PROCESSING" });
  await call(200, `POST ${withdrawal}`, { to: "FAILED", reason: "account_closed" });
  await call(409, `POST ${withdrawal}`, { to: "COMPLETED" });
  const arrived = `/_sandbox/withdrawals/${await withdraw(client)}`;
  await call(409, `POST ${arrived}/bounce`);
  for (const to of ["PROCESSING", "COMPLETED"]) await call(200, `POST ${arrived}/transition`, { to });
  await call(200, `POST ${arrived}/bounce`, { reason: "r" });
  const another = await client.pay({ amount: "1.00" });
  await call(200, `POST /_sandbox/charges/${another}/transition`, { to: "COMPLETED" });
  for (const status of [200, 409]) await call(status, `POST /_sandbox/charges/${another}/chargeback`);

  const cart = { pricing: { base_currency: "KES", amount: "500.00" }, customer_email: "ada@shop.test" };
  const checkout = async () => (await client.ask("POST /api/v1/payments/checkouts", cart)).json.checkout_id;
  const [paid, cancelled] = [await checkout(), await checkout()];
  const choice = { payment_method: "mobile_money", currency: "KES", phone_number: "+254700000001" };
  await call(200, "GET /_sandbox/charges");
  await call(200, `POST /_sandbox/checkouts/${paid}/pay`, choice);
  await call(409, `POST /_sandbox/checkouts/${paid}/pay`, choice);
  await call(200, `POST /_sandbox/checkouts/${cancelled}/cancel`);
  await call(409, `POST /_sandbox/checkouts/${cancelled}/cancel`);

  expect((await call(200, "GET /_sandbox/rates")).rates.NGN).toBe("1550");
  expect((await call(200, "PUT /_sandbox/rates", { NGN: "1600" })).rates.NGN).toBe("1600");
  expect((await call(200, "PUT /_sandbox/rates", { rates: { NGN: "1.5" } })).rates.NGN).toBe("1.5");
});

it("responses about charges in local currency and crypto match the document", async () => {
  const { call, client } = await open();
  await call(200, "PUT /_sandbox/scenarios/twice", {
    charges: [
      {
        timeline: [
          { after: "1s", to: "COMPLETED" },
          { after: "1s", to: "FAILED", reason: "late" },
        ],
      },
    ],
  });
  const id = await client.pay({ scenario: "twice" });
  await call(200, "POST /_sandbox/clock/advance", { by: "1m" });
  const { sandbox } = await call(200, `GET /_sandbox/charges/${id}`);
  expect(sandbox.notes).toHaveLength(1);
  const { items } = await call(200, `GET /_sandbox/charges/${id}/timeline`);
  expect(items.map(({ kind }: { kind: string }) => kind)).toContain("note");
  const pricing = { base_currency: "USD", amount: "25.00" };
  const asked = { pricing, payment_method: "crypto", to_currency: "USDT_TRC20" };
  const quote = await client.ask("POST /api/v1/payments/quotes", asked);
  await client.ask("POST /api/v1/payments/whitelabel", {
    pricing,
    payment_method: "crypto",
    customer_email: "ada@shop.test",
    quote_id: quote.json.quote_id,
  });
  await call(200, "GET /_sandbox/charges");
});

it("responses about scenarios, runs and faults match the document", async () => {
  const { call, client } = await open();
  const rules = {
    description: "All that a scenario may have.",
    charges: [
      {
        match: { customer_email: ["a*", "b*"], amount: { gte: "1", lt: "2" }, metadata: { plan: "gold" } },
        timeline: [
          { after: "1s", to: "FAILED", reason: "declined" },
          { after_expiry: "1m", to: "COMPLETED" },
        ],
      },
    ],
    withdrawals: [{ match: { type: "crypto_wallet" }, timeline: [{ after: "1s", to: "CANCELLED" }] }],
    webhooks: [{ match: { type: "charge.*" }, copies: 2, delay: "1s", stale: "10m", fail_first: 1 }],
    faults: [{ match: { path: "/api/*" }, delay: "1ms", times: 1, skip: 1, probability: 0.5 }],
  };
  expect(await call(200, "PUT /_sandbox/scenarios/all", rules)).toMatchObject({ name: "all", ...rules });
  expect(await call(200, "GET /_sandbox/scenarios/all")).toMatchObject({ active: false });
  expect(await call(200, "POST /_sandbox/scenarios/all/activate")).toMatchObject({ active: true });
  expect((await call(200, "GET /_sandbox/scenarios?limit=100")).items[0]).toMatchObject({ name: "all" });
  await call(400, "POST /_sandbox/scenarios/all/run");

  const step = (currency: string) => ({
    request: "POST /api/v1/payments/quotes",
    body: { pricing: { base_currency: "KES", amount: `$\{amount}` }, payment_method: "mobile_money" },
    expect: { status: 200, body: { currency } },
  });
  const steps = [{ name: "Quote", ...step("KES") }, step("USD"), { advance: "1s" }];
  await call(200, "PUT /_sandbox/scenarios/flow", { vars: { amount: "5.00" }, steps: steps.slice(0, 1) });
  expect(await call(200, "POST /_sandbox/scenarios/flow/run")).toMatchObject({ outcome: "passed" });
  await call(200, "PUT /_sandbox/scenarios/flow", { vars: { amount: "5.00" }, steps });
  const failed = await call(200, "POST /_sandbox/scenarios/flow/run", { vars: { amount: "6.00" } });
  const outcomes = failed.steps.map(({ outcome }: { outcome: string }) => outcome);
  expect(outcomes).toEqual(["passed", "failed", "not_run"]);
  const near = { expect_charge: { customer_email: "ben@shop.test" } };
  await client.pay();
  await call(200, "PUT /_sandbox/scenarios/near", { steps: [near] });
  expect((await call(200, "POST /_sandbox/scenarios/near/run")).steps[0].failure).toBeDefined();
  await call(200, "PUT /_sandbox/scenarios/app", { steps: [{ app: "GET /" }] });
  expect(await call(200, "POST /_sandbox/scenarios/app/run")).toMatchObject({ outcome: "error" });

  const respond = { status: 503, code: "DOWN", message: "m", details: { a: "b" }, headers: { "x-a": "b" } };
  const { fault_id } = await call(200, "POST /_sandbox/faults", { respond, match: { method: "GET" } });
  await call(200, "POST /_sandbox/faults", { drop: "after", times: 1 });
  expect(await call(200, "GET /_sandbox/faults")).toMatchObject({ total: 2 });
  expect(await call(200, `GET /_sandbox/faults/${fault_id}`)).toMatchObject({ fault_id, respond });
  expect(await call(200, `DELETE /_sandbox/faults/${fault_id}`)).toEqual({ removed: 1 });
  await call(404, `GET /_sandbox/faults/${fault_id}`);
});

it("responses about events, deliveries and mailboxes match the document", async () => {
  await using receiver = await Receiver.open(refuseWith(500));
  const { call, client } = await open({ webhooks: [receiver.url, { mailbox: "box" }] });
  const id = await client.pay();
  await call(200, "POST /_sandbox/clock/advance", { by: "1s" });
  expect((await call(200, `GET /_sandbox/events?charge_id=${id}&type=charge.*&mode=test`)).total).toBe(1);
  const failing = (await call(200, `GET /_sandbox/deliveries?status=pending&charge_id=${id}`)).items.find(
    ({ url }: { url: string | null }) => url !== null,
  );
  expect(failing.attempts).toHaveLength(1);
  await call(200, `GET /_sandbox/deliveries/${failing.delivery_id}`);
  await call(200, `POST /_sandbox/deliveries/${failing.delivery_id}/retry`);
  await call(200, "POST /_sandbox/wait", { for: "delivery", match: { attempts: [{}, {}] } });
  receiver.handler = (received) => received.answer();
  await call(200, `POST /_sandbox/deliveries/${failing.delivery_id}/redeliver`, { times: 2 });
  const twice = { for: "delivery", match: { status: "delivered" }, count: 2 };
  const arrived = await call(200, "POST /_sandbox/wait", twice);
  await call(409, `POST /_sandbox/deliveries/${arrived.delivery_id}/retry`);

  await call(200, "POST /_sandbox/events", { type: "webhook.test", data: { hello: "app" }, mode: "live" });
  await call(200, "POST /_sandbox/events", { type: "charge.completed", charge_id: id });
  await call(404, "POST /_sandbox/events", { type: "charge.completed", charge_id: "none" });
  await call(200, "POST /_sandbox/events", { type: "webhook.test" });
  const taken = await call(200, "POST /_sandbox/mailboxes/box/take", { max: 2 });
  expect(taken.total).toBe(2);
  const [first, second] = taken.items;
  await call(200, `POST /_sandbox/mailboxes/box/${first.delivery_id}/ack`, { status: 200, body: "ok" });
  await call(404, `POST /_sandbox/mailboxes/box/${first.delivery_id}/ack`, { status: 200 });
  await call(200, `POST /_sandbox/mailboxes/box/${second.delivery_id}/ack`, { status: 503 });

  const custom = { header: "X-Sig", algorithm: "sha512", encoding: "hex", prefix: "v=", payload: "body" };
  const { webhook_id } = await call(200, "POST /_sandbox/webhook-endpoints", {
    url: "localhost:9/hooks",
    signature: custom,
    organization_id: "org_sandbox",
    unreachable: "fail",
  });
  await call(200, "POST /_sandbox/webhook-endpoints", { mailbox: "other", signature: "none" });
  await call(400, "POST /_sandbox/webhook-endpoints", { url: "localhost:9", mailbox: "both" });
  const at = `/_sandbox/webhook-endpoints/${webhook_id}`;
  await call(200, `GET ${at}`);
  expect((await call(200, "GET /_sandbox/webhook-endpoints")).total).toBe(4);
  await call(200, "GET /_sandbox/deliveries");
});

it("responses about failed deliveries match the document", async () => {
  const { call, client } = await open({ webhooks: [{ mailbox: "box" }] });
  await call(200, "PUT /_sandbox/scenarios/spoilt", {
    webhooks: [{ bad_signature: true, stale: "10m", fail_first: 1 }],
  });
  await call(200, "POST /_sandbox/scenarios/spoilt/activate");
  await client.pay();
  await call(200, "POST /_sandbox/clock/advance", { by: "1s" });
  const { items } = await call(200, "GET /_sandbox/deliveries");
  expect(items[0].mishap).toMatchObject({ scenario: "spoilt", stale_ms: 600_000 });
  await client.pay({ amount: "100000.00" });
  await call(200, "POST /_sandbox/clock/advance", { by: "1s" });
  const withdrawal_id = await withdraw(client);
  const { items: events } = await call(200, "GET /_sandbox/events?type=withdrawal.*");
  expect(events[0]).toMatchObject({ withdrawal_id });
  await call(200, "GET /_sandbox/deliveries?type=withdrawal.*");
});

it("responses about app requests and waits match the document", async () => {
  const { call, client } = await open({ scenario: "stuck" });
  const id = await client.pay({ metadata: { order_id: "7" } });
  for (let read = 0; read < 2; read++) await client.ask("GET /api/v1/accounts/balances?a=b");
  await client.ask("POST /api/v1/payments/quotes", { payment_method: 1 });
  await fetch(`${(await open()).url}/api/v1/payments/quotes`, { method: "POST", body: "no JSON" });
  const { total } = await call(200, "GET /_sandbox/requests?status=4xx&operation=create*&method=post");
  expect(total).toBe(1);
  expect((await call(200, "GET /_sandbox/requests?since=1&path=/api/*&limit=1")).items).toHaveLength(1);
  expect((await call(200, "GET /_sandbox/coverage")).operations.met).toMatchObject({ getBalances: 2 });
  expect((await call(200, "GET /_sandbox/advice")).total).toBe(2);
  const charges = (await call(200, "GET /_sandbox/next")).items as { kind: string; id: string }[];
  expect(charges).toContainEqual(expect.objectContaining({ id }));
  const match = { charge_id: id };
  expect(await call(200, "POST /_sandbox/wait", { for: "charge", match })).toMatchObject(match);
  await call(200, "POST /_sandbox/wait", { for: "request", match: { operation: "createQuote" } });
  const never = { for: "charge", match: { status: "COMPLETED" }, timeout: "1ms" };
  const late = await call(408, "POST /_sandbox/wait", never);
  expect(late.error).toMatchObject({ code: "WAIT_TIMEOUT", details: { [id]: expect.any(String) } });
  expect(await call(200, "DELETE /_sandbox/requests")).toEqual({ total: 0, items: [] });
});

it("the response to too many waits matches the document", async () => {
  const { sandbox, call } = await open();
  const leaving = Array.from({ length: 1_000 }, () => new AbortController());
  const body = JSON.stringify({ for: "charge", timeout: "10m" });
  const waiting = leaving.map(({ signal }) =>
    sandbox.fetch("/_sandbox/wait", { method: "POST", body, signal }),
  );
  await call(429, "POST /_sandbox/wait", { for: "charge" });
  for (const one of leaving) one.abort();
  await Promise.all(waiting);
});

it("responses about reconciliation and leases match the document", async () => {
  const { client, call } = await open();
  const charge_id = await client.pay();
  await call(200, "POST /_sandbox/reconcile", { rows: [{ charge_id, status: "pending" }] });
  const [one, other] = [{ "sandbox-run": "one" }, { "sandbox-run": "other" }];
  await call(200, "POST /_sandbox/lease", {}, one);
  await call(409, "POST /_sandbox/lease", {}, other);
  await call(404, "POST /_sandbox/lease", { hold: true }, other);
  await call(404, "DELETE /_sandbox/lease", undefined, other);
  const held = call(200, "POST /_sandbox/lease", { hold: true }, one);
  await call(200, "DELETE /_sandbox/lease", undefined, one);
  expect(await held).toMatchObject({ held: false });
});

it("each message of the live stream matches its schema", async () => {
  await using receiver = await Receiver.open();
  const { url, client, call } = await open({ webhooks: [receiver.url] });
  const response = await fetch(`${url}/_sandbox/stream`);
  const messages: [string, unknown][] = [];
  const reading = (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = parts.pop()!;
      for (const part of parts) {
        const [event, data] = part.split("\n");
        messages.push([event!.replace("event: ", ""), JSON.parse(data!.replace("data: ", ""))]);
      }
      if (messages.some(([, data]) => (data as { status?: string }).status === "delivered")) return;
    }
  })();
  await client.pay();
  await call(200, "PUT /_sandbox/clock", { mode: "60x" });
  await reading;
  expect(answers.faults("GET", "/_sandbox/stream", response.status, response.headers, "")).toEqual([]);
  expect(new Set(messages.map(([event]) => event))).toEqual(
    new Set(Object.keys(STREAM_SCHEMAS).filter((name) => !["missed", "news"].includes(name))),
  );
  for (const [event, data] of messages)
    expect(answers.schemaFaults(schemaNameOf(STREAM_SCHEMAS[event as "hello"]), data), event).toEqual([]);
});

it("a redirect has the header with the sandbox time", async () => {
  const sandbox = await openSandbox({ host: "0.0.0.0", controlToken: "let-me-in" });
  const { port } = await sandbox.listen({ port: 0 });
  const led = async (path: string) => {
    const headers = { accept: "text/html" };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", headers });
    return [answer.status, answer.headers.get("location"), answer.headers.get("sandbox-now")];
  };
  expect(await led("/")).toEqual([302, "/_sandbox/dashboard", START]);
  expect(await led("/_sandbox/dashboard?token=let-me-in")).toEqual([303, "/_sandbox/dashboard", START]);
});

it("every documented conflict occurred in this file", () => {
  const promised = answers.operations.flatMap(({ id, responses }) =>
    ["408", "409", "429"].filter((status) => status in responses).map((status) => `${id} ${status}`),
  );
  expect(promised.length).toBeGreaterThan(15);
  const unseen = promised.filter((one) => !answers.seen.has(one));
  expect(unseen, "no test above gets these responses: call them in this file").toEqual([]);
});

const headers = new Headers({
  "content-type": "application/json",
  "sandbox-now": START,
  "x-content-type-options": "nosniff",
});
const clock = { mode: "manual", speed: 1, now: START, next_due: null, advancing: false };
const faults = (body: object, status = 200) =>
  answers.faults("GET", "/_sandbox/clock", status, headers, JSON.stringify(body));

it("the response check accepts a documented response", () => expect(faults(clock)).toEqual([]));

it.each([
  ["an undocumented field", { ...clock, wall: START }],
  ["a missing field", { ...clock, now: undefined }],
  ["an invalid time", { ...clock, now: "soon" }],
  ["an unknown mode", { ...clock, mode: "scaled" }],
])("the response check finds %s", (_what, body) => expect(faults(body)).not.toEqual([]));

it("the response check finds an undocumented status, code, header and call", () => {
  expect(faults({}, 418)).toEqual(["the document has no answer 418 of getClock"]);
  expect(faults({ error: { code: "NOT_FOUND", message: "m" } }, 404)).toEqual([]);
  expect(faults({ error: { code: "CLOCK_BUSY", message: "m" } }, 404)).not.toEqual([]);
  expect(faults({ error: { code: "NOT_FOUND", message: "m", hint: "h" } }, 404)).not.toEqual([]);
  const bare = new Headers({ "content-type": "application/json" });
  expect(answers.faults("GET", "/_sandbox/clock", 200, bare, JSON.stringify(clock))).toEqual([
    "getClock 200: there is no header Sandbox-Now",
    "getClock 200: there is no header X-Content-Type-Options",
  ]);
  expect(answers.faults("GET", "/_sandbox/nothing", 200, headers, "{}")).toEqual([
    "the document has no GET /_sandbox/nothing",
  ]);
});

it("the response check finds an undocumented field in a list or union", () => {
  const list = (item: object) => ({ total: 1, items: [item] });
  expect(answers.schemaFaults("SnapshotList", list({ name: "a", at: START }))).toEqual([]);
  expect(answers.schemaFaults("SnapshotList", list({ name: "a", at: START, size: 1 }))).not.toEqual([]);
  expect(answers.schemaFaults("WaitResult", { idle: true, now: START })).toEqual([]);
  expect(answers.schemaFaults("WaitResult", { idle: true, now: START, for: "idle" })).not.toEqual([]);
  const note = { kind: "note", at: START, note: "n" };
  expect(answers.schemaFaults("Happening", note)).toEqual([]);
  expect(answers.schemaFaults("Happening", { ...note, by: "me" })).not.toEqual([]);
});
