import { describe, expect, it } from "vitest";
import { VIEWS } from "../../src/pages/dashboard/views.js";
import { openSandbox } from "../support/api-client.js";
import { lacking, openDashboard, redirectPath, textOf } from "./support/dashboard.js";

describe("dashboard", () => {
  it("/ redirects a browser to the dashboard", async () => {
    const { send } = await openDashboard();
    const browser = await send("/", { headers: { accept: "text/html" } });
    expect([browser.status, redirectPath(browser, "/")]).toEqual([302, "/_sandbox/dashboard"]);
    expect(await (await send("/")).json()).toMatchObject({
      name: "payments-sandbox",
      dashboard: "/_sandbox/dashboard",
    });
  });

  it("redirects a trailing slash", async () => {
    const { send, home } = await openDashboard();
    for (const path of ["/_sandbox/dashboard", home, `${home}/charges`, `${home}/charges/ch_1`]) {
      const response = await send(`${path}/?mode=test&q=a%2Fb`);
      expect([response.status, redirectPath(response, `${path}/`)]).toEqual([
        302,
        `${path}?mode=test&q=a%2Fb`,
      ]);
    }
  });

  it("the clock bar says whether the clock is frozen", async () => {
    const { page, sandbox } = await openDashboard();
    expect(await page()).toContain(">frozen<");
    await sandbox.control("PUT", "/_sandbox/clock", { mode: "real" });
    expect(await page()).toContain(">real time<");
  });

  it("an unknown filter shows all activity", async () => {
    const { charge, page } = await openDashboard();
    await charge("ada@example.com");
    expect(await page("?show=constructor")).toContain("ada@example.com");
  });

  it("an empty namespace shows three first steps", async () => {
    const { page, press, sandbox } = await openDashboard();
    expect(await page()).toContain("Three steps");
    const environment = /PAYMENTS_BASE_URL=http:\/\/[\w.:]+\n[\s\S]*PAYMENTS_SANDBOX_URL=http/;
    for (const text of [await page(), await page("/namespace")]) {
      expect(text).toContain(`PAYMENTS_API_KEY=${sandbox.apiKey}`);
      expect(text).toMatch(environment);
    }
    const { location, text } = await press("make");
    expect(location).toMatch(/\/charges\/ch_[0-9a-f]+$/);
    expect(text).toMatch(/Charge ch_[0-9a-f]+ created/);
    const noReceiver = "No receiver of webhooks yet: add one";
    const activity = await page();
    expect(lacking(textOf(activity), ["grace.hopper@example.com", noReceiver])).toEqual([]);
    await press("createWebhookEndpoint", { url: "localhost:3000/w" });
    expect(textOf(await page())).not.toContain(noReceiver);
  });

  it("every view loads no external resource and has at most 42 kB", async () => {
    const { send, charge, page, home } = await openDashboard();
    for (const filled of [false, true]) {
      if (filled) for (let many = 0; many < 35; many++) await charge(`ada${many}@example.com`);
      for (const { name: view } of VIEWS) {
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

  it("an advance in which nothing happens says what is next", async () => {
    const { charge, page, press, put } = await openDashboard();
    expect((await press("advanceClock?by=1h")).text).toMatch(/nothing happened; nothing is due later/);
    await put("slow", JSON.stringify({ charges: [{ timeline: [{ after: "40s", to: "COMPLETED" }] }] }));
    await charge("ada@example.com", { metadata: { sandbox_scenario: "slow" } });
    await press("advanceClock?by=10s");
    const { text } = await press("advanceClock?by=10s");
    expect(text).toMatch(/Advanced 10\ss to [\d:]+: nothing happened; next due in 20\ss: COMPLETED/);
    expect(await page("/faults")).not.toContain('value="deleteFaults"');
    await press("createFault", {
      json: JSON.stringify({ respond: { status: 503 }, times: 1, per: "request" }),
    });
    expect(await page("/faults")).toContain('value="deleteFaults"');
  });

  it("lists the next due tasks, and all of them on request", async () => {
    const { charge, page } = await openDashboard({ clock: "manual" });
    for (let many = 0; many < 6; many++)
      await charge(`ada${many}@example.com`, { metadata: { order_id: `A-104${many}` } });
    expect(textOf(await page())).toMatch(
      /Up next [\s\S]*\+1 s AWAITING_PAYMENT A-104(\d) · ada\1@example\.com/,
    );
    const [, more] = /href="([^"]+due=all#next)">All</.exec(await page())!;
    const all = await page(`?${more!.split("?")[1]!.replace(/#.*/, "")}`);
    expect(all.split('id="next"')[1]!.match(/data-key="task-/g)).toHaveLength(12);
  });

  it("returns a 404 page that names the missing record", async () => {
    const { send, home } = await openDashboard();
    for (const [path, says] of [
      [`${home}/charges/ch_none`, "There is no charge “ch_none”"],
      [`${home}/webhooks/de_none`, "There is no delivery “de_none”"],
      [`${home}/money/none`, "There is no withdrawal “none”"],
      [`${home}/nowhere`, "There is no view “nowhere”"],
      ["/_sandbox/dashboard/nope", "There is no namespace “nope”"],
      ["/_sandbox/dashboard?namespace=nope", "There is no namespace “nope”"],
      ["/_sandbox/dashboard/%E6%97%A5", "There is no namespace “日”"],
    ] as const) {
      const answer = await send(path);
      expect([
        answer.status,
        answer.headers.get("content-type"),
        (await answer.text()).includes(says),
      ]).toEqual([404, "text/html; charset=utf-8", true]);
    }
  });

  it("escapes values from users", async () => {
    const { sandbox, charge, page, send, home } = await openDashboard();
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

describe("the control token", () => {
  it("the control token opens the dashboard from the URL, then from a cookie", async () => {
    const sandbox = await openSandbox({ host: "0.0.0.0", controlToken: "sesame" });
    const { url } = await sandbox.listen();
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { redirect: "manual", headers });
    expect((await get("/_sandbox/dashboard?token=wrong")).status).toBe(403);
    const signedIn = await get("/_sandbox/dashboard?token=sesame&namespace=default");
    expect([signedIn.status, redirectPath(signedIn, "/_sandbox/dashboard")]).toEqual([
      303,
      "/_sandbox/dashboard?namespace=default",
    ]);
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    expect(signedIn.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/);
    expect((await get("/_sandbox/dashboard", { cookie })).status).toBe(200);
    expect((await get("/_sandbox", { "sandbox-control-token": "sesame" })).status).toBe(200);
  });

  it("generates a control token when none is given", async () => {
    const sandbox = await openSandbox({ host: "0.0.0.0", controlToken: "generate" });
    const { url } = await sandbox.listen();
    expect(sandbox.controlToken).toMatch(/^[\w-]{32}$/);
    const ask = (token: string) => fetch(`${url}/_sandbox`, { headers: { "sandbox-control-token": token } });
    expect((await ask("generate")).status).toBe(403);
    expect((await ask(sandbox.controlToken!)).status).toBe(200);
  });
});
