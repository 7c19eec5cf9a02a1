import { describe, expect, it } from "vitest";
import { said, started } from "./support/dashboard.js";

describe("a request on the dashboard", () => {
  it("shows its faults field by field, and is sent again with changes", async () => {
    const { sandbox, api, page, press, send } = await started();
    const wrong = { pricing: { base_currency: "kes", amount: 500 }, payment_method: "mobile_mony", meta: 1 };
    expect((await api.tryQuote(wrong)).status).toBe(400);
    expect(said(await page())).toMatch(/pricing\.\w+ must be .* Copy curl Open POST/);
    await api.tryQuote(wrong);
    expect(said(await page("?show=requests"))).toContain("✗ 400 ×2");
    const id = newest(await page("/requests"));
    const request = await page(`/requests/${id}`);
    expect(request).toContain('name="path" value="/api/v1/payments/quotes"');
    expect(request).toContain("-d &#39;{&quot;pricing&quot;");
    const problems = said(request);
    expect(problems).toMatch(/pricing\.amount you sent 500 · must be/);
    expect(problems).toMatch(/payment_method you sent &quot;mobile_mony&quot; · must be one of/);
    const fields = { method: "POST", path: "/api/v1/payments/quotes", key: "same" };
    const pricing = { base_currency: "KES", amount: "500.00" };
    const body = JSON.stringify({ pricing, payment_method: "mobile_money" });
    const sent = await press(`send?request_id=${id}`, { ...fields, body });
    expect(said(sent.text)).toContain("POST /api/v1/payments/quotes: 200");
    expect(sent.location).toBe(`/_sandbox/dashboard/default/requests/${newest(await page("/requests"))}`);
    const empty = await press(`send?request_id=${id}`, { ...fields, body: "{}" });
    expect(said(empty.text)).toMatch(/payment_method is required/);
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    await send("/api/v1/payments/payins?limit=x", { headers });
    const query = said(await page(`/requests/${newest(await page("/requests"))}`));
    expect(query).toMatch(/limit you sent &quot;x&quot; · must be/);
    await send("/api/v1/payment/quotes", { method: "POST", headers });
    const lost = said(await page(`/requests/${newest(await page("/requests"))}`));
    expect(lost).toContain("did you mean /api/v1/payments/quotes");
  });

  it("is listed under Needs attention for the app's mistakes first, with a count of the rest, separate from faults", async () => {
    const { press, page, api, charge } = await started();
    const rule = { match: { operation: "createQuote" }, respond: { status: 503 }, times: 6 };
    await press("createFault", { rule: JSON.stringify(rule) });
    for (let one = 0; one < 6; one++) await charge("ada@example.com").catch(() => undefined);
    const met = said(await page(`/requests/${newest(await page("/requests"))}`));
    expect(met).toMatch(/Why: fault flt_\w+ interfered/);
    const body = { pricing: { base_currency: "USD", amount: "5.00" }, payment_method: "card" };
    for (const field of ["a", "b", "c", "d", "e", "f"])
      await api.quote({ ...body, [field]: 1, payment_method: field }).catch(() => undefined);
    for (let one = 0; one < 5; one++)
      await api.send("GET", `/api/v1/payments/${"x".repeat(one + 1)}`).catch(() => undefined);
    expect(said(await page())).toMatch(
      /xxxxx[\s\S]*2 more Other failed calls [\s\S]*Calls that failed because of your faults createQuote 503 ×6/,
    );
  });

  it("shows its own advice, and is replayed", async () => {
    const { api, page, press } = await started();
    const order = { pricing: { base_currency: "USD", amount: "5.00" }, payment_method: "card" };
    const { quote_id } = await api.quote(order);
    await api.whitelabel({ ...order, quote_id, customer_email: "a@b.test", order: "7" });
    const [made, quote] = [...(await page("/requests")).matchAll(/requests\/(\d+)"/g)].map(([, id]) => id!);
    expect(said(await page(`/requests/${made}`))).toContain("docs/advice.md#tolerated");
    expect(said(await page(`/requests/${quote}`))).not.toContain("docs/advice.md");
    const again = await press(`replay?request_id=${quote}`);
    expect(said(again.text)).toContain("POST /api/v1/payments/quotes: 200");
    expect(said(again.text)).toContain("Sent by dashboard");
    expect(said((await press("replay?request_id=999")).text)).toContain("no longer in the journal");
  });

  it("shows several pieces of advice", async () => {
    const { api, page } = await started();
    for (const query of ["", "?a=b", ""]) await api.send("GET", `/api/v1/accounts/balances${query}`);
    const ids = [...(await page("/requests")).matchAll(/requests\/(\d+)"/g)].map(([, id]) => id!);
    const pages = await Promise.all(ids.reverse().map((id) => page(`/requests/${id}`)));
    expect(
      pages.map((one) => [...said(one).matchAll(/docs\/advice\.md#(\w+)/g)].map(([, id]) => id)),
    ).toEqual([[], ["balances_too_often", "tolerated"], ["balances_too_often"]]);
  });

  it("is refused with invalid JSON, an unknown path or an unknown method", async () => {
    const { api, page, press } = await started();
    await api.tryQuote({});
    const id = newest(await page("/requests"));
    const sends = (fields: Record<string, string>) =>
      press(`send?request_id=${id}`, {
        method: "POST",
        path: "/api/v1/payments/quotes",
        body: "{}",
        key: "test",
        ...fields,
      });
    for (const [fields, words] of [
      [{ body: '{\n "a": }' }, /body is not JSON: line 2, column 7: expected a value, found &quot;}&quot;/],
      [{ path: "/_sandbox/reset" }, /path must be a path of the service/],
      [{ method: "TRACE" }, /method must be one of GET/],
    ] as const)
      expect(said((await sends(fields)).text)).toMatch(words);
    expect(said((await sends({ key: "none" })).text)).toContain("401");
  });
});

function newest(list: string): string {
  return /requests\/(\d+)"/.exec(list)![1]!;
}
