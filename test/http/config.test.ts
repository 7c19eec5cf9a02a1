import { expect, it } from "vitest";
import { issueMessage, issuePath, safeParse } from "../../src/core/schema/issues.js";
import { OPERATION_IDS } from "../../src/core/schema/operation-ids.js";
import { startOptionsSchema } from "../../src/core/schema/option-table.js";
import { openSandbox } from "../../src/library/opening.js";
import type { UnresolvedOptions } from "../../src/library/options.js";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { Api, expectError, KES_ORDER, later, okBody, openApi, START } from "../support/api-client.js";
import { closedAtEnd } from "../support/lifetime.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";

/** Opens a sandbox with these keys in its config file. */
async function configured(config: UnresolvedOptions): Promise<Api> {
  const checked = safeParse(startOptionsSchema, config);
  if (!checked.ok)
    throw new Error(checked.issues.map((issue) => `${issuePath(issue)} ${issueMessage(issue)}`).join());
  return new Api(closedAtEnd(await openSandbox({ clock: "manual", start_time: START, ...config })));
}

const USD_ORDER = { pricing: { base_currency: "USD", amount: "100.00" }, payment_method: "card" };

it("configured paths replace the default paths", async () => {
  const api = await configured({
    paths: { createQuote: "/v2/quotes", getCharge: "/v2/charges/{charge_id}/full", listPayins: "/v2/payins" },
  });
  expect((await api.post("/v2/quotes", KES_ORDER)).status).toBe(200);
  expectError(await api.tryQuote(KES_ORDER), 404, "NOT_FOUND");
  expectError(await api.get("/v2/quotes"), 405, "METHOD_NOT_ALLOWED");
  expect(okBody(await api.get("/v2/payins"))).toEqual({ total: 0, items: [] });
  expectError(await api.get("/v2/charges/ch_unknown/full"), 404, "NOT_FOUND");
});

it("configured paths can move their parameters", async () => {
  const api = await configured({ paths: { getCharge: "/shop/{charge_id}/charge" } });
  const { charge_id } = await api.pay();
  const { text } = await api.get(`/shop/${charge_id}/charge`);
  expect(text).toBe((await api.get(`/api/v1/payments/payins/${charge_id}`)).text);
});

it("the path of every operation can be configured", async () => {
  const paths = Object.fromEntries(
    OPERATIONS.map(({ id, path }) => [id, `/other${path.replace(/:(\w+)/g, "{$1}")}`]),
  );
  const api = await configured({ paths });
  for (const { method, path } of OPERATIONS) {
    const answer = await api.as(null).send(method, `/other${path}`);
    expect([path, [200, 401].includes(answer.status)]).toEqual([path, true]);
    expectError(await api.send(method, path), 404, "NOT_FOUND");
  }
});

it.each([
  [{ getCharg: "/x/{charge_id}" }, "paths.getCharg", "did you mean getCharge?"],
  [{ getCharge: "/x" }, "paths.getCharge", "{charge_id}"],
  [{ getCharge: "/x/{id}" }, "paths.getCharge", "{charge_id}"],
  [{ getCharge: "/x/{charge_id}.json" }, "paths.getCharge", "{charge_id}"],
  [{ listPayins: "/x/{charge_id}" }, "paths.listPayins", "{charge_id}"],
  [{ listPayins: "/x/*" }, "paths.listPayins", "must be a path"],
  [{ listPayins: "payins" }, "paths.listPayins", "must be a path"],
])("the path configuration %j is refused at startup", async (paths, place, message) => {
  const starting = configured({ paths: paths as unknown as Record<string, string> });
  await expect(starting).rejects.toThrow(place);
  await expect(starting).rejects.toThrow(message);
});

it("OPERATION_IDS lists every operation", () => {
  expect(OPERATIONS.map(({ id }) => id)).toEqual([...OPERATION_IDS]);
});

it.each([
  [{ listPayins: "/x", getOrganization: "/x" }, ["listPayins", "getOrganization"]],
  [{ createQuote: "/api/v1/payments/whitelabel" }, ["createQuote"]],
  [{ getCharge: "/x/{charge_id}", getWithdrawal: "/x/{withdrawal_id}" }, ["getCharge", "getWithdrawal"]],
])("two operations cannot have the same path: %j", async (paths, names) => {
  const starting = configured({ paths: paths as unknown as Record<string, string> });
  for (const name of names) await expect(starting).rejects.toThrow(`paths.${name}: `);
  await expect(starting).rejects.toThrow("an operation needs a path of its own");
});

it("two operations can have the same path with different methods", async () => {
  const api = await configured({
    paths: {
      listPayins: "/x",
      createQuote: "/x",
      createWithdrawal: "/api/v1/payouts/destinations",
      createDestination: "/api/v1/payouts/withdrawals",
    },
  });
  expect((await api.post("/x", KES_ORDER)).status).toBe(200);
  expect((await api.get("/x")).status).toBe(200);
});

const event_names = { "charge.completed": "payment.successful" };

it("`event_names` rename the events that are sent", async () => {
  const receiver = await Receiver.open();
  const api = await configured({ event_names, webhooks: [{ url: receiver.url }] });
  await api.pay();
  await api.advance({ by: "10s" });
  expect(receiver.types).toEqual(["charge.awaiting_payment", "charge.processing", "payment.successful"]);
  const listed = await api.get<{ total: number }>("/_sandbox/events?type=charge.completed");
  expect(listed.body.total).toBe(1);
});

it("`event_names` match an endpoint's patterns, as the default names do", async () => {
  const [theirs, ours, neither] = [await Receiver.open(), await Receiver.open(), await Receiver.open()];
  const api = await configured({ event_names });
  for (const [{ url }, glob] of [
    [theirs, "payment.*"],
    [ours, "charge.completed"],
    [neither, "payment.failed"],
  ] as const)
    okBody(await api.post("/api/v1/webhooks", { url, events: [glob] }));
  await api.pay();
  await api.advance({ by: "10s" });
  expect([theirs, ours, neither].map((one) => one.types)).toEqual([
    ["payment.successful"],
    ["payment.successful"],
    [],
  ]);
});

it("event_names of an unknown type are refused at startup", async () => {
  await expect(configured({ event_names: { "charge.complete": "paid" } })).rejects.toThrow(
    /event_names\.charge\.complete is an unknown event type; did you mean charge\.completed\?/,
  );
});

const error_codes = {
  VALIDATION_ERROR: "invalid_request",
  UNAUTHORIZED: "bad_key",
  FORBIDDEN: "no_permission",
  NOT_FOUND: "missing",
  METHOD_NOT_ALLOWED: "wrong_method",
  PAYLOAD_TOO_LARGE: "too_large",
  RATE_LIMIT_EXCEEDED: "slow_down",
  INSUFFICIENT_BALANCE: "no_money",
};
const codeOf = ({ text }: { text: string }) => (JSON.parse(text) as { error: { code: string } }).error.code;

it("`error_codes` replace the default codes everywhere in the service", async () => {
  const api = await configured({ error_codes });
  expect(codeOf(await api.tryQuote({}))).toBe("invalid_request");
  expect(codeOf(await api.tryQuote("{broken"))).toBe("invalid_request");
  expect(codeOf(await api.as(null).tryPayins())).toBe("bad_key");
  expect(codeOf(await api.as("sk_test_readonly").tryQuote({}))).toBe("no_permission");
  expect(codeOf(await api.get("/api/v1/payments/charges/ch_unknown"))).toBe("missing");
  expect(codeOf(await api.get("/api/v1/nothing"))).toBe("missing");
  expect(codeOf(await api.send("DELETE", "/api/v1/payments/quotes"))).toBe("wrong_method");
  expect(codeOf(await api.tryQuote(`"${"x".repeat(1024 * 1024)}"`))).toBe("too_large");
});

it("`error_codes` apply to a 429 and to a fault without a code", async () => {
  const api = await configured({ error_codes, rate_limit: 1 });
  okBody(await api.tryPayins());
  expect(codeOf(await api.tryPayins())).toBe("slow_down");
  const unlimited = await configured({ error_codes });
  okBody(
    await unlimited.post("/_sandbox/faults", {
      match: { operation: "listPayins" },
      respond: { status: 403 },
    }),
  );
  expect(codeOf(await unlimited.tryPayins())).toBe("no_permission");
});

it("`error_codes` do not change the control API", async () => {
  const api = await configured({ error_codes });
  expectError(await api.get("/_sandbox/charges/ch_unknown"), 404, "NOT_FOUND");
  expectError(await api.get("/_sandbox/nothing"), 404, "NOT_FOUND");
});

it("`error_codes` with an unknown code are refused at startup", async () => {
  await expect(configured({ error_codes: { UNAUTHORISED: "x" } })).rejects.toThrow(
    /error_codes\.UNAUTHORISED.*did you mean UNAUTHORIZED\?/,
  );
});

it("fees and rates replace the default ones in prices", async () => {
  const api = await configured({
    fees: { card: { platform_percent: "5", gateway_percent: "0" }, mobile_money: { gateway_percent: "0" } },
    rates: { KES: "100" },
  });
  expect(await api.quote(USD_ORDER)).toMatchObject({
    fees: { total_fee: "5.00", fee_breakdown: { platform_fee: "5.00", gateway_fee: "0.00" } },
    amount: "105.00",
  });
  expect(await api.quote({ ...USD_ORDER, payment_method: "mobile_money", to_currency: "KES" })).toMatchObject(
    { exchange_rate: "100", settlement_amount: "10000.00", fees: { total_fee: "100.00" } },
  );
});

it.each([
  [{ fees: { ussd: { platform_percent: "1" } } }, "fees.ussd"],
  [{ rates: { EUR: "1" } }, "rates.EUR"],
])("fees and rates of unknown methods or currencies are refused: %j", async (config, message) => {
  await expect(configured(config as UnresolvedOptions)).rejects.toThrow(message);
});

it.each([
  ["base", "100.00"],
  ["cheapest", "101.50"],
  ["dearest", "103.40"],
] as const)(
  "the amount of a hosted charge is %s until the customer selects a method",
  async (before_method, amount) => {
    const api = await configured({ amounts: { before_method } });
    const pricing = { base_currency: "USD", amount: "100.00" };
    const body = { pricing, payment_methods: ["card", "bank_transfer"] };
    const made = okBody(await api.post("/api/v1/payments/checkouts", body)) as {
      charge_id: string;
      checkout_id: string;
      amount: string;
    };
    expect([made.amount, (await api.charge(made.charge_id)).amount]).toEqual([amount, amount]);
    await api.post(`/_sandbox/checkouts/${made.checkout_id}/pay`, { payment_method: "card" });
    expect((await api.charge(made.charge_id)).amount).toBe("103.40");
  },
);

it("`limits` set how long a quote and its price are valid", async () => {
  const api = await configured({ limits: { quote_valid: "5m", quote_locked: "1h" } });
  const quote = await api.quote(KES_ORDER);
  expect([quote.expires_at, quote.locked_until]).toEqual([later(300), later(3600)]);
  const body = { ...KES_ORDER, quote_id: quote.quote_id };
  await api.advance({ by: "4m59s" });
  expect((await api.tryWhitelabel(body)).status).toBe(200);
  await api.advance({ by: "1s" });
  expect((await api.tryWhitelabel(body)).status).toBe(400);
});

it("`limits` set the default lifetime of a checkout", async () => {
  const api = await configured({ limits: { checkout_default_minutes: 15 } });
  expect((await api.pay()).expires_at).toBe(later(900));
  expect((await api.pay({ expires_in_minutes: 20 })).expires_at).toBe(later(1200));
  const { body } = await api.post<{ expires_at: string }>("/api/v1/payments/checkouts", USD_ORDER);
  expect(body.expires_at).toBe(later(900));
});

it("`retention` limits the number of stored requests and events", async () => {
  const api = await configured({ retention: { requests: 3, events: 2 } });
  for (let call = 0; call < 5; call++) await api.tryPayins(`?offset=${call}`);
  const requests = await api.get<{ total: number; items: { request_id: number }[] }>("/_sandbox/requests");
  expect(requests.body.total).toBe(3);
  await api.pay();
  await api.advance({ by: "10s" });
  const events = await api.get<{ total: number; items: { type: string }[] }>("/_sandbox/events");
  expect(events.body.items.map((one) => one.type)).toEqual(["charge.completed", "charge.processing"]);
});

async function attempts(retry_schedule: string[]): Promise<number[]> {
  const receiver = await Receiver.open();
  receiver.handler = refuseWith(500);
  const api = await configured({
    retry_schedule,
    scenario: ["instant"],
    webhooks: [{ url: receiver.url, events: ["charge.completed"] }],
  });
  await api.pay();
  await api.advance({ until: "idle" });
  const [delivery] = api.sandbox.snapshot().collections.deliveries.map(([, one]) => one);
  expect(delivery!.status).toBe("failed");
  return delivery!.attempts.map((one) => (Date.parse(one.at) - Date.parse(START)) / 1000);
}

it("retry_schedule sets the delay of each retry", async () => {
  expect(await attempts(["1s", "1m"])).toEqual([0, 1, 61]);
});

it("an empty retry_schedule allows one attempt", async () => {
  expect(await attempts([])).toEqual([0]);
});

it("the library accepts the config keys in camelCase", async () => {
  const api = await openApi({
    paths: { listPayins: "/payins" },
    errorCodes: { UNAUTHORIZED: "bad_key" },
    eventNames: { "charge.completed": "paid" },
    retrySchedule: ["1s"],
    unreachable: "fail",
    fees: { mobile_money: { platform_percent: "0", gateway_percent: "0" } },
    rates: { KES: "100" },
    limits: { quote_valid: "1m" },
    retention: { requests: 1, events: 1 },
  });
  expect(await api.quote(KES_ORDER)).toMatchObject({ amount: "500.00", expires_at: later(60) });
  expect(okBody(await api.get("/payins"))).toEqual({ total: 0, items: [] });
  expect((await api.get<{ total: number }>("/_sandbox/requests")).body.total).toBe(1);
  await expect(openApi({ errorCodes: { UNAUTHORISED: "x" } as object })).rejects.toThrow(
    "errorCodes.UNAUTHORISED",
  );
});

it("webhook_timeout, rate_limit and public_url are config keys", async () => {
  const api = await configured({ rate_limit: 2, public_url: "https://pay.shop.test", webhook_timeout: "1s" });
  const made = await api.post<{ checkout_url: string }>("/api/v1/payments/checkouts", USD_ORDER);
  expect(made.body.checkout_url).toMatch(/^https:\/\/pay\.shop\.test\/checkout\//);
  await api.tryPayins();
  expectError(await api.tryPayins(), 429, "RATE_LIMIT_EXCEEDED");
});
