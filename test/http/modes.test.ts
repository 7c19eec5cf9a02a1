import { expect, it } from "vitest";
import { type Api, expectError, expectInvalid, openApi } from "../support/api-client.js";

/** A test caller and a live caller of the same organization. */
async function both(): Promise<[Api, Api]> {
  const api = await openApi();
  return [api, api.as(api.sandbox.liveApiKey)];
}

it("a charge is seen in the mode of the key that made it, and in no other [R1.9 R1.12 R27.2 R27.3]", async () => {
  for (const [maker, other] of [await both(), (await both()).reverse() as [Api, Api]]) {
    const { charge_id } = await maker.pay();
    expect((await maker.charge(charge_id)).charge_id).toBe(charge_id);
    expectError(await other.get(`/api/v1/payments/charges/${charge_id}`), 404, "NOT_FOUND");
    expectError(await other.get(`/api/v1/payments/payins/${charge_id}`), 404, "NOT_FOUND");
    expect([(await maker.payins()).total, (await other.payins()).total]).toEqual([1, 0]);
  }
});

it("a quote is valid in its own mode only [R1.12]", async () => {
  const [test, live] = await both();
  expectInvalid(await live.tryWhitelabel(await test.checkoutBody()), "quote_id");
  expectInvalid(await test.tryWhitelabel(await live.checkoutBody()), "quote_id");
});

it("balances are those of the mode [R1.12]", async () => {
  const [test, live] = await both();
  await live.pay();
  await test.advance({ by: "5s" });
  expect(await live.balance("KES")).toBe("500.00 / 0.00");
  expect(await test.balance("KES")).toBeUndefined();
  expect((await test.balances()).total_balance_usd).toBe("0.00");
});

it("all features behave the same: a run in live mode answers what the same run in test mode does [R1.11]", async () => {
  const run = async (api: Api): Promise<string[]> => {
    const paid = await api.pay({ metadata: { order: "A-17" } });
    const texts = [JSON.stringify(paid)];
    for (const by of ["1s", "2s", "2s"]) {
      texts.push((await api.get(`/api/v1/payments/charges/${paid.charge_id}`)).text);
      texts.push((await api.tryPayins("?status_filter=PROCESSING")).text);
      await api.advance({ by });
    }
    texts.push(JSON.stringify(await api.balances()), (await api.tryQuote({})).text);
    return texts;
  };
  const [test] = await both();
  const [, live] = await both();
  expect(await run(live)).toEqual(await run(test));
});
