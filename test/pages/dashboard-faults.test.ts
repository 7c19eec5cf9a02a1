import { describe, expect, it } from "vitest";
import { started } from "./support/dashboard.js";

const textOf = (page: string) => page.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

describe("faults in the dashboard", () => {
  it("are written as JSON, refused with what is wrong and kept, and show their hits", async () => {
    const { charge, page, press, home, api } = await started();
    const rule = {
      match: { operation: "createWhitelabel", customer_email: "*@shop.test" },
      respond: { status: 503, code: "busy" },
      times: 2,
      per: "request",
    };
    for (const [wrong, says] of [
      ["{no", "is not valid JSON"],
      [JSON.stringify({ ...rule, times: "none" }), "times"],
      [JSON.stringify({ ...rule, respond: { status: 200 } }), "must be 400 to 599"],
      [JSON.stringify({ ...rule, match: { no_such_field: "x" } }), "no_such_field"],
      [JSON.stringify({ match: rule.match, delay: "soon" }), "delay"],
    ] as const) {
      const refused = await press("fault", { rule: wrong, back: `${home}/faults` });
      expect([wrong, refused.status, refused.text.includes(says)]).toEqual([wrong, 409, true]);
      // The text that was sent is still in the field.
      expect(refused.text).toContain(wrong.replaceAll('"', "&quot;"));
    }
    const set = await press("fault", { rule: JSON.stringify(rule), back: `${home}/faults` });
    expect(set.text).toContain("Fault started for createWhitelabel");
    await charge("bob@other.test");
    const order = { pricing: { base_currency: "USD", amount: "5.00" }, payment_method: "card" };
    const { quote_id } = await api.quote(order);
    const refused = await api.post("/api/v1/payments/whitelabel", {
      ...order,
      quote_id,
      customer_email: "ada@shop.test",
    });
    expect(refused.status).toBe(503);
    const active = textOf(await page("/faults"));
    expect(active).toContain("createWhitelabel, customer_email *@shop.test → return 503 busy");
    expect(active).toMatch(/1 of 2 used.*last hit \d\d:\d\d:\d\d POST \/api\/v1\/payments\/whitelabel/);
  });
});
