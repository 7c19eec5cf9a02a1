import { expect } from "vitest";
import { expectInvalid } from "../support/api-client.js";
import { it } from "../support/api-test.js";

it("PUT /_sandbox/rates changes only the named currencies", async ({ api }) => {
  const { rates } = (await api.get("/_sandbox/rates")).json;
  expect(rates).toMatchObject({ USD: "1", NGN: "1550", KES: "129" });
  const put = async (body: object) => (await api.put("/_sandbox/rates", body)).json.rates;
  expect(await put({ rates: { NGN: "1600" } })).toEqual({ ...rates, NGN: "1600" });
  expect(await put({ KES: "130" })).toEqual({ ...rates, NGN: "1600", KES: "130" });
});

it("PUT /_sandbox/rates refuses currencies outside of `rates`", async ({ api }) => {
  const before = (await api.get("/_sandbox/rates")).text;
  for (const more of [{ NGNN: "5" }, { NGN: "5", KES: "x" }])
    expectInvalid(await api.put("/_sandbox/rates", { rates: { GHS: "12" }, ...more }), ...Object.keys(more));
  expect((await api.get("/_sandbox/rates")).text).toBe(before);
});

it.for([{ XXX: "1" }, { KES: "x" }, { USD: "2" }])(
  "PUT /_sandbox/rates names a refused currency where the body has it: %j",
  async (rates, { api }) => {
    const [code] = Object.keys(rates);
    expectInvalid(await api.put("/_sandbox/rates", { rates }), `rates.${code}`);
    expectInvalid(await api.put("/_sandbox/rates", rates), code!);
  },
);
