import { expect } from "vitest";
import { expectError, later, okBody, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";

it("GET /_sandbox/charges lists charges of both modes, newest first", async ({ client }) => {
  const first = await client.pay();
  const live = await client.pay({ key: "sk_live_sandbox" });
  const { json } = await client.ask("GET /_sandbox/charges");
  expect(json.total).toBe(2);
  expect(json.items.map((one: { charge_id: string }) => one.charge_id)).toEqual([live, first]);
  expect(json.items[1]).toMatchObject({
    mode: "test",
    kind: "whitelabel",
    status: "PENDING",
    sandbox: { scenario: "default", scenario_asked: null, notes: [] },
  });
  expect(json.items[1].sandbox.timeline.map((entry: { to: string }) => entry.to)).toEqual([
    "AWAITING_PAYMENT",
    "PROCESSING",
    "COMPLETED",
  ]);
});

it("GET /_sandbox/charges filters by how a completed charge was last taken back", async ({
  shop: { client, sandbox },
}) => {
  const [part, back, both, _kept] = [
    await client.pay(),
    await client.pay(),
    await client.pay(),
    await client.pay(),
  ];
  await sandbox.advance("10d");
  for (const id of [part, both])
    await client.ask(`POST /_sandbox/charges/${id}/partial-refund`, { amount: "1.00" });
  for (const id of [back, both]) await client.ask(`POST /_sandbox/charges/${id}/chargeback`, {});
  const ids = async (status: string) => {
    const { json } = await client.ask(`GET /_sandbox/charges?status=${status}`);
    expect(json.total).toBe(json.items.length);
    return json.items.map((one: { charge_id: string }) => one.charge_id);
  };
  expect(await ids("PARTLY_REFUNDED")).toEqual([part]);
  expect(await ids("CHARGED_BACK")).toEqual([both, back]);
  expect(await ids("COMPLETED")).toHaveLength(4);
  await client.ask(`POST /_sandbox/charges/${part}/transition`, { to: "REFUNDED" });
  expect(await ids("PARTLY_REFUNDED")).toEqual([]);
});

it("GET /_sandbox/charges filters by customer, status, metadata and mode", async ({ client }) => {
  const ada = await client.pay({ email: "ada@shop.test", metadata: { plan: "gold", "a.b": "c d" } });
  const bob = await client.pay({ email: "bob+x@shop.test", metadata: { plan: "lead" } });
  const live = await client.pay({ email: "ada@shop.test", key: "sk_live_sandbox" });
  await client.ask(`POST /_sandbox/charges/${bob}/transition`, { to: "FAILED" });
  const ids = async (query: string) => {
    const { json } = await client.ask(`GET /_sandbox/charges?${query}`);
    expect(json.total).toBe(json.items.length);
    return json.items.map((one: { charge_id: string }) => one.charge_id);
  };
  expect(await ids("customer_email=ada@shop.test")).toEqual([live, ada]);
  expect(await ids("customer_email=bob%2Bx@shop.test")).toEqual([bob]);
  expect(await ids("status=FAILED")).toEqual([bob]);
  expect(await ids("status=PENDING")).toEqual([live, ada]);
  expect(await ids("metadata.plan=gold")).toEqual([ada]);
  expect(await ids("metadata.plan=gold&metadata.a.b=c%20d")).toEqual([ada]);
  expect(await ids("metadata.plan=gold&metadata.other=1")).toEqual([]);
  expect(await ids("metadata.constructor=1")).toEqual([]);
  expect(await ids("mode=live")).toEqual([live]);
  expect(await ids("mode=test&customer_email=ada@shop.test&status=PENDING")).toEqual([ada]);
});

it("GET /_sandbox/charges pages with limit and offset", async ({ client }) => {
  const ids: string[] = [];
  for (let n = 0; n < 5; n++)
    ids.unshift(await client.pay({ email: n === 2 ? "bob@shop.test" : "ada@shop.test" }));
  const page = async (query: string) => (await client.ask(`GET /_sandbox/charges?${query}`)).json;
  const second = await page("limit=2&offset=2");
  expect(second.items.map((one: { charge_id: string }) => one.charge_id)).toEqual(ids.slice(2, 4));
  expect(second.total).toBe(5);
  expect(await page("limit=1&customer_email=ada@shop.test")).toMatchObject({
    total: 4,
    items: [{ charge_id: ids[0] }],
  });
  expect(await page("offset=9")).toEqual({ total: 5, items: [] });
});

it("GET /_sandbox/charges returns a charge of any organization", async ({ api }) => {
  const { charge_id } = await api.pay();
  expect((await api.as("sk_test_other").get(`/_sandbox/charges/${charge_id}`)).status).toBe(200);
  expectError(await api.get("/_sandbox/charges/ch_nobody"), 404, "NOT_FOUND");
});

it("POST /_sandbox/charges/{id}/transition ends the timeline", async ({ api }) => {
  const late = { metadata: { sandbox_scenario: "paid_late" } };
  const [moved, left] = [await api.pay(late), await api.pay(late)];
  okBody(await api.transition(moved.charge_id, { to: "AWAITING_PAYMENT" }));
  const ahead = await api.post(`/_sandbox/charges/${moved.charge_id}/advance`, { until: "COMPLETED" });
  expectError(ahead, 409, "INVALID_TRANSITION");
  await api.advance({ by: "1d" });
  const history = async (id: string) => (await api.charge(id)).status_history.map((one) => one.status);
  expect(await history(moved.charge_id)).toEqual(["PENDING", "AWAITING_PAYMENT", "EXPIRED"]);
  expect((await history(left.charge_id)).at(-1)).toBe("COMPLETED");
});

it("POST /_sandbox/charges/{id}/advance does not move the clock or other charges", async ({ api }) => {
  const mine = await api.pay();
  const other = await api.pay();
  const moved = await api.post(`/_sandbox/charges/${mine.charge_id}/advance`, { until: "PROCESSING" });
  expect(moved.body).toMatchObject({ status: "PROCESSING", updated_at: START });
  expect((await api.charge(other.charge_id)).status).toBe("PENDING");
  expect((await api.get<{ now: string }>("/_sandbox/clock")).body.now).toBe(START);
  await api.advance({ by: "10s" });
  const history = (await api.charge(mine.charge_id)).status_history.map((one) => one.status);
  expect(history).toEqual(["PENDING", "AWAITING_PAYMENT", "PROCESSING", "COMPLETED"]);
  expect((await api.charge(other.charge_id)).status).toBe("COMPLETED");
});

it("POST /_sandbox/charges/{id}/advance accepts the current status", async ({ api }) => {
  const { charge_id } = await api.pay({ customer_email: "expired@shop.test" });
  const same = await api.post(`/_sandbox/charges/${charge_id}/advance`, { until: "PENDING" });
  expect(same.body).toMatchObject({ status: "PENDING" });
  const gone = await api.post(`/_sandbox/charges/${charge_id}/advance`, { until: "EXPIRED" });
  expect(gone.body).toMatchObject({ status: "EXPIRED" });
  expect((await api.advance({ by: "10s" })).body.to).toBe(later(10));
});

it.for(["FAILED", "REFUNDED", "CANCELLED"])(
  "POST /_sandbox/charges/{id}/advance returns 409 when the timeline does not lead to %s",
  async (until, { api }) => {
    const { charge_id } = await api.pay();
    const before = await api.charge(charge_id);
    expectError(
      await api.post(`/_sandbox/charges/${charge_id}/advance`, { until }),
      409,
      "INVALID_TRANSITION",
    );
    expect(await api.charge(charge_id)).toEqual(before);
  },
);

it("POST /_sandbox/charges/{id}/advance returns 409 when the status has passed", async ({ api }) => {
  const { charge_id } = await api.pay({ customer_email: "refunded@shop.test" });
  await api.advance({ by: "10s" });
  const before = await api.charge(charge_id);
  expect(before.status).toBe("COMPLETED");
  const back = await api.post(`/_sandbox/charges/${charge_id}/advance`, { until: "PROCESSING" });
  expectError(back, 409, "INVALID_TRANSITION");
  expect(await api.charge(charge_id)).toEqual(before);
});

it("POST /_sandbox/charges/{id}/advance returns 409 when the charge completes before expiry", async ({
  api,
}) => {
  const { charge_id } = await api.pay();
  const before = await api.charge(charge_id);
  const expired = await api.post(`/_sandbox/charges/${charge_id}/advance`, { until: "EXPIRED" });
  expectError(expired, 409, "INVALID_TRANSITION");
  expect(await api.charge(charge_id)).toEqual(before);
});

it("POST /_sandbox/charges/{id}/advance runs each entry at the current time", async ({ api }) => {
  const timeline = [
    { after: "40m", to: "AWAITING_PAYMENT" },
    { after: "40m", to: "PROCESSING" },
    { after: "1s", to: "COMPLETED" },
  ];
  const scenario = { charges: [{ timeline }] };
  await api.send("PUT", "/_sandbox/scenarios/patient", JSON.stringify(scenario));
  const metadata = { sandbox_scenario: "patient" };
  const { charge_id } = await api.pay({ metadata, expires_in_minutes: 60 });
  const before = await api.charge(charge_id);
  const until = (status: string) => api.post(`/_sandbox/charges/${charge_id}/advance`, { until: status });
  expectError(await until("EXPIRED"), 409, "INVALID_TRANSITION");
  expect(await api.charge(charge_id)).toEqual(before);
  expect((await until("COMPLETED")).body).toMatchObject({ status: "COMPLETED" });
});

const planned = async (...timeline: object[]) => {
  const api = await openApi();
  await api.send("PUT", "/_sandbox/scenarios/planned", JSON.stringify({ charges: [{ timeline }] }));
  const { charge_id } = await api.pay({ metadata: { sandbox_scenario: "planned" } });
  const until = (status: string) => api.post(`/_sandbox/charges/${charge_id}/advance`, { until: status });
  const history = async () => (await api.charge(charge_id)).status_history.map(({ status }) => status);
  return { api, charge_id, until, history };
};

it("POST /_sandbox/charges/{id}/advance runs the entries after expiry", async () => {
  const { until, history } = await planned(
    { after_expiry: "5m", to: "PROCESSING" },
    { after_expiry: "10m", to: "COMPLETED" },
  );
  expect((await until("COMPLETED")).body).toMatchObject({ status: "COMPLETED" });
  expect(await history()).toEqual(["PENDING", "EXPIRED", "PROCESSING", "COMPLETED"]);
});

it("POST /_sandbox/charges/{id}/advance stops at the requested status", async () => {
  const { api, charge_id, until, history } = await planned(
    { after: "1m", to: "AWAITING_PAYMENT" },
    { after: "0s", to: "PROCESSING" },
    { after: "0s", to: "COMPLETED" },
  );
  expect((await until("PROCESSING")).body).toMatchObject({ status: "PROCESSING" });
  // The clock does not repeat entries that ran early.
  expect(await history()).toEqual(["PENDING", "AWAITING_PAYMENT", "PROCESSING", "COMPLETED"]);
  const { body } = await api.get<{ sandbox: { notes: unknown[] } }>(`/_sandbox/charges/${charge_id}`);
  expect(body.sandbox.notes).toEqual([]);
});
