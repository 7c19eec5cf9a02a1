import { expect, it } from "vitest";
import { errorOf, KES_ORDER, openApi } from "../support/api-client.js";

it("a namespace with limits.charges charges returns 507 until it is reset", async () => {
  const api = await openApi({ limits: { charges: 2 } });
  const checkout = () => api.post("/api/v1/payments/checkouts", { pricing: KES_ORDER.pricing });
  expect([(await checkout()).status, (await checkout()).status]).toEqual([200, 200]);
  const body = await api.checkoutBody();
  for (const refused of [await checkout(), await api.tryWhitelabel(body)])
    expect([refused.status, errorOf(refused.text)]).toEqual([
      507,
      {
        code: "LIMIT_REACHED",
        message:
          "The namespace holds 2 charges, and its limit is 2: reset it, delete it, or raise limits.charges.",
      },
    ]);
  await api.post("/_sandbox/reset", {});
  expect((await checkout()).status).toBe(200);
});

it("limits.charges must be a number", async () => {
  await expect(openApi({ limits: { charges: 0 } })).rejects.toThrow("limits.charges");
});
