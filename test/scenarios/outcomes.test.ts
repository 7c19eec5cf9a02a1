import { expect } from "vitest";
import { type Api, later, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { Receiver } from "../support/receiver-server.js";
import {
  type Change,
  createFundedDestination,
  expectChanges,
  readSandboxFields,
  readWithdrawal,
  withdraw,
} from "./support/outcomes.js";

async function openWithReceiver(): Promise<{ api: Api; receiver: Receiver }> {
  const receiver = await Receiver.open();
  return { api: await openApi({ webhooks: [receiver.url] }), receiver };
}

interface Outcome {
  /** Status changes with their seconds after creation. */
  readonly path: string;
  readonly balance: string;
  readonly reason?: string;
}

function changesOf(path: string): Change[] {
  return path.split(", ").map((change) => {
    const [seconds, status] = change.split(" ");
    return [Number(seconds), status!];
  });
}

const PAID = "1 AWAITING_PAYMENT, 3 PROCESSING, 5 COMPLETED";
const REFUSED = "1 AWAITING_PAYMENT, 3 PROCESSING, 5 FAILED";
const LATE = "1 AWAITING_PAYMENT, 3600 EXPIRED, 3900 PROCESSING, 3910 COMPLETED";

const CHARGES: Readonly<Record<string, Outcome>> = {
  default: { path: PAID, balance: "500.00" },
  success: { path: PAID, balance: "500.00" },
  instant: { path: "0 COMPLETED", balance: "500.00" },
  declined: { path: REFUSED, balance: "0.00", reason: "declined" },
  insufficient_funds: { path: REFUSED, balance: "0.00", reason: "insufficient_funds" },
  cancelled: { path: "1 AWAITING_PAYMENT, 11 CANCELLED", balance: "0.00" },
  expired: { path: "1 AWAITING_PAYMENT, 3600 EXPIRED", balance: "0.00" },
  paid_late: { path: LATE, balance: "500.00" },
  stuck: { path: "1 AWAITING_PAYMENT, 3 PROCESSING", balance: "0.00" },
  slow: { path: "120 AWAITING_PAYMENT, 720 PROCESSING, 1800 COMPLETED", balance: "500.00" },
  refunded: { path: `${PAID}, 65 REFUNDED`, balance: "0.00" },
};

it.each(Object.entries(CHARGES))(
  "charges with the scenario %s follow its timeline",
  async (name, { path, balance, reason = null }) => {
    const changes = changesOf(path);
    const { api, receiver } = await openWithReceiver();
    const made = await api.whitelabel(await api.checkoutBody(), { "sandbox-scenario": name });
    expect(made.status).toBe("PENDING");
    await expectChanges(api, changes, () => api.charge(made.charge_id));

    const charge = await api.charge(made.charge_id);
    expect(charge.status_history.map(({ status, at }) => [at, status])).toEqual([
      [later(0), "PENDING"],
      ...changes.map(([seconds, status]) => [later(seconds), status]),
    ]);
    expect(charge.failure_reason).toBe(reason);
    // A currency without payments has no balance.
    expect((await api.balance("KES")) ?? "0.00 / 0.00").toBe(`${balance} / 0.00`);

    expect(receiver.types).toEqual(changes.map(([, status]) => `charge.${status.toLowerCase()}`));
    for (const [index, received] of receiver.received.entries()) {
      received.verify();
      const [seconds, status] = changes[index]!;
      expect(received.event).toMatchObject({
        timestamp: later(seconds),
        data: { charge_id: made.charge_id, status },
      });
    }
    expect(await readSandboxFields(api, made.charge_id)).toMatchObject({
      scenario: name,
      scenario_asked: name,
      notes: [],
    });
  },
);

it("the scenario `success` completes every customer's charges", async ({ api }) => {
  const body = await api.checkoutBody({ customer_email: "declined@shop.test" });
  const asked = await api.whitelabel(body, { "sandbox-scenario": "success" });
  const usual = await api.whitelabel(body);
  await api.sandbox.advance("5s");
  expect((await api.charge(asked.charge_id)).status).toBe("COMPLETED");
  expect((await api.charge(usual.charge_id)).status).toBe("FAILED");
});

it("crypto_confirmations keeps the money pending until it is confirmed", async () => {
  const { api, receiver } = await openWithReceiver();
  const order = {
    pricing: { base_currency: "USD", amount: "100.00" },
    payment_method: "crypto",
    to_currency: "USDT_TRC20",
  };
  const { charge_id } = await api.whitelabel(await api.checkoutBody(order), {
    "sandbox-scenario": "crypto_confirmations",
  });
  const balance = async () => (await api.balance("USDT_TRC20")) ?? "none";
  const seen: string[][] = [];
  for (const by of ["5s", "30s", "2m", "59999ms", "1ms"]) {
    await api.sandbox.advance(by);
    const { status, settled_at } = await api.charge(charge_id);
    seen.push([by, status, settled_at ?? "not settled", await balance()]);
  }
  expect(seen).toEqual([
    ["5s", "AWAITING_PAYMENT", "not settled", "none"],
    ["30s", "PROCESSING", "not settled", "none"],
    ["2m", "COMPLETED", "not settled", "0.000000 / 100.000000"],
    ["59999ms", "COMPLETED", "not settled", "0.000000 / 100.000000"],
    ["1ms", "COMPLETED", later(155 + 60), "100.000000 / 0.000000"],
  ]);
  expect(receiver.types).toEqual(["charge.awaiting_payment", "charge.processing", "charge.completed"]);
});

const WITHDRAWALS: Readonly<Record<string, Outcome>> = {
  default: { path: "1 PROCESSING, 3 COMPLETED", balance: "400.00" },
  success: { path: "1 PROCESSING, 3 COMPLETED", balance: "400.00" },
  instant: { path: "0 COMPLETED", balance: "400.00" },
  insufficient_funds: { path: "1 PROCESSING, 3 FAILED", balance: "1000.00", reason: "insufficient_funds" },
  cancelled: { path: "5 CANCELLED", balance: "1000.00" },
  stuck: { path: "1 PROCESSING", balance: "400.00" },
  slow: { path: "3600 PROCESSING, 86400 COMPLETED", balance: "400.00" },
};

it.each(Object.entries(WITHDRAWALS))(
  "withdrawals with the scenario %s follow its timeline",
  async (name, { path, balance, reason = null }) => {
    const changes = changesOf(path);
    const { api, receiver } = await openWithReceiver();
    const destination = await createFundedDestination(api);
    const { withdrawal_id, status } = await withdraw(api, destination, { "sandbox-scenario": name });
    expect(status).toBe("PENDING");
    if (name !== "instant") expect(await api.balance("KES")).toBe("400.00 / 0.00");
    await expectChanges(api, changes, () => readWithdrawal(api, withdrawal_id));
    expect((await readWithdrawal(api, withdrawal_id)).failure_reason).toBe(reason);
    expect(await api.balance("KES")).toBe(`${balance} / 0.00`);
    const told = receiver.types.filter((type) => type.startsWith("withdrawal."));
    const statuses = name === "instant" ? ["PROCESSING", "COMPLETED"] : changes.map(([, status]) => status);
    expect(told).toEqual(statuses.map((status) => `withdrawal.${status.toLowerCase()}`));
  },
);

it("the scenario `success` completes withdrawals with every reference", async ({ api }) => {
  const destination = await createFundedDestination(api);
  const marked = { amount: "500.00", reference: "fail-17" };
  const asked = await withdraw(api, destination, { "sandbox-scenario": "success" }, marked);
  const usual = await withdraw(api, destination, {}, marked);
  await api.sandbox.advance("3s");
  expect((await readWithdrawal(api, asked.withdrawal_id)).status).toBe("COMPLETED");
  expect(await readWithdrawal(api, usual.withdrawal_id)).toMatchObject({
    status: "FAILED",
    failure_reason: "rejected_by_bank",
  });
  expect(await api.balance("KES")).toBe("500.00 / 0.00");
});

const KES = (amount: string) => ({ base_currency: "KES", amount });

it.each<[string, Record<string, unknown>, string, string | null]>([
  ["declined@", { customer_email: "declined@example.com" }, "FAILED", "declined"],
  ["cancelled@", { customer_email: "cancelled@x.test" }, "CANCELLED", null],
  ["expired@", { customer_email: "expired@x.test" }, "EXPIRED", null],
  ["stuck@", { customer_email: "stuck@x.test" }, "PROCESSING", null],
  ["late@", { customer_email: "late@x.test" }, "COMPLETED", null],
  ["refunded@", { customer_email: "refunded@x.test" }, "REFUNDED", null],
  ["phone …049", { phone_number: "+254712345049" }, "FAILED", "declined_by_operator"],
  ["phone …051", { phone_number: "+254712345051" }, "FAILED", "insufficient_funds"],
  ["phone …052", { phone_number: "+254712345052" }, "EXPIRED", null],
  ["9999.49", { pricing: KES("9999.49") }, "FAILED", "declined"],
  ["9999.51", { pricing: KES("9999.51") }, "FAILED", "insufficient_funds"],
  ["9999.50", { pricing: KES("9999.50") }, "COMPLETED", null],
  ["another address", { customer_email: "not.declined@x.test" }, "COMPLETED", null],
  ["another phone", { phone_number: "+254704912345" }, "COMPLETED", null],
  ["phone …049 and a card", { payment_method: "card", phone_number: "+254712345049" }, "COMPLETED", null],
])("the default scenario reacts to the magic value %s", async (_what, order, status, reason) => {
  const api = await openApi();
  const { charge_id } = await api.pay(order);
  await api.sandbox.advance("2h");
  expect(await api.charge(charge_id)).toMatchObject({ status, failure_reason: reason });
});
