import { expect } from "vitest";
import type { IdempotentResponse, StateDump } from "../../src/core/engine/records.js";
import type { WithdrawalDetail as Withdrawal } from "../../src/library/index.js";
import {
  type Answer,
  type Api,
  expectError,
  expectInvalid,
  later,
  MOBILE_ACCOUNT as MOBILE,
  okBody,
  openApi,
  START,
  TIMESTAMP,
} from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { temporaryFile } from "../support/folders.js";

const PAYOUT_CURRENCIES = "/api/v1/payouts/supported-currencies";
const DESTINATIONS = "/api/v1/payouts/destinations";
const WITHDRAWALS = "/api/v1/payouts/withdrawals";

/** A valid destination of each type. */
const BANK = {
  type: "bank_account",
  currency: "NGN",
  bank_code: "999",
  account_number: "0123456789",
  account_name: "Sandbox Shop",
};
const WALLET = { type: "crypto_wallet", currency: "USDT_TRC20", wallet_address: "TSandboxFakeMoney" };

interface Page<Item> {
  total: number;
  items: Item[];
}

/** Opens a sandbox whose organization has these balances. */
async function richApi(money: Record<string, string> = { KES: "10000.00" }, more = ""): Promise<Api> {
  const balances = Object.entries(money).flatMap(([currency, amount]) =>
    ["test", "live"].map(
      (mode) =>
        `  - { id: ${currency}_${mode}, organization_id: org_sandbox, mode: ${mode}, currency: ${currency}, available_balance: "${amount}" }\n`,
    ),
  );
  return openApi({ fixtures: temporaryFile("rich.yaml", `balances:\n${balances.join("")}${more}`) });
}

function tryWithdraw(
  api: Api,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Withdrawal>> {
  return api.post(WITHDRAWALS, body, headers);
}

/** Returns a valid withdrawal with a new destination. */
async function order(api: Api, changes: Record<string, unknown> = {}) {
  return { destination_id: await api.destination(), amount: "600.00", currency: "KES", ...changes };
}

async function withdraw(
  api: Api,
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Withdrawal> {
  return okBody(await tryWithdraw(api, await order(api, changes), headers));
}

async function read(api: Api, id: string): Promise<Withdrawal> {
  return okBody(await api.get<Withdrawal>(`${WITHDRAWALS}/${id}`));
}

const move = (api: Api, id: string, body: unknown) =>
  api.as(null).post<Withdrawal>(`/_sandbox/withdrawals/${id}/transition`, body);
const stateOf = (api: Api) => JSON.stringify(api.sandbox.snapshot());

it("payout currencies are the six with a minimum [R4.4 R25.9]", async ({ api }) => {
  expect(okBody(await api.get(PAYOUT_CURRENCIES))).toEqual({
    fiat: ["GHS", "KES", "NGN", "USD"],
    crypto: ["USDT_ERC20", "USDT_TRC20"],
  });
});

it("any key can list the payout currencies", async ({ api }) => {
  expectError(await api.as(null).get(PAYOUT_CURRENCIES), 401, "UNAUTHORIZED");
  const { text } = await api.get(PAYOUT_CURRENCIES);
  for (const key of ["sk_live_sandbox", "sk_test_readonly", "sk_test_unverified"])
    expect((await api.as(key).get(PAYOUT_CURRENCIES)).text).toBe(text);
});

it("a fixture with a minimum adds a payout currency", async () => {
  const fixtures = temporaryFile("zar.yaml", 'currencies: [{ code: ZAR, minimum_withdrawal: "20" }]\n');
  const api = await openApi({ fixtures });
  expect(okBody(await api.get(PAYOUT_CURRENCIES))).toMatchObject({
    fiat: ["GHS", "KES", "NGN", "USD", "ZAR"],
  });
});

it.for([
  ["bank_account", BANK, { country: "NG" }],
  ["mobile_money", MOBILE, { country: "NG" }],
  ["crypto_wallet", WALLET, { country: null, network: "TRC20" }],
  ["crypto_wallet", { ...WALLET, currency: "USDT_ERC20", network: "ERC20" }, { country: null }],
  ["bank_account", { ...BANK, country: "GH" }, {}],
] as const)(
  "a destination of a %s returns the sent fields, its id and its time: %j [R15.1 R25.10]",
  async ([_, body, added], { api }) => {
    const answer = await api.post<{ destination_id: string }>(DESTINATIONS, body);
    expect(okBody(answer)).toEqual({
      destination_id: expect.any(String),
      ...body,
      ...added,
      created_at: START,
    });
    expect((await api.get(`${DESTINATIONS}/${answer.body.destination_id}`)).text).toBe(answer.text);
  },
);

it("a destination has the organization's country by default, except a wallet", async () => {
  const api = (await openApi()).as("sk_test_other");
  expect(okBody(await api.post(DESTINATIONS, MOBILE))).toMatchObject({ country: "KE" });
  expect(okBody(await api.post(DESTINATIONS, WALLET))).toMatchObject({ country: null });
});

it("a mobile money destination returns its phone number with a plus", async ({ api }) => {
  const { phone_number } = MOBILE;
  const made = await api.post(DESTINATIONS, { ...MOBILE, phone_number: phone_number.slice(1) });
  expect(okBody(made)).toMatchObject({ phone_number });
});

it("a destination ignores the fields of other types", async ({ api }) => {
  const made = okBody(await api.post(DESTINATIONS, { ...MOBILE, bank_code: "999", colour: "red" }));
  expect(made).not.toHaveProperty("bank_code");
  expect(made).not.toHaveProperty("colour");
});

it.for([
  ["type", MOBILE],
  ["currency", MOBILE],
  ["bank_code", BANK],
  ["account_number", BANK],
  ["account_name", BANK],
  ["phone_number", MOBILE],
  ["provider", MOBILE],
  ["wallet_address", WALLET],
] as const)("a destination requires its %s", async ([field, body], { api }) => {
  const { [field]: _, ...rest } = body as Record<string, unknown>;
  const answer = await api.post(DESTINATIONS, rest);
  expectInvalid(answer, field);
  expect(answer.details[field]).toContain("is required");
});

it("reports all missing fields of a destination together", async ({ api }) => {
  expectInvalid(await api.post(DESTINATIONS, {}), "type", "currency");
  const missing = ["bank_code", "account_number", "account_name"];
  const ofBank = (currency: unknown) => api.post(DESTINATIONS, { type: "bank_account", currency });
  expectInvalid(await ofBank("NGN"), ...missing);
  expectInvalid(await ofBank("EUR"), "currency", ...missing);
  expectInvalid(await ofBank(undefined), "currency", ...missing);
});

it("lists destinations newest first, in pages", async ({ api }) => {
  const ids: string[] = [];
  for (const body of [BANK, MOBILE, WALLET]) ids.unshift(await api.destination(body));
  const page = async (query: string) => {
    const { total, items } = okBody(
      await api.get<Page<{ destination_id: string }>>(`${DESTINATIONS}${query}`),
    );
    return [total, ...items.map((one) => one.destination_id)];
  };
  expect(await page("")).toEqual([3, ...ids]);
  expect(await page("?limit=1&offset=1")).toEqual([3, ids[1]]);
  expectInvalid(await api.get(`${DESTINATIONS}?limit=0&offset=-1`), "limit", "offset");
});

it("a withdrawal has exactly the documented fields [R15.1 R25.10]", async () => {
  const api = await richApi();
  const body = await order(api, { amount: "600", reference: "rent", metadata: { run: "7" } });
  const answer = await tryWithdraw(api, body);
  expect(okBody(answer)).toEqual({
    withdrawal_id: expect.any(String),
    destination_id: body.destination_id,
    organization_id: "org_sandbox",
    amount: "600.00",
    fee: "0.00",
    currency: "KES",
    status: "PENDING",
    failure_reason: null,
    reference: "rent",
    metadata: { run: "7" },
    created_at: START,
    updated_at: START,
  });
  const { withdrawal_id } = answer.body;
  expect((await api.get(`${WITHDRAWALS}/${withdrawal_id}`)).text).toBe(answer.text);
});

it("a withdrawal immediately reduces the available balance [R19.3]", async () => {
  const api = await richApi();
  await withdraw(api);
  expect(await api.balance("KES")).toBe("9400.00 / 0.00");
  await api.advance({ by: "10s" });
  expect(await api.balance("KES")).toBe("9400.00 / 0.00");
});

it("a withdrawal changes from PENDING to PROCESSING to COMPLETED, with events", async () => {
  const api = await richApi();
  const { withdrawal_id } = await withdraw(api);
  expect(api.told()).toEqual([]);
  await api.advance({ by: "1s" });
  const processing = await read(api, withdrawal_id);
  expect(processing).toMatchObject({ status: "PROCESSING", created_at: START, updated_at: later(1) });
  await api.advance({ by: "2s" });
  const completed = await read(api, withdrawal_id);
  expect(completed).toMatchObject({ status: "COMPLETED", failure_reason: null, updated_at: later(3) });
  expect(api.told()).toEqual([
    ["withdrawal.processing", processing],
    ["withdrawal.completed", completed],
  ]);
  expect(okBody(await api.advance({ until: "idle" })).fired_total).toBe(0);
});

it("a failed withdrawal has a reason and returns its amount", async () => {
  const api = await richApi();
  const { withdrawal_id } = await withdraw(api, { reference: "fail-1" });
  await api.advance({ by: "10s" });
  const failed = await read(api, withdrawal_id);
  expect(failed).toMatchObject({ status: "FAILED", failure_reason: "rejected_by_bank" });
  expect(api.told().map(([type]) => type)).toEqual(["withdrawal.processing", "withdrawal.failed"]);
  expect(await api.balance("KES")).toBe("10000.00 / 0.00");
});

it("the control API can cancel a PENDING withdrawal", async () => {
  const api = await richApi();
  const { withdrawal_id } = await withdraw(api);
  const cancelled = okBody(await move(api, withdrawal_id, { to: "CANCELLED" }));
  expect(cancelled).toMatchObject({ withdrawal_id, status: "CANCELLED", failure_reason: null });
  expect(await api.balance("KES")).toBe("10000.00 / 0.00");
  expect(api.told()).toEqual([["withdrawal.cancelled", cancelled]]);
  expect(okBody(await api.advance({ until: "idle" })).fired_total).toBe(0);
  expect((await read(api, withdrawal_id)).status).toBe("CANCELLED");
});

it.each([
  ["PENDING", [], ["PROCESSING", "CANCELLED"]],
  ["PROCESSING", ["PROCESSING"], ["COMPLETED", "FAILED"]],
  ["COMPLETED", ["PROCESSING", "COMPLETED"], []],
  ["FAILED", ["PROCESSING", "FAILED"], []],
  ["CANCELLED", ["CANCELLED"], []],
])("a withdrawal with status %s after %j can change only to %j", async (status, path, allowed) => {
  const statuses = ["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"];
  for (const to of statuses) {
    const api = await richApi();
    const { withdrawal_id } = await withdraw(api);
    for (const step of path) okBody(await move(api, withdrawal_id, { to: step }));
    const before = stateOf(api);
    const answer = await move(api, withdrawal_id, { to });
    if ((allowed as string[]).includes(to)) expect(okBody(answer).status).toBe(to);
    else {
      expectError(answer, 409, "INVALID_TRANSITION", ["status"]);
      expect(stateOf(api)).toBe(before);
      expect((await read(api, withdrawal_id)).status).toBe(status);
    }
  }
});

it("a control transition ends the withdrawal's scenario", async () => {
  const api = await richApi();
  const { withdrawal_id } = await withdraw(api);
  okBody(await move(api, withdrawal_id, { to: "PROCESSING" }));
  await api.advance({ by: "1h" });
  expect((await read(api, withdrawal_id)).status).toBe("PROCESSING");
  const failed = okBody(await move(api, withdrawal_id, { to: "FAILED", reason: "no_such_account" }));
  expect(failed.failure_reason).toBe("no_such_account");
});

it("a withdrawal cannot change to an unknown status", async () => {
  const api = await richApi();
  const { withdrawal_id } = await withdraw(api);
  for (const body of [{}, { to: "REFUNDED" }, { to: "processing" }])
    expectInvalid(await move(api, withdrawal_id, body), "to");
  expectError(await move(api, "wd_unknown", { to: "PROCESSING" }), 404, "NOT_FOUND", []);
});

it("a withdrawal of another organization or mode returns 404 [R1.15]", async () => {
  const api = await richApi();
  const { withdrawal_id } = await withdraw(api);
  for (const key of ["sk_test_other", "sk_live_sandbox"]) {
    expectError(await api.as(key).get(`${WITHDRAWALS}/${withdrawal_id}`), 404, "NOT_FOUND", []);
    expect(okBody(await api.as(key).get(WITHDRAWALS))).toEqual({ total: 0, items: [] });
  }
  expectError(await api.get(`${WITHDRAWALS}/wd_unknown`), 404, "NOT_FOUND", []);
});

it("lists withdrawals newest first, in pages", async () => {
  const api = await richApi();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.unshift((await withdraw(api)).withdrawal_id);
  await api.advance({ by: "1s" });
  const { total, items } = okBody(await api.get<Page<Withdrawal>>(`${WITHDRAWALS}?limit=2`));
  expect([total, ...items.map((one) => one.withdrawal_id)]).toEqual([3, ids[0], ids[1]]);
  expect(items[0]).toEqual(await read(api, ids[0]!));
  const rest = okBody(await api.get<Page<Withdrawal>>(`${WITHDRAWALS}?limit=2&offset=2`));
  expect(rest.items.map((one) => one.withdrawal_id)).toEqual([ids[2]]);
  expectInvalid(await api.get(`${WITHDRAWALS}?limit=101&offset=x`), "limit", "offset");
});

it.each([
  ["USD", "10.00", "9.99", { ...BANK, currency: "USD" }],
  ["NGN", "5000.00", "4999.99", BANK],
  ["GHS", "50.00", "49.99", { ...BANK, currency: "GHS" }],
  ["KES", "500.00", "499.99", MOBILE],
  ["USDT_TRC20", "10.000000", "9.999999", WALLET],
  ["USDT_ERC20", "50.000000", "49.999999", { ...WALLET, currency: "USDT_ERC20" }],
])(
  "POST withdrawals refuses an amount below the minimum of %s, which is %s [R30.10]",
  async (currency, minimum, below, body) => {
    const api = await richApi({ [currency]: "100000" });
    const destination_id = await api.destination(body);
    const refused = await tryWithdraw(api, { destination_id, currency, amount: below });
    expectInvalid(refused, "amount");
    expect(refused.details.amount).toBe(`must be at least ${minimum} ${currency}`);
    expect(okBody(await tryWithdraw(api, { destination_id, currency, amount: minimum })).amount).toBe(
      minimum,
    );
  },
);

it("POST withdrawals returns INSUFFICIENT_BALANCE above the available balance [R10.2]", async () => {
  const api = await richApi({ KES: "600.00" });
  const before = stateOf(api);
  const answer = await tryWithdraw(api, await order(api, { amount: "600.01" }));
  expectError(answer, 400, "INSUFFICIENT_BALANCE", []);
  expect(answer.error).not.toHaveProperty("details");
  expect(JSON.parse(stateOf(api)).collections.entries).toEqual(JSON.parse(before).collections.entries);
  await withdraw(api, { amount: "600.00" });
  expect(await api.balance("KES")).toBe("0.00 / 0.00");
  expectError(await tryWithdraw(api, await order(api)), 400, "INSUFFICIENT_BALANCE", []);
});

it("POST withdrawals refuses pending amounts and amounts of the other mode [R10.3]", async () => {
  const delayed = temporaryFile("delayed.yaml", "currencies: [{ code: KES, settlement_delay: 1d }]\n");
  const api = await openApi({ fixtures: delayed, scenario: "instant" });
  await api.pay({ pricing: { base_currency: "KES", amount: "600.00" } });
  expect(await api.balance("KES")).toBe("0.00 / 600.00");
  expectError(await tryWithdraw(api, await order(api)), 400, "INSUFFICIENT_BALANCE", []);
  await api.advance({ by: "1d" });
  const live = api.as("sk_live_sandbox");
  expectError(await tryWithdraw(live, await order(live)), 400, "INSUFFICIENT_BALANCE", []);
  expect((await withdraw(api)).status).toBe("PENDING");
});

const FEE = 'currencies: [{ code: KES, withdrawal_fee: "30" }]\n';

it("a withdrawal deducts its fee and amount from the available balance", async () => {
  const api = await richApi({ KES: "1000.00" }, FEE);
  expect(await withdraw(api)).toMatchObject({ amount: "600.00", fee: "30.00" });
  expect(await api.balance("KES")).toBe("370.00 / 0.00");
  await api.advance({ by: "10s" });
  expect(await api.balance("KES")).toBe("370.00 / 0.00");
});

it("a failed withdrawal returns its fee and amount", async () => {
  const api = await richApi({ KES: "1000.00" }, FEE);
  for (const steps of [["CANCELLED"], ["PROCESSING", "FAILED"]]) {
    const { withdrawal_id } = await withdraw(api);
    for (const to of steps) okBody(await move(api, withdrawal_id, { to }));
    expect(await api.balance("KES")).toBe("1000.00 / 0.00");
  }
});

it("a withdrawal is refused when the balance does not cover its fee", async () => {
  const api = await richApi({ KES: "629.99" }, FEE);
  expectError(await tryWithdraw(api, await order(api)), 400, "INSUFFICIENT_BALANCE", []);
});

const KEY = { "idempotency-key": "payout-7" };

it("a repeated Idempotency-Key returns the first response [R26.5]", async () => {
  const api = await richApi();
  const body = await order(api, { metadata: { a: "1", b: "2" } });
  const first = await tryWithdraw(api, body, KEY);
  expect(okBody(first).status).toBe("PENDING");
  expect(first.headers.has("idempotent-replayed")).toBe(false);
  await api.advance({ by: "10s" });
  const { destination_id, amount, currency } = body;
  const reordered = { metadata: { b: "2", a: "1" }, currency, amount, destination_id };
  for (const again of [body, reordered, `  ${JSON.stringify(body)}\n`]) {
    const replay = await tryWithdraw(api, again, KEY);
    expect([replay.status, replay.text]).toEqual([200, first.text]);
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
  }
  expect(await api.balance("KES")).toBe("9400.00 / 0.00");
  expect(okBody(await api.get<Page<Withdrawal>>(WITHDRAWALS)).total).toBe(1);
  expect(api.told()).toHaveLength(2);
});

it("an Idempotency-Key with another body returns 422 [R26.5]", async () => {
  const api = await richApi();
  const body = await order(api);
  const first = await tryWithdraw(api, body, KEY);
  for (const other of [{ ...body, amount: "600.0" }, { ...body, note: "x" }, { amount: 5 }, {}])
    expectError(await tryWithdraw(api, other, KEY), 422, "IDEMPOTENCY_KEY_REUSED", []);
  expect((await tryWithdraw(api, body, KEY)).text).toBe(first.text);
  expect(await api.balance("KES")).toBe("9400.00 / 0.00");
});

it("an Idempotency-Key compares all of a long body", async () => {
  const api = await richApi();
  const note = "x".repeat(100_000);
  const body = await order(api, { note });
  const first = await tryWithdraw(api, body, KEY);
  okBody(first);
  expect((await tryWithdraw(api, body, KEY)).text).toBe(first.text);
  const other = { ...body, note: `${"x".repeat(99_999)}y` };
  expectError(await tryWithdraw(api, other, KEY), 422, "IDEMPOTENCY_KEY_REUSED", []);
  const state = okBody(await api.get<StateDump>("/_sandbox/state"));
  const [[, answer]] = state.collections.idempotency as [[string, IdempotentResponse]];
  expect(answer.body.length).toBeLessThan(100);
});

it("an Idempotency-Key is stored for 24 hours", async () => {
  const api = await richApi();
  const body = await order(api);
  const first = await tryWithdraw(api, body, KEY);
  await api.advance({ by: "23h59m59s999ms" });
  expect((await tryWithdraw(api, body, KEY)).text).toBe(first.text);
  await api.advance({ by: "1ms" });
  const fresh = await tryWithdraw(api, body, KEY);
  expect(fresh.headers.has("idempotent-replayed")).toBe(false);
  expect(okBody(fresh).withdrawal_id).not.toBe(first.body.withdrawal_id);
  expect((await tryWithdraw(api, body, KEY)).text).toBe(fresh.text);
  expect(await api.balance("KES")).toBe("8800.00 / 0.00");
});

it("an Idempotency-Key is separate for each API key", async () => {
  const api = await richApi(
    { KES: "10000.00" },
    "keys: [{ key: sk_test_second, organization_id: org_sandbox, permission: full }]\n",
  );
  const body = await order(api);
  const first = okBody(await tryWithdraw(api, body, KEY));
  const second = okBody(await tryWithdraw(api.as("sk_test_second"), body, KEY));
  expect(second.withdrawal_id).not.toBe(first.withdrawal_id);
  const live = api.as("sk_live_sandbox");
  const third = okBody(await tryWithdraw(live, await order(live), KEY));
  expect(third.withdrawal_id).not.toBe(first.withdrawal_id);
});

it("an Idempotency-Key of a refused request can be used again", async () => {
  const api = await richApi({ KES: "100.00" });
  const body = await order(api);
  expectError(await tryWithdraw(api, body, KEY), 400, "INSUFFICIENT_BALANCE");
  expectInvalid(await tryWithdraw(api, { ...body, amount: "1.00" }, KEY), "amount");
  const { charge_id } = await api.pay({ pricing: { base_currency: "KES", amount: "500.00" } });
  okBody(await api.transition(charge_id, { to: "COMPLETED" }));
  const answer = await tryWithdraw(api, body, KEY);
  expect(okBody(answer).status).toBe("PENDING");
  expect(answer.headers.has("idempotent-replayed")).toBe(false);
});

it("an Idempotency-Key has 1 to 255 characters", async () => {
  const api = await richApi();
  const body = await order(api);
  for (const key of ["k", "k".repeat(255)])
    expect((await tryWithdraw(api, body, { "idempotency-key": key })).status).toBe(200);
  for (const key of ["", "k".repeat(256)])
    expectInvalid(await tryWithdraw(api, body, { "idempotency-key": key }), "Idempotency-Key");
});

it("concurrent requests with one Idempotency-Key create one withdrawal", async () => {
  const api = await richApi();
  const body = await order(api);
  const answers = await Promise.all(Array.from({ length: 20 }, () => tryWithdraw(api, body, KEY)));
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  expect(answers.filter((answer) => !answer.headers.has("idempotent-replayed"))).toHaveLength(1);
  expect(await api.balance("KES")).toBe("9400.00 / 0.00");
});

it("each request without an Idempotency-Key creates a withdrawal", async () => {
  const api = await richApi();
  const body = await order(api);
  const [one, two] = [await tryWithdraw(api, body), await tryWithdraw(api, body)];
  expect(okBody(one).withdrawal_id).not.toBe(okBody(two).withdrawal_id);
  expect(one.body.created_at).toMatch(TIMESTAMP);
});

it("a reset deletes the Idempotency-Keys", async () => {
  const api = await richApi();
  const first = okBody(await tryWithdraw(api, await order(api), KEY));
  await api.sandbox.reset();
  const again = okBody(await tryWithdraw(api, await order(api), KEY));
  expect(again.withdrawal_id).not.toBe(first.withdrawal_id);
});

it("concurrent withdrawals never exceed the balance", async () => {
  const api = await richApi({ KES: "1900.00" });
  const body = await order(api);
  const answers = await Promise.all(Array.from({ length: 10 }, () => tryWithdraw(api, body)));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
  expect(await api.balance("KES")).toBe("100.00 / 0.00");
});
