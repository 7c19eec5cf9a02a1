import { describe, expect } from "vitest";
import { openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { fundedDestination, withdraw, withdrawalOf } from "./support/fates.js";

const KES = (amount: string) => ({ base_currency: "KES", amount });

describe("magic values", () => {
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
    [
      "a magic phone number and a card",
      { payment_method: "card", phone_number: "+254712345049" },
      "COMPLETED",
      null,
    ],
  ])("%s", async (_what, order, status, reason) => {
    const api = await openApi();
    const { charge_id } = await api.pay(order);
    await api.sandbox.advance("2h");
    expect(await api.charge(charge_id)).toMatchObject({ status, failure_reason: reason });
  });

  it("a withdrawal whose reference begins with fail", async ({ api }) => {
    const destination = await fundedDestination(api);
    const { withdrawal_id } = await withdraw(api, destination, {}, { reference: "failing-17" });
    await api.sandbox.advance("3s");
    expect(await withdrawalOf(api, withdrawal_id)).toMatchObject({
      status: "FAILED",
      failure_reason: "rejected_by_bank",
    });
    expect(await api.balance("KES")).toBe("1000.00 / 0.00");
  });
});
