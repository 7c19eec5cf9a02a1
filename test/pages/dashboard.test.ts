import { describe, expect, it } from "vitest";
import { VIEWS } from "../../src/pages/dashboard/page-context.js";
import { openSandbox } from "../support/api-client.js";
import { refuseWith } from "../support/receiver-server.js";
import { lacking, said, started, startedWithReceiver } from "./support/dashboard.js";

describe("dashboard", () => {
  it("is the redirect of a browser at /, and is named to a program at /", async () => {
    const { send } = await started();
    const browser = await send("/", { headers: { accept: "text/html" } });
    expect([browser.status, browser.headers.get("location")]).toEqual([302, "/_sandbox/dashboard"]);
    expect(await (await send("/")).json()).toMatchObject({
      name: "payments-sandbox",
      dashboard: "/_sandbox/dashboard",
    });
  });

  it("is served with a trailing slash too", async () => {
    const { send, home } = await started();
    for (const path of ["/_sandbox/dashboard", home, `${home}/charges`, `${home}/charges/ch_1`]) {
      const { status, headers } = await send(`${path}/?mode=test&q=a%2Fb`);
      expect([status, headers.get("location")]).toEqual([302, `${path}?mode=test&q=a%2Fb`]);
    }
  });

  it("shows all activity for an unknown filter", async () => {
    const { charge, page } = await started();
    await charge("ada@example.com");
    expect(await page("?show=constructor")).toContain("ada@example.com");
  });

  it("begins with three steps, and creates the first charge itself", async () => {
    const { page, press, sandbox } = await started();
    expect(await page()).toContain("Three steps");
    const environment = /PAYMENTS_BASE_URL=http:\/\/[\w.:]+\n[\s\S]*PAYMENTS_SANDBOX_URL=http/;
    for (const text of [await page(), await page("/world")]) {
      expect(text).toContain(`PAYMENTS_API_KEY=${sandbox.apiKey}`);
      expect(text).toMatch(environment);
    }
    const { location, text } = await press("make");
    expect(location).toMatch(/\/charges\/ch_[0-9a-f]+$/);
    expect(text).toMatch(/Charge ch_[0-9a-f]+ created/);
    expect(await page()).toContain("grace.hopper@example.com");
  });

  it("has every view, empty and filled, complete without a script and within 42 kB", async () => {
    const { send, charge, page, home } = await started();
    for (const filled of [false, true]) {
      if (filled) for (let many = 0; many < 35; many++) await charge(`ada${many}@example.com`);
      for (const view of Object.keys(VIEWS)) {
        const answer = await send(`${home}/${view}`);
        const text = await answer.text();
        expect([view, answer.status]).toEqual([view, 200]);
        expect(text).not.toMatch(/(src|href)="https?:/);
        expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
        expect([view, Math.max(Buffer.byteLength(text), 42_000)]).toEqual([view, 42_000]);
      }
    }
    const [first, second] = [await page("/charges"), await page("/charges?offset=30")];
    expect([first.includes("1–30 of 35"), second.includes("31–35 of 35")]).toEqual([true, true]);
    const ids = [...(first + second).matchAll(/data-key="(ch_\w+)"/g)].map(([, id]) => id);
    expect([ids.length, new Set(ids).size]).toEqual([35, 35]);
    for (const [, file] of (await page()).matchAll(/(?:href|src)="([^"]+\.(?:css|js)\?[^"]+)"/g)) {
      const answer = await send(file!);
      const { headers } = answer;
      expect((await answer.text()).length).toBeLessThan(30_000);
      expect([headers.get("content-type"), headers.get("cache-control")]).toEqual([
        expect.stringMatching(/^text\/(css|javascript); charset=utf-8$/),
        expect.stringContaining("immutable"),
      ]);
    }
  });

  it("advances by a duration or to a time, and lists all due tasks", async () => {
    const { press, charge, page } = await started({ clock: "manual" });
    for (let many = 0; many < 6; many++) await charge(`ada${many}@example.com`);
    expect(said(await page())).toMatch(/Up next [\s\S]*\+1 s AWAITING_PAYMENT ch_/);
    const [, more] = /href="([^"]+due=all#next)">(\d+) more/.exec(await page())!;
    expect(
      (await page(`?${more!.split("?")[1]!.replace(/#.*/, "")}`)).match(/data-key="task-/g),
    ).toHaveLength(12);
    expect((await press("advanceClock", { value: "30m" })).text).toContain("Advanced 30 m");
    expect((await press("advanceClock", { value: "tomorrow" })).text).toContain(
      "must be an ISO 8601 instant",
    );
  });

  it("explains what was not found, as a page", async () => {
    const { send, home } = await started();
    for (const [path, says] of [
      [`${home}/charges/ch_none`, "There is no charge “ch_none”"],
      [`${home}/webhooks/de_none`, "There is no delivery “de_none”"],
      [`${home}/checks/none`, "There is no probe “none”"],
      [`${home}/money/none`, "There is no page “none”"],
      [`${home}/nowhere`, "There is no view “nowhere”"],
      ["/_sandbox/dashboard/nope", "There is no namespace “nope”"],
      ["/_sandbox/dashboard?namespace=nope", "There is no namespace “nope”"],
    ] as const) {
      const answer = await send(path);
      expect([
        answer.status,
        answer.headers.get("content-type"),
        (await answer.text()).includes(says),
      ]).toEqual([404, "text/html; charset=utf-8", true]);
    }
  });

  it("explains why a charge failed, in lanes, with the rule, its money and its tasks", async () => {
    const { charge, page, sandbox } = await startedWithReceiver(refuseWith(500));
    const failed = await charge("declined@example.com", { metadata: { order_id: "A-1042" } });
    const paid = await charge("ada@example.com");
    await sandbox.advance("10s");
    const text = await page(`/charges/${failed}`);
    const why = ["customer_email declined@*", "charges.0", "POST createWhitelabel", "charge.failed"];
    const next = ["Retry now", "now · due below", "No money has moved", "A-1042", "setupSandbox"];
    expect(lacking(text, [...why, ...next])).toEqual([]);
    const timeline = async (query: string) => {
      const whole = await page(`/charges/${failed}${query}`);
      return said(`<main${whole.slice(whole.indexOf('id="timeline"'), whole.indexOf('id="money"'))}`);
    };
    expect(await timeline("")).toMatch(/ \+0 s POST createWhitelabel/);
    expect(text).toContain(`/charges/${failed}?only=problems#timeline"`);
    const problems = await timeline("?only=problems");
    expect(problems).toMatch(
      /✗ FAILED .* charge\.failed → 127\.0\.0\.1:\d+\/hooks ✗ 500 .* retry charge\.failed → 127\.0\.0\.1:\d+\/hooks/,
    );
    expect(problems).not.toMatch(/createWhitelabel|AWAITING_PAYMENT by|● PENDING/);
    expect(said(await page(`/charges/${paid}`))).toMatch(/Total \+5\.00 \+0\.00 \+0\.17 −5\.17 /);
    expect(await page("/charges?q=a-1042")).toContain(failed);
    expect(await page("/charges?q=a-1042")).not.toContain(paid);
    expect(await page()).toMatch(/500 .*next try in/);
  });

  it("shows a delivery with its differences from the previous one, and redelivers it", async () => {
    const { receiver, charge, page, press, sandbox } = await startedWithReceiver();
    await charge("ada@example.com");
    await sandbox.advance("10s");
    const list = await page("/webhooks?type=charge.completed");
    const id = /webhooks\/(dlv_[0-9a-f]+)/.exec(list)![1]!;
    expect(await page(`/webhooks/${id}`)).toMatch(
      /<del>&quot;PROCESSING&quot;<\/del> <ins>&quot;COMPLETED&quot;<\/ins>/,
    );
    const before = receiver.received.length;
    expect((await press(`redeliver?delivery_id=${id}`)).text).toMatch(/Delivered: 2\d\d in \d+ ms/);
    expect(receiver.received).toHaveLength(before + 1);
  });

  it("runs the action of each button, and reports it", async () => {
    const { api, charge, press, page } = await started();
    const id = await charge("ada@example.com");
    const does = async (action: string, says: string, fields: Record<string, string> = {}) => {
      const { text } = await press(action, fields);
      expect(text).toContain(says);
    };
    await does("advanceClock?by=1s", "Advanced 1 s: 1 step ran");
    expect((await press("advanceClock?until=next")).text).toMatch(/Advanced \d+ s: 1 step ran/);
    await does(`transitionCharge?charge_id=${id}&to=FAILED`, `${id} is FAILED`);
    expect(await press(`transitionCharge?charge_id=${id}&to=COMPLETED`)).toMatchObject({ status: 409 });
    await does("activateScenario?name=declined", "Scenario declined applies");
    expect(await page()).toContain("Scenario declined applies to everything new");
    await press("deactivateScenario?name=declined");
    const match = { operation: "createQuote" };
    const rule = { match, respond: { status: 503 }, times: 1, skip: 1, per: "request" };
    await press("createFault", { rule: JSON.stringify(rule) });
    expect(await page("/faults")).toContain("0 of 1 used");
    await charge("bob@example.com");
    expect((await api.tryQuote({})).status).toBe(503);
    expect(await page("/faults")).toContain("used up");
    await does("deleteFaults", "1 fault stopped");
    await does("fundBalance?mode=test", "KES 10.00 added", { currency: "KES", amount: "10.00" });
    expect((await press("createWebhookEndpoint", { url: "nowhere at all" })).status).toBe(409);
    await does("createWebhookEndpoint", "receives charge.*", {
      url: "localhost:3000/hooks",
      events: "charge.*",
    });
    await does("createSnapshot", "Snapshot one saved", { name: "one" });
    await does("restoreSnapshot?name=one", "Snapshot one restored");
    expect((await press(`again?charge_id=${id}`, { scenario: "stuck" })).location).toMatch(/charges\/ch_/);
    const inDollars = { pricing: { base_currency: "USD", amount: "5.00" }, to_currency: "KES" };
    const converted = await api.pay(inDollars);
    expect((await press(`again?charge_id=${converted.charge_id}`)).location).toMatch(/charges\/ch_/);
    await does("createNamespace", "Namespace mine created", { name: "mine" });
    await does("setRates", "more than 0", { currency: "KES", rate: "0" });
    await does("nothing", "Unknown action “nothing”");
  });

  it("resets after a confirmation that names the namespace, and can undo it", async () => {
    const { charge, press, page } = await started();
    await charge("ada@example.com");
    expect(await page("/world")).toMatch(
      /<summary>Reset everything…<\/summary>\s*<p>This removes 1 charge,.* default/,
    );
    expect((await press("reset?namespace=reset")).status).toBe(409);
    expect(await page()).toContain("ada@example.com");
    expect((await press("reset?namespace=default")).text).toMatch(
      /reset \(receivers and keys kept\).*value="restoreSnapshot\?name=before-reset&amp;undoes=reset"/,
    );
    expect(await page()).not.toContain("ada@example.com");
    expect((await press("restoreSnapshot?name=before-reset&undoes=reset")).text).toContain("Undone");
    expect(await page()).toContain("ada@example.com");
  });

  it("refuses a form of another site's page, and redirects only to itself", async () => {
    const { charge, post, page, home } = await started();
    await charge("ada@example.com");
    const foreign = await post(home, { do: "reset?namespace=default" }, { "sec-fetch-site": "cross-site" });
    expect(foreign.status).toBe(403);
    expect(await page()).toContain("ada@example.com");
    for (const back of ["https://evil.test/", "//evil.test", "/checkout/x", "/_sandbox/dashboard/defaultx"])
      expect((await post(home, { do: "advanceClock?by=1s", back })).headers.get("location")).toBe(home);
  });

  it("shows users' values as text", async () => {
    const { sandbox, charge, page, send, home } = await started();
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    await sandbox.fetch(
      new Request("http://sandbox/api/v1/payments/charges/%3Cscript%3Ealert(1)", { headers }),
    );
    const id = await charge("ada@example.com", {
      customer_name: "<script>alert(1)",
      metadata: { "<b>": "<script>alert(1)" },
    });
    const said = encodeURIComponent(JSON.stringify({ text: "<script>alert(1)" }));
    const flashed = await send(home, { headers: { cookie: `sandbox_said=${said}` } });
    for (const text of [
      await page(),
      await page(`/charges/${id}`),
      await page("/charges?q=%3Cscript%3Ealert(1)"),
      await flashed.text(),
    ])
      expect(text).not.toContain("<script>alert(1)");
  });
});

describe("control token", () => {
  it("opens the dashboard beyond loopback: once in the URL, then as a cookie", async () => {
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

  it("is generated when it is not given", async () => {
    const sandbox = await openSandbox({ host: "0.0.0.0", controlToken: "generate" });
    const { url } = await sandbox.listen();
    expect(sandbox.controlToken).toMatch(/^[\w-]{32}$/);
    const ask = (token: string) => fetch(`${url}/_sandbox`, { headers: { "sandbox-control-token": token } });
    expect((await ask("generate")).status).toBe(403);
    expect((await ask(sandbox.controlToken!)).status).toBe(200);
  });
});
