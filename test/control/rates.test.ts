import { describe, expect } from "vitest";
import { expectError, expectInvalid } from "../support/api-client.js";
import { it } from "../support/api-test.js";

describe("/_sandbox/rates", () => {
  it("returns units for one dollar, and changes those named", async ({ api }) => {
    const { rates } = (await api.get("/_sandbox/rates")).json;
    expect(rates).toMatchObject({ USD: "1", NGN: "1550", KES: "129" });
    const put = async (body: object) => (await api.put("/_sandbox/rates", body)).json.rates;
    expect(await put({ rates: { NGN: "1600" } })).toEqual({ ...rates, NGN: "1600" });
    expect(await put({ KES: "130" })).toEqual({ ...rates, NGN: "1600", KES: "130" });
  });

  it("refuses an invalid rate and an unknown currency, and changes nothing", async ({ api }) => {
    const before = (await api.get("/_sandbox/rates")).text;
    for (const rate of ["0", "-1", "abc", "1e3"])
      expectInvalid(await api.put("/_sandbox/rates", { rates: { NGN: rate } }), "NGN");
    expectInvalid(await api.put("/_sandbox/rates", { rates: { NGN: 1600 } }), "NGN");
    expectError(
      await api.put("/_sandbox/rates", { rates: { NGN: "1600", XXX: "1" } }),
      400,
      "VALIDATION_ERROR",
    );
    for (const more of [{ NGNN: "5" }, { NGN: "5", KES: "x" }])
      expectInvalid(
        await api.put("/_sandbox/rates", { rates: { GHS: "12" }, ...more }),
        ...Object.keys(more),
      );
    expect((await api.get("/_sandbox/rates")).text).toBe(before);
  });
});
