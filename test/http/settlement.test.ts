import { expect } from "vitest";
import { CHARGE_STATUSES, type ChargeStatus } from "../../src/core/schema/common.js";
import { CHARGE_STATUS_TABLE } from "../../src/core/schema/statuses.js";
import {
  type Answer,
  type Api,
  type Charge,
  expectError,
  later,
  okBody,
  openApi,
  START,
} from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { temporaryFile } from "../support/folders.js";

const CRYPTO = { payment_method: "crypto", phone_number: undefined };

async function completed(api: Api, currency = "KES", amount = "500"): Promise<Charge> {
  const pricing = { base_currency: currency, amount };
  const { charge_id } = await api.pay(currency === "KES" ? { pricing } : { ...CRYPTO, pricing });
  return okBody(await api.transition(charge_id, { to: "COMPLETED" }));
}

const refund = (api: Api, id: string, body: unknown = {}): Promise<Answer<Charge>> =>
  api.as(null).post(`/_sandbox/charges/${id}/refund`, body);

it("a fiat payment settles when it completes [R19.6]", async ({ api }) => {
  const charge = await completed(api);
  expect(charge.settled_at).toBe(START);
  expect(api.told()).toEqual([["charge.completed", charge]]);
  expect(await api.balance("KES")).toBe("500.00 / 0.00");
});

it.for([
  ["BTC", 2, 600],
  ["ETH", 12, 12],
  ["USDT_ERC20", 12, 12],
  ["USDT_TRC20", 20, 3],
] as const)(
  "%s settles after %i confirmations of %i s, and sets settled_at without an event [R10.3 R19.1 R19.2 R19.7 R24.8]",
  async ([currency, count, interval], { api }) => {
    const { charge_id, settled_at } = await completed(api, currency, "2");
    expect(settled_at).toBeNull();
    const zero = `0.${"0".repeat(currency.startsWith("USDT") ? 6 : 8)}`;
    const two = zero.replace("0.", "2.");
    await api.advance({ to: later(count * interval - 0.001) });
    expect((await api.charge(charge_id)).settled_at).toBeNull();
    expect(await api.balance(currency)).toBe(`${zero} / ${two}`);
    expect(okBody(await api.advance({ by: "1ms" })).fired.map((one) => one.ref)).toEqual([charge_id]);
    expect(await api.balance(currency)).toBe(`${two} / ${zero}`);
    const charge = await api.charge(charge_id);
    expect(charge.settled_at).toBe(later(count * interval));
    expect(charge.updated_at).toBe(later(count * interval));
    expect(charge.status_history.map((one) => one.status)).toEqual(["PENDING", "COMPLETED"]);
    expect(api.told().map(([type, data]) => [type, data.settled_at])).toEqual([["charge.completed", null]]);
  },
);

it.for(CHARGE_STATUSES)(
  "settlement continues after restoring a crypto charge that is %s",
  async (status, { api }) => {
    const path: ChargeStatus[] = [];
    for (let step = status; ; ) {
      const { sample } = CHARGE_STATUS_TABLE[step];
      if (sample === null) break;
      path.unshift(step);
      step = sample.from;
    }
    const { charge_id } = await api.pay({ ...CRYPTO, pricing: { base_currency: "BTC", amount: "2" } });
    for (const to of path) okBody(await api.transition(charge_id, { to }));
    const before = await api.charge(charge_id);
    expect(before.status).toBe(status);
    await api.sandbox.restore(api.sandbox.snapshot());
    expect(await api.charge(charge_id)).toEqual(before);
    await api.advance({ by: "1d" });
    // Nothing stays pending.
    expect((await api.balance("BTC")) ?? "- / 0.00000000").toMatch(/ \/ 0\.00000000$/);
  },
);

it("a crypto payment on the hosted page settles after its confirmations", async () => {
  const api = await openApi({ scenario: "instant" });
  const pricing = { base_currency: "BTC", amount: "0.5" };
  const { checkout_id } = okBody(
    await api.post<{ checkout_id: string }>("/api/v1/payments/checkouts", { pricing }),
  );
  okBody(await api.post(`/_sandbox/checkouts/${checkout_id}/pay`, { payment_method: "crypto" }));
  await api.advance({ by: "0s" });
  expect(await api.balance("BTC")).toBe("0.00000000 / 0.50000000");
  await api.advance({ by: "20m" });
  expect(await api.balance("BTC")).toBe("0.50000000 / 0.00000000");
});

it("each currency settles after its own period [R19.8]", async () => {
  const fixtures = temporaryFile(
    "delays.yaml",
    "currencies:\n  - { code: KES, settlement_delay: 2h }\n  - { code: USDT_TRC20, settlement_delay: 1h }\n",
  );
  const api = await openApi({ fixtures });
  const naira = await api.pay({ pricing: { base_currency: "NGN", amount: "100" } });
  okBody(await api.transition(naira.charge_id, { to: "COMPLETED" }));
  const [shilling, tether] = [await completed(api), await completed(api, "USDT_TRC20", "5")];
  await api.advance({ until: "idle" });
  const settledAt = async (id: string) => (await api.charge(id)).settled_at;
  expect(await settledAt(naira.charge_id)).toBe(START);
  expect(await settledAt(shilling.charge_id)).toBe(later(7200));
  expect(await settledAt(tether.charge_id)).toBe(later(3660));
});

it("a charge settles after the period that applied when it was paid", async ({ api }) => {
  await completed(api, "ETH", "1");
  await api.advance({ by: "1m" });
  await completed(api, "ETH", "2");
  await api.advance({ by: "84s" });
  expect(await api.balance("ETH")).toBe("1.00000000 / 2.00000000");
  await api.advance({ by: "1m" });
  expect(await api.balance("ETH")).toBe("3.00000000 / 0.00000000");
});

it("POST /_sandbox/charges/{id}/refund reverses the settlement and returns the fee [R17.9 R19.4]", async ({
  api,
}) => {
  await completed(api, "KES", "100");
  const { charge_id, amount } = await completed(api);
  const answer = await refund(api, charge_id, { reason: "requested_by_customer" });
  const charge = okBody(answer);
  expect(charge).toMatchObject({ status: "REFUNDED", amount, settlement_amount: "500.00" });
  expect(charge.status_history.at(-1)).toEqual({
    status: "REFUNDED",
    at: START,
    reason: "requested_by_customer",
  });
  expect(await api.balance("KES")).toBe("100.00 / 0.00");
  expect(api.told().at(-1)).toEqual(["charge.refunded", charge]);
  expect(answer.text).toBe((await api.get(`/api/v1/payments/charges/${charge_id}`)).text);
});

it("POST /_sandbox/charges/{id}/refund settles an unsettled charge first", async ({ api }) => {
  await completed(api, "BTC", "1");
  const { charge_id } = await completed(api, "BTC", "0.5");
  await api.advance({ by: "5m" });
  expect(okBody(await refund(api, charge_id)).settled_at).toBe(later(300));
  expect(await api.balance("BTC")).toBe("0.00000000 / 1.00000000");
  expect(okBody(await api.advance({ until: "idle" })).fired_total).toBe(1);
  expect(await api.balance("BTC")).toBe("1.00000000 / 0.00000000");
});

it("POST /_sandbox/charges/{id}/refund returns 409 above the available balance", async ({ api }) => {
  const { charge_id } = await completed(api);
  const destination_id = await api.destination();
  const order = { destination_id, amount: "500.00", currency: "KES" };
  okBody(await api.post("/api/v1/payouts/withdrawals", order));
  const before = JSON.stringify(api.sandbox.snapshot());
  expectError(await refund(api, charge_id), 409, "INSUFFICIENT_BALANCE", []);
  expectError(await api.transition(charge_id, { to: "REFUNDED" }), 409, "INSUFFICIENT_BALANCE", []);
  expect(JSON.stringify(api.sandbox.snapshot())).toBe(before);
});

it.for(["PENDING", "AWAITING_PAYMENT", "PROCESSING", "FAILED", "CANCELLED", "EXPIRED", "REFUNDED"])(
  "POST /_sandbox/charges/{id}/refund returns 409 INVALID_TRANSITION for a charge that is %s",
  async (status, { api }) => {
    const { charge_id } = status === "REFUNDED" ? await completed(api) : await api.pay();
    if (status !== "PENDING") okBody(await api.transition(charge_id, { to: status }));
    expectError(await refund(api, charge_id), 409, "INVALID_TRANSITION", ["status"]);
  },
);

it("the body of POST /_sandbox/charges/{id}/refund is optional", async ({ api }) => {
  const { charge_id } = await completed(api);
  expect((await api.send("POST", `/_sandbox/charges/${charge_id}/refund`)).status).toBe(200);
});
