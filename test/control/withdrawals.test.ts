import { describe, expect } from "vitest";
import { type Api, expectError, expectInvalid, okBody } from "../support/api-client.js";
import { it } from "../support/api-test.js";

/** A withdrawal of 600.00 of the 1000.00 KES that were paid. */
async function withdrawal(api: Api): Promise<string> {
  await api.pay({ pricing: { base_currency: "KES", amount: "1000.00" } });
  await api.advance({ by: "10s" });
  const { destination_id } = okBody(
    await api.post<{ destination_id: string }>("/api/v1/payouts/destinations", {
      type: "mobile_money",
      currency: "KES",
      phone_number: "+254700000001",
      provider: "SimbaPesa Sandbox",
    }),
  );
  const body = { destination_id, amount: "600.00", currency: "KES", reference: "r1" };
  return okBody(await api.post<{ withdrawal_id: string }>("/api/v1/payouts/withdrawals", body)).withdrawal_id;
}

describe("POST /_sandbox/withdrawals/{id}/transition", () => {
  const move = (api: Api, id: string, body: unknown) =>
    api.post<{ status: string }>(`/_sandbox/withdrawals/${id}/transition`, body);

  it("fails one with a reason, gives the money back, and cancels the rest of its timeline", async ({
    api,
  }) => {
    const id = await withdrawal(api);
    expect(await api.balance("KES")).toBe("400.00 / 0.00");
    expect((await move(api, id, { to: "PROCESSING" })).body.status).toBe("PROCESSING");
    const failed = await move(api, id, { to: "FAILED", reason: "bank_closed" });
    expect(failed.body).toMatchObject({ status: "FAILED", failure_reason: "bank_closed" });
    expect(await api.balance("KES")).toBe("1000.00 / 0.00");
    await api.advance({ by: "1h" });
    expect((await api.get(`/api/v1/payouts/withdrawals/${id}`)).body).toMatchObject({ status: "FAILED" });
    const events = await api.get<{ items: { type: string; withdrawal_id: string }[] }>(
      "/_sandbox/events?type=withdrawal.*",
    );
    expect(events.body.items.map((one) => [one.type, one.withdrawal_id])).toEqual([
      ["withdrawal.failed", id],
      ["withdrawal.processing", id],
    ]);
  });

  it("cancels one only while it is pending", async ({ api }) => {
    const id = await withdrawal(api);
    await move(api, id, { to: "PROCESSING" });
    expectError(await move(api, id, { to: "CANCELLED" }), 409, "INVALID_TRANSITION");
    expect((await move(api, id, { to: "COMPLETED" })).body.status).toBe("COMPLETED");
    expectError(await move(api, id, { to: "FAILED" }), 409, "INVALID_TRANSITION");
    expect(await api.balance("KES")).toBe("400.00 / 0.00");
  });

  it("refuses what is no status, and a withdrawal that is not there", async ({ api }) => {
    expectInvalid(await move(api, "wd_x", { to: "REFUNDED" }), "to");
    expectError(await move(api, "wd_x", { to: "FAILED" }), 404, "NOT_FOUND");
  });
});
