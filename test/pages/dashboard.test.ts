import { describe, expect, it } from "vitest";
import { Api, openSandbox } from "../support/api-client.js";

async function started() {
  const sandbox = await openSandbox();
  const api = new Api(sandbox);
  const send = (path: string, init: RequestInit = {}) =>
    sandbox.fetch(new Request(`http://sandbox${path}`, init));
  const charge = async (customer_email: string) => {
    const order = { pricing: { base_currency: "USD", amount: "5.00" }, payment_method: "card" };
    const { quote_id } = await api.quote(order);
    return (await api.whitelabel({ ...order, quote_id, customer_email })).charge_id;
  };
  const press = (fields: Record<string, string>, extra: Record<string, string> = {}) =>
    send("/_sandbox/dashboard", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...extra },
      body: new URLSearchParams({ namespace: "default", ...fields }).toString(),
    });
  const page = async () => (await send("/_sandbox/dashboard")).text();
  return { sandbox, send, charge, press, page };
}

describe("dashboard", () => {
  it("is where a browser at / is led, and what a program at / is told of", async () => {
    const { send } = await started();
    const browser = await send("/", { headers: { accept: "text/html" } });
    expect([browser.status, browser.headers.get("location")]).toEqual([302, "/_sandbox/dashboard"]);
    expect(await (await send("/")).json()).toMatchObject({
      name: "payments-sandbox",
      dashboard: "/_sandbox/dashboard",
    });
  });

  it("shows charges, requests, keys and the time, and loads nothing from elsewhere", async () => {
    const { charge, page, sandbox, send } = await started();
    const id = await charge("ada@example.com");
    const text = await page();
    for (const part of [id, "ada@example.com", "createWhitelabel", sandbox.apiKey, "Sandbox time"])
      expect(text).toContain(part);
    expect(text).not.toMatch(/(src|href)="https?:/);
    const policy = (await send("/_sandbox/dashboard")).headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'/);
  });

  it("moves time and charges by its buttons, then shows the page again", async () => {
    const { charge, press, page } = await started();
    await charge("ada@example.com");
    const answer = await press({ action: "advance", value: "10s" });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      "/_sandbox/dashboard?namespace=default",
    ]);
    expect(await page()).toContain("COMPLETED");
    const id = /ch_[0-9a-f]+/.exec(await page())![0];
    await press({ action: "charge", value: `${id} REFUNDED` });
    expect(await page()).toContain("REFUNDED");
    const illegal = await press({ action: "charge", value: `${id} COMPLETED` });
    expect([illegal.status, (await illegal.text()).includes("cannot become COMPLETED")]).toEqual([409, true]);
  });

  it("resets when the press names what it resets, and asks first", async () => {
    const { charge, press, page } = await started();
    await charge("ada@example.com");
    expect(await page()).toMatch(
      /<summary>Reset everything…<\/summary>\s*<p>This removes every charge.* default/,
    );
    expect((await press({ action: "reset", value: "reset" })).status).toBe(409);
    expect(await page()).toContain("ada@example.com");
    expect((await press({ action: "reset", value: "default" })).status).toBe(303);
    expect(await page()).not.toContain("ada@example.com");
  });

  it("refuses a form that another site's page has sent", async () => {
    const { charge, press, page } = await started();
    await charge("ada@example.com");
    expect(
      (await press({ action: "reset", value: "default" }, { "sec-fetch-site": "cross-site" })).status,
    ).toBe(403);
    expect(await page()).toContain("ada@example.com");
  });

  it("shows what users write as text", async () => {
    const { sandbox, page } = await started();
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    await sandbox.fetch(
      new Request("http://sandbox/api/v1/payments/charges/%3Cscript%3Ealert(1)", { headers }),
    );
    expect(await page()).not.toContain("<script>alert(1)");
  });
});

describe("control token", () => {
  it("opens the dashboard beyond loopback: once in the address, then as a cookie", async () => {
    const sandbox = await openSandbox({ host: "0.0.0.0", controlToken: "sesame" });
    const { url } = await sandbox.listen();
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { redirect: "manual", headers });
    expect((await get("/_sandbox/dashboard?token=wrong")).status).toBe(403);
    const signedIn = await get("/_sandbox/dashboard?token=sesame&namespace=default");
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([
      303,
      "/_sandbox/dashboard?namespace=default",
    ]);
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    expect(signedIn.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/);
    expect((await get("/_sandbox/dashboard", { cookie })).status).toBe(200);
    expect((await get("/_sandbox", { "sandbox-control-token": "sesame" })).status).toBe(200);
  });

  it("can be made up", async () => {
    const sandbox = await openSandbox({ host: "0.0.0.0", controlToken: "generate" });
    const { url } = await sandbox.listen();
    expect(sandbox.controlToken).toMatch(/^[\w-]{32}$/);
    const ask = (token: string) => fetch(`${url}/_sandbox`, { headers: { "sandbox-control-token": token } });
    expect((await ask("generate")).status).toBe(403);
    expect((await ask(sandbox.controlToken!)).status).toBe(200);
  });
});
