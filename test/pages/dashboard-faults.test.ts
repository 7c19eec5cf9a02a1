import { describe, expect, it } from "vitest";
import { started } from "./support/dashboard.js";

const textOf = (page: string) => page.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

describe("faults in the dashboard", () => {
  it("are built from fields, and say beforehand what they would have met", async () => {
    const { charge, page, press, home, api } = await started();
    for (const email of ["ada@shop.test", "bob@other.test", "cy@shop.test"])
      await charge(email, { metadata: { order_id: `A-${email.length}` } });
    const query = {
      operation: "createWhitelabel",
      field1: "customer_email",
      value1: "*@shop.test",
      effect: "respond",
      status: "503",
      code: "busy",
      times: "2",
      skip: "0",
      probability: "0.5",
      per: "request",
    };
    const built = await page(`/faults?${new URLSearchParams(query)}`);
    expect(textOf(built)).toContain("Matches 2 of your last 6 requests.");
    const command = /data-copy="(payments-sandbox fault add [^"]+)"/.exec(built)![1]!;
    const rule = JSON.parse(/'(.*)'/.exec(command.replaceAll("&quot;", '"').replaceAll("&#39;", "'"))![1]!);
    expect(rule).toEqual({
      match: { operation: "createWhitelabel", customer_email: "*@shop.test" },
      respond: { status: 503, code: "busy" },
      times: 2,
      probability: 0.5,
      per: "request",
    });
    const ofOrder = { ...query, field2: "metadata.order_id", value2: "A-12" };
    expect(textOf(await page(`/faults?${new URLSearchParams(ofOrder)}`))).toContain(
      "Matches 1 of your last 6",
    );
    for (const [wrong, says] of [
      [{ times: "none" }, "times"],
      [{ status: "200" }, "must be 400 to 599"],
      [{ field1: "no_such_field" }, "no_such_field"],
      [{ effect: "delay", delay: "soon" }, "delay"],
      [{ effect: "odd" }, "drop"],
    ] as const) {
      expect(textOf(await page(`/faults?${new URLSearchParams({ ...query, ...wrong })}`))).toContain(says);
      const refused = await press("fault", { ...query, ...wrong, back: `${home}/faults` });
      expect([refused.status, refused.text.includes(says)]).toEqual([409, true]);
      // What was filled in is there still.
      expect(refused.text).toContain(`value="*@shop.test"`);
    }
    expect((await press("fault", { ...query, probability: "", back: `${home}/faults` })).text).toContain(
      "The fault is set for createWhitelabel",
    );
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
