import { describe, expect, it } from "vitest";
import { openDashboard, textOf } from "./support/dashboard.js";

describe("the page of a request", () => {
  it("the page of a request shows refused fields and its call as curl", async () => {
    const { sandbox, api, page, press, send } = await openDashboard();
    const wrong = { pricing: { base_currency: "kes", amount: 500 }, payment_method: "mobile_mony", meta: 1 };
    expect((await api.tryQuote(wrong)).status).toBe(400);
    expect(textOf(await page())).toMatch(
      /✗ 1 refused POST \/api\/v1\/payments\/quotes 400 pricing\.\w+ must be .* and 2 more Copy command /,
    );
    await api.tryQuote(wrong);
    expect(textOf(await page())).toContain("✗ 400 ×2");
    const id = newest(await page("/requests"));
    const request = await page(`/requests/${id}`);
    expect(request).toContain("-d &#39;{&quot;pricing&quot;");
    const problems = textOf(request);
    expect(problems).toMatch(/pricing\.amount sent 500 , must be a string: send "500"/);
    expect(problems).toMatch(/payment_method sent &quot;mobile_mony&quot; , must be one of/);
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    await send("/api/v1/payments/payins?limit=x", { headers });
    const refused = await page(`/requests/${newest(await page("/requests"))}`);
    const query = textOf(refused);
    expect(query).toMatch(/limit sent &quot;x&quot; , must be/);
    await send("/api/v1/payment/quotes", { method: "POST", headers });
    const lost = textOf(await page(`/requests/${newest(await page("/requests"))}`));
    expect(lost).toContain("did you mean /api/v1/payments/quotes");
    await press("fundBalance?mode=test", { currency: "KES", amount: "1105.10" });
    const payout = { destination_id: await api.destination(), currency: "KES", amount: "9999.00" };
    await api.post("/api/v1/payouts/withdrawals", payout);
    const poor = await page(`/requests/${newest(await page("/requests"))}`);
    expect(textOf(poor)).toContain(
      "amount sent &quot;9999.00&quot; , available now: KES 1,105.10 ; add money",
    );
  });

  it("the Needs attention list shows errors of the app until its operation succeeds, and none that a fault caused", async () => {
    const { press, page, api, charge } = await openDashboard();
    const rule = { match: { operation: "createQuote" }, respond: { status: 503 }, times: 6 };
    await press("createFault", { json: JSON.stringify(rule) });
    for (let one = 0; one < 6; one++) await charge("ada@example.com").catch(() => undefined);
    const met = textOf(await page(`/requests/${newest(await page("/requests"))}`));
    expect(met).toContain("Why: fault createQuote → 503 Operation");
    expect(textOf(await page("/requests"))).toMatch(
      /✗ 503 POST \/payments\/quotes fault createQuote → 503 [^✗✓]* \d\d:\d\d:\d\d ✗/,
    );
    const body = { pricing: { base_currency: "USD", amount: "5.00" }, payment_method: "card" };
    for (const field of ["a", "b", "c", "d", "e", "f"])
      await api.quote({ ...body, [field]: 1, payment_method: field }).catch(() => undefined);
    for (let one = 0; one < 5; one++)
      await api.send("GET", `/api/v1/payments/${"x".repeat(one + 1)}`).catch(() => undefined);
    const attention = textOf(`<main${(await page()).split('id="attention"')[1]!.split("</section>")[0]}`);
    expect(attention.match(/✗ \d refused \w+/g)).toEqual([
      "✗ 6 refused POST",
      ...Array(5).fill("✗ 1 refused GET"),
    ]);
    expect(attention).not.toContain("✗ 503");
    expect(attention).toContain("In effect: fault createQuote → return 503");
    await press("createFault", { json: JSON.stringify({ match: { operation: "getPayin" }, delay: "20ms" }) });
    await api.send("GET", "/api/v1/payments/payins/ch_0123456789abcdef01234567").catch(() => undefined);
    const late = textOf(await page(`/requests/${newest(await page("/requests"))}`));
    expect(late).toMatch(/Why: Charge not found · delayed 20ms by a fault Operation/);
    expect(textOf(await page())).toMatch(/404 GET \/payments\/payins\/ch_\w+ Charge not found/);
    await press("make");
    expect((await page()).split('id="activity"')[0]).toContain("6 refused");
    await charge("ada@example.com");
    expect((await page()).split('id="activity"')[0]).not.toContain("6 refused");
  });
});

function newest(list: string): string {
  return /requests\/(\d+)"/.exec(list)![1]!;
}
