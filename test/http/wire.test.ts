// biome-ignore-all lint/suspicious/noExplicitAny: responses in another form have no type.
import { beforeAll, expect, it } from "vitest";
import type { SandboxOptions } from "../../src/library/library-options.js";
import { KES_ORDER, okBody, openApi, START } from "../support/api-client.js";
import { documented } from "../support/documented.js";
import { Receiver } from "../support/receiver-server.js";

beforeAll(() => {
  documented.isChecked = false;
});

type Wire = NonNullable<SandboxOptions["wire"]>;
const wired = (...wire: Wire) => openApi({ wire });
const json = (text: string) => JSON.parse(text) as Record<string, any>;

it("`rename`, `drop`, `add` and `values` change one operation and leave the others", async () => {
  const api = await wired({
    operation: "getCharge",
    rename: { charge_id: "id", "fees.total_fee": "total" },
    drop: ["payment_provider", "status_history.at"],
    add: { livemode: false, "fees.currency": "KES" },
    values: { status: { PENDING: "pending" }, payment_provider: { null: "hidden" } },
  });
  const { charge_id } = await api.pay();
  const charge = json((await api.get(`/api/v1/payments/charges/${charge_id}`)).text);
  expect(charge).toMatchObject({
    id: charge_id,
    status: "pending",
    livemode: false,
    fees: { total: "12.50", currency: "KES" },
    status_history: [{ status: "PENDING" }],
  });
  for (const name of ["charge_id", "payment_provider"]) expect(charge).not.toHaveProperty(name);
  expect(charge.status_history[0]).not.toHaveProperty("at");
  const payin = json((await api.get(`/api/v1/payments/payins/${charge_id}`)).text);
  expect(payin).toMatchObject({ charge_id, status: "PENDING", payment_provider: null });
});

it("a path goes through the items of a list, and a field keeps its path while its list is renamed", async () => {
  const api = await wired({ operation: "listPayins", rename: { items: "data", "items.charge_id": "id" } });
  expect(json((await api.get("/api/v1/payments/payins")).text)).toEqual({ total: 0, data: [] });
  const { charge_id } = await api.pay();
  expect(json((await api.get("/api/v1/payments/payins")).text)).toMatchObject({ data: [{ id: charge_id }] });
});

it("`status` changes the status of the responses that have it", async () => {
  const api = await wired(
    { operation: "create*", status: { "200": 201 } },
    { operation: "*", status: { "405": 404 } },
  );
  expect((await api.post("/api/v1/payments/quotes", KES_ORDER)).status).toBe(201);
  expect((await api.post("/api/v1/payments/quotes", {})).status).toBe(400);
  expect((await api.get("/api/v1/accounts/balances")).status).toBe(200);
  expect((await api.send("DELETE", "/api/v1/accounts/balances")).status).toBe(404);
});

it.each([
  ["without_ms", START.replace(".000Z", "Z")],
  ["with_offset", START.replace("Z", "+00:00")],
  ["unix", Date.parse(START) / 1_000],
  ["unix_ms", Date.parse(START)],
] as const)("`times: %s` changes all times but those in metadata", async (times, expected) => {
  const api = await wired({ operation: "*", times });
  const sent = await api.post<any>("/api/v1/payments/checkouts", {
    pricing: KES_ORDER.pricing,
    metadata: { at: START },
  });
  expect(sent.body).toMatchObject({ created_at: expected, metadata: { at: START } });
  const list = await api.get<any>("/api/v1/payments/payins");
  expect(list.body.items[0].created_at).toBe(expected);
});

it("`nulls: absent` leaves out all that is null but metadata", async () => {
  const api = await wired({ operation: "*", nulls: "absent" });
  const { charge_id } = (
    await api.post<any>("/api/v1/payments/checkouts", { pricing: KES_ORDER.pricing, metadata: { a: "null" } })
  ).body;
  const charge = await api.get<any>(`/api/v1/payments/charges/${charge_id}`);
  expect(charge.body).toMatchObject({ status: "PENDING", metadata: { a: "null" } });
  expect(Object.values(charge.body)).not.toContain(null);
  expect(charge.body).not.toHaveProperty("settled_at");
});

it("`numbers` writes every digit of an amount", async () => {
  const amount = "123456789012345678901234567890.10";
  const api = await wired(
    { operation: "createQuote", numbers: ["base_amount", "fees.total_fee"], times: "without_ms" },
    { operation: "*", drop: ["fees.fee_breakdown"] },
  );
  const { text } = await api.post("/api/v1/payments/quotes", {
    ...KES_ORDER,
    pricing: { base_currency: "KES", amount },
  });
  expect(text).toContain(`"base_amount":${amount},`);
  expect(text).toMatch(/"total_fee":\d+\.\d\d[,}]/);
});

it("a rule for an error changes the error, and `add` leaves errors alone", async () => {
  const api = await wired({
    operation: "createQuote",
    rename: { "error.message": "text" },
    drop: ["error.details"],
    add: { ok: true },
  });
  expect(json((await api.post("/api/v1/payments/quotes", {})).text)).toEqual({
    error: { code: "VALIDATION_ERROR", text: "Invalid request parameters" },
  });
  expect((await api.post("/api/v1/payments/quotes", KES_ORDER)).body).toMatchObject({ ok: true });
});

it("a webhook is signed in the form in which it is sent", async () => {
  const receiver = await Receiver.open();
  const api = await openApi({
    webhooks: [receiver.url],
    wire: [
      { event: "*", rename: { type: "event" }, drop: ["data.metadata"], times: "without_ms" },
      { event: "charge.completed", numbers: ["data.amount"] },
    ],
  });
  await api.pay();
  await api.advance({ by: "10s" });
  const bodies = receiver.received.map((one) => one.verify() as Record<string, any>);
  expect(bodies.map(({ event }) => event)).toEqual([
    "charge.awaiting_payment",
    "charge.processing",
    "charge.completed",
  ]);
  expect(bodies.map(({ data }) => data.amount)).toEqual(["512.50", "512.50", 512.5]);
  for (const { timestamp, data } of bodies) {
    expect(timestamp).toMatch(/:\d\dZ$/);
    expect(data).not.toHaveProperty("metadata");
  }
});

it("the request log shows responses as they were sent, with the charge's id", async () => {
  const api = await wired({
    operation: "createWhitelabel",
    rename: { charge_id: "id" },
    status: { "200": 202 },
  });
  const quote = okBody<{ quote_id: string }>(await api.post("/api/v1/payments/quotes", KES_ORDER));
  const sent = await api.post<{ id: string }>("/api/v1/payments/whitelabel", { ...KES_ORDER, ...quote });
  const { items } = okBody<{ items: any[] }>(await api.get("/_sandbox/requests?operation=createWhitelabel"));
  expect(items[0]).toMatchObject({ status: 202, response_body: { id: sent.body.id } });
  const story = okBody<any>(await api.get(`/_sandbox/charges/${sent.body.id}/timeline`));
  expect(JSON.stringify(story)).toContain("createWhitelabel");
});

it("a fault's response has the form too", async () => {
  const api = await wired({ operation: "getBalances", status: { "503": 500 } });
  okBody(
    await api.post("/_sandbox/faults", { match: { operation: "getBalances" }, respond: { status: 503 } }),
  );
  expect((await api.get("/api/v1/accounts/balances")).status).toBe(500);
});

it.each([
  [[{ rename: { a: "b" } }], "needs an operation or an event"],
  [[{ operation: "getCharg", drop: ["a"] }], "did you mean getCharge?"],
  [[{ event: "charge.complete", drop: ["a"] }], "did you mean charge.completed?"],
  [[{ operation: "*" }], "needs one of rename, drop"],
  [[{ event: "*", status: { 200: 201 } }], "is of operations only"],
  [[{ operation: "*", status: { 200: 204 } }], "must be a status with a body"],
  [[{ operation: "*", rename: { "a.b": "c.d" } }], "without dots"],
])("the rules %j are refused at the start", async (wire, message) => {
  await expect(openApi({ wire: wire as never })).rejects.toThrow(message);
});
