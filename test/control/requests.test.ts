import { describe, expect, it } from "vitest";
import { expectInvalid, later, openApi, openSandbox, START } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";

const open = async (options = {}) => Client.of(await openSandbox(options));
interface Entry {
  request_id: number;
  operation: string | null;
  status: number;
}

describe("GET /_sandbox/requests", () => {
  it("shows what the app sent and got, bodies too, keys masked, newest first", async () => {
    const client = await open();
    const id = await client.pay({ email: "ada@shop.test" });
    const answer = await client.call("GET", "/_sandbox/requests");
    expect(answer.json.total).toBe(2);
    const [checkout, quote] = answer.json.items;
    expect(quote).toMatchObject({ operation: "createQuote", at: START, status: 200 });
    expect(checkout).toMatchObject({
      method: "POST",
      path: "/api/v1/payments/whitelabel",
      operation: "createWhitelabel",
      request_body: { customer_email: "ada@shop.test" },
      response_body: { charge_id: id, status: "PENDING" },
      fault: null,
    });
    expect(checkout.request_id).toBeGreaterThan(quote.request_id);
    expect(checkout.api_key).toBe("sk_test_…dbox");
    expect(answer.text).not.toContain("sk_test_sandbox");
  });

  it("never writes down the control API's own calls", async () => {
    const client = await open();
    await client.call("GET", "/_sandbox/charges");
    expect((await client.call("GET", "/_sandbox/requests")).json).toEqual({ total: 0, items: [] });
  });

  it("shows calls of what there is not: a misspelt path, a wrong method; not what a browser asks for by itself", async () => {
    const client = await open();
    await client.call("GET", "/api/v1/accounts/balance");
    await client.call("POST", "/api/v1/accounts/balances", { a: 1 });
    await client.call("GET", "/api/v1/nothing", undefined, { authorization: "" });
    await client.call("GET", "/favicon.ico", undefined, { authorization: "" });
    await client.call("GET", "/_sandbox/nothing");
    const { items } = (await client.call("GET", "/_sandbox/requests?status=4xx")).json;
    expect(items.map((one: Record<string, unknown>) => [one.path, one.operation, one.status])).toEqual([
      ["/api/v1/nothing", null, 404],
      ["/api/v1/accounts/balances", null, 405],
      ["/api/v1/accounts/balance", null, 404],
    ]);
    expect(items[1]).toMatchObject({ request_body: { a: 1 }, api_key: "sk_test_…dbox" });
    expect(items[2].response_body.error.code).toBe("NOT_FOUND");
  });

  it("filters by method, path, operation, status and class of status", async () => {
    const client = await open();
    const id = await client.pay();
    await client.call("GET", `/api/v1/payments/charges/${id}`);
    await client.call("GET", "/api/v1/payments/charges/ch_x");
    await client.call("GET", "/api/v1/accounts/balances", undefined, { authorization: "Bearer wrong" });
    const found = async (query: string) =>
      (await client.call("GET", `/_sandbox/requests?${query}`)).json.items.map(
        (one: Entry) => `${one.operation} ${one.status}`,
      );
    expect(await found("method=post")).toEqual(["createWhitelabel 200", "createQuote 200"]);
    expect(await found("path=/api/v1/payments/charges/*")).toEqual(["getCharge 404", "getCharge 200"]);
    expect(await found("operation=create*")).toEqual(["createWhitelabel 200", "createQuote 200"]);
    expect(await found("status=4xx")).toEqual(["getBalances 401", "getCharge 404"]);
    expect(await found("status=404&operation=getCharge")).toEqual(["getCharge 404"]);
    expect(await found("status=5xx")).toEqual([]);
    expect((await client.call("GET", "/_sandbox/requests?limit=1&offset=1")).json).toMatchObject({
      total: 5,
      items: [{ operation: "getCharge", status: 404 }],
    });
  });

  it("since an instant (written in any way) or since a request", async () => {
    const client = await open();
    await client.quote();
    await client.call("POST", "/_sandbox/clock/advance", { by: "5s" });
    await client.quote();
    const total = async (since: string) =>
      (await client.call("GET", `/_sandbox/requests?since=${encodeURIComponent(since)}`)).json.total;
    expect(await total(START)).toBe(2);
    expect(await total(START.replace(".000Z", "Z"))).toBe(2);
    expect(await total(later(5))).toBe(1);
    expect(await total(later(5).replace(".000Z", "Z"))).toBe(1);
    expect(await total(later(5).replace("T09", "T11").replace("Z", "+02:00"))).toBe(1);
    expect(await total(later(6))).toBe(0);
    expect(await total("1")).toBe(1);
    expect(await total("2")).toBe(0);
  });

  it.each([
    ["status=abc", "status"],
    ["status=4", "status"],
    ["since=yesterday", "since"],
    ["limit=0", "limit"],
  ])("refuses %s", async (query, field) => {
    expectInvalid(await (await openApi()).get(`/_sandbox/requests?${query}`), field);
  });

  it("shows what is no JSON as the text it was", async () => {
    const api = await openApi();
    await api.post("/api/v1/payments/quotes", "{nonsense");
    const { body } = await api.get<{ items: { request_body: unknown; status: number }[] }>(
      "/_sandbox/requests",
    );
    expect(body.items[0]).toMatchObject({ request_body: "{nonsense", status: 400 });
  });

  it("keeps the last ones only, as many as retention says", async () => {
    const client = await open({ retention: { requests: 3 } });
    for (let n = 0; n < 5; n++) await client.quote();
    const { json } = await client.call("GET", "/_sandbox/requests");
    expect(json.items.map((one: Entry) => one.request_id)).toEqual([5, 4, 3]);
  });

  it("is emptied by DELETE", async () => {
    const client = await open();
    await client.quote();
    expect((await client.call("DELETE", "/_sandbox/requests")).status).toBe(200);
    expect((await client.call("GET", "/_sandbox/requests")).json.total).toBe(0);
    await client.quote();
    expect((await client.call("GET", "/_sandbox/requests")).json.total).toBe(1);
  });
});
