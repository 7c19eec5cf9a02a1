import { describe, expect } from "vitest";
import { expectError, expectInvalid, okBody } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const NGN_TO_KES = { pricing: { base_currency: "NGN", amount: "1550.00" }, payment_method: "mobile_money" };

describe("/_sandbox/rates", () => {
  it("shows units for one dollar, and changes those named", async ({ api }) => {
    const { rates } = okBody(await api.get<{ rates: Record<string, string> }>("/_sandbox/rates"));
    expect(rates).toMatchObject({ USD: "1", NGN: "1550", KES: "129" });
    const put = await api.put<{ rates: Record<string, string> }>("/_sandbox/rates", {
      rates: { NGN: "1600" },
    });
    expect(put.body.rates).toEqual({ ...rates, NGN: "1600" });
    expect(
      (await api.put<{ rates: Record<string, string> }>("/_sandbox/rates", { KES: "130" })).body.rates,
    ).toEqual({
      ...rates,
      NGN: "1600",
      KES: "130",
    });
  });

  it("holds for new quotes; one made before keeps its rate, and so does its charge", async ({ api }) => {
    const wanted = { ...NGN_TO_KES, to_currency: "KES" };
    const before = await api.quote(wanted);
    await api.put("/_sandbox/rates", { rates: { KES: "258" } });
    const after = await api.quote(wanted);
    expect([before.settlement_amount, after.settlement_amount]).toEqual(["129.00", "258.00"]);
    const charge = await api.whitelabel({
      ...NGN_TO_KES,
      quote_id: before.quote_id,
      customer_email: "ada@shop.test",
      phone_number: "+254700000001",
    });
    expect(charge).toMatchObject({ amount: before.amount, currency: "KES" });
  });

  it("refuses a rate that is none and a currency that is not there, and changes nothing", async ({ api }) => {
    const before = (await api.get("/_sandbox/rates")).text;
    for (const rate of ["0", "-1", "abc", "1e3"])
      expectInvalid(await api.put("/_sandbox/rates", { rates: { NGN: rate } }), "NGN");
    expectInvalid(await api.put("/_sandbox/rates", { rates: { NGN: 1600 } }), "NGN");
    expectError(
      await api.put("/_sandbox/rates", { rates: { NGN: "1600", XXX: "1" } }),
      400,
      "VALIDATION_ERROR",
    );
    expect((await api.get("/_sandbox/rates")).text).toBe(before);
  });
});
