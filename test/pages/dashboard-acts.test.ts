import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Namespace } from "../../src/core/namespace/namespace.js";
import type { Namespaces } from "../../src/core/namespace/namespaces.js";
import { runFormAction } from "../../src/pages/dashboard/dashboard-actions.js";
import { reportsOf } from "../../src/pages/dashboard/reports.js";
import { Receiver } from "../support/receiver-server.js";
import { said, started } from "./support/dashboard.js";

describe("a charge on the dashboard", () => {
  it("is moved with a reason, or along its own timeline while the clock stands still", async () => {
    const { charge, press, page } = await started();
    const [one, other] = [await charge("ada@example.com"), await charge("bob@example.com")];
    const text = said(await page(`/charges/${one}`));
    expect(text).toMatch(/until AWAITING_PAYMENT .* until PROCESSING .* until COMPLETED/);
    expect(said((await press(`advanceCharge?charge_id=${one}&until=PROCESSING`)).text)).toContain(
      `${one} is PROCESSING, by its own timeline`,
    );
    const own = said(await page(`/charges/${one}`));
    expect(own).toMatch(/PROCESSING scenario default,/);
    expect(own).not.toContain("until PROCESSING");
    expect(await page()).toContain('data-now="2026-01-31T09:00:00.000Z"');
    expect(said(await page(`/charges/${other}`))).toContain("PENDING");
    const moved = await press(`transitionCharge?charge_id=${other}`, { to: "FAILED", reason: "card_stolen" });
    expect(said(moved.text)).toContain(`${other} is FAILED: card_stolen`);
    expect(said(await page(`/charges/${other}`))).toContain(
      "This status is final: no further transition is possible",
    );
    expect((await press(`advanceCharge?charge_id=${other}&until=COMPLETED`)).status).toBe(409);
    expect((await press(`transitionCharge?charge_id=${one}`, { to: "NOWHERE" })).status).toBe(409);
  });

  it("compares any two of its payloads", async () => {
    const { charge, page, sandbox } = await started();
    const id = await charge("ada@example.com");
    await sandbox.advance("10s");
    const last = said(await page(`/charges/${id}`));
    expect(last).toMatch(/charge\.processing,? .* → charge\.completed/);
    expect(last).toMatch(/data\.status &quot;PROCESSING&quot; &quot;COMPLETED&quot;/);
    const [before, after] = [...(await page(`/charges/${id}`)).matchAll(/<option value="(evt_[^"]+)"/g)].map(
      ([, event]) => event!,
    );
    const two = said(await page(`/charges/${id}?before=${before}&after=${after}`));
    expect(two).toMatch(/data\.status &quot;AWAITING_PAYMENT&quot; &quot;PROCESSING&quot;/);
  });
});

describe("a scenario on the dashboard", () => {
  it("is shown as a diagram and a file, and runs step by step", async () => {
    const { press, page, put, sandbox } = await started();
    const name = "mine";
    const scenario = JSON.stringify({
      charges: [{ timeline: [{ after: "2s", to: "CANCELLED", reason: "no" }] }],
      steps: [
        { advance: "5s" },
        { request: "GET /api/v1/payments/payment-methods", expect: { status: 418 } },
        { advance: "1s" },
      ],
    });
    await put(name, scenario);
    expect(said(await page(`/scenarios/${name}`))).toMatch(
      /every charge: PENDING 2s CANCELLED no .*name: mine/,
    );
    const stream = await sandbox.fetch(new Request("http://sandbox/_sandbox/stream?view=light"));
    const heard: string[] = [];
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const ran = await press(`run?name=${name}`);
    while (!heard.join("").includes('"id":"run"')) heard.push((await reader.read()).value!);
    await reader.cancel();
    expect(ran.location).toBe(`/_sandbox/dashboard/default/scenarios/${name}#run`);
    expect(said(ran.text)).toMatch(
      /Run: failed .* ✓ passed 1\. .* ✗ failed 2\. request GET .* ● not run 3\. /,
    );
    expect(said(ran.text)).toMatch(/mine failed: .*418/);
    expect((await press("run?name=declined")).status).toBe(409);
  });

  it("requires the app's URL when its steps call one, and shows the command to run it", async () => {
    await using app = await Receiver.open();
    const { press, page, put } = await started();
    const scenario = JSON.stringify({
      steps: [{ advance: "1s" }, { repeat: 2, steps: [{ app: "POST /orders", expect: { status: 200 } }] }],
    });
    await put("mine", scenario);
    expect(said(await page("/scenarios/mine"))).toMatch(
      /Run its steps 1 step of it calls your app, .* payments-sandbox run mine\.yaml --app URL/,
    );
    expect(await page("/scenarios")).not.toContain('value="run?name=mine"');
    for (const given of ["", "not a URL"])
      expect(said((await press("run?name=mine", { app: given })).text)).toMatch(
        /app must be your app.*s URL, such as/,
      );
    const ran = await press("run?name=mine", { app: new URL(app.url).origin });
    expect(said(ran.text)).toContain("mine: 2 steps passed");
    expect(ran.text).toContain(`name="app" value="${new URL(app.url).origin}"`);
    expect(app.received).toHaveLength(2);
  });

  it("has a page with its YAML, for every built-in one and for values that YAML quotes", async () => {
    const { page, put, sandbox } = await started();
    await put(
      "odd",
      JSON.stringify({
        description: "yes: \"no\" # '1.0'\n- a: [b]\n\n  x ",
        charges: [{ match: { metadata: { a: "null", b: " x", "é:": "1.0", "1": "# no" } }, timeline: [] }],
      }),
    );
    const { items } = await sandbox.control<{ items: { name: string; active: boolean; applied: object }[] }>(
      "GET /_sandbox/scenarios?limit=100",
    );
    expect(items.length).toBeGreaterThan(20);
    for (const item of items) {
      const { active: _active, applied: _applied, ...scenario } = item;
      const text = await page(`/scenarios/${scenario.name}`);
      const yaml = new RegExp(`aria-label="${scenario.name}\\.yaml">([^<]*)<`).exec(text)![1]!;
      const plain = yaml.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
      expect(parse(plain.replaceAll("&lt;", "<").replaceAll("&gt;", ">"))).toEqual(scenario);
    }
  });
});

describe("faults in the dashboard", () => {
  it("are written as JSON, refused with their faults and values, and show their uses", async () => {
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
      const refused = await press("createFault", { rule: wrong, back: `${home}/faults` });
      expect([wrong, refused.status, refused.text.includes(says)]).toEqual([wrong, 409, true]);
      // The text that was sent is still in the field.
      expect(refused.text).toContain(wrong.replaceAll('"', "&quot;"));
    }
    const set = await press("createFault", { rule: JSON.stringify(rule), back: `${home}/faults` });
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
    const active = said(await page("/faults"));
    expect(active).toContain("createWhitelabel, customer_email *@shop.test → return 503 busy");
    expect(active).toMatch(/1 of 2 used.*last hit \d\d:\d\d:\d\d POST \/api\/v1\/payments\/whitelabel/);
  });
});

it("a run that an error of the sandbox ended does not block the next", async () => {
  const told: string[] = [];
  const namespace = {
    name: "default",
    nowMs: () => 0,
    events: { emit: (_event: string, name: string) => told.push(name) },
    engine: { state: { get: () => ({ scenario: { source: { steps: [] } } }) } },
  } as unknown as Namespace;
  const namespaces = {
    options: { scenarios: { run: () => Promise.reject(new Error("ours")) } },
  } as unknown as Namespaces;
  const run = () =>
    runFormAction({
      namespaces,
      namespace,
      form: new URLSearchParams({ do: "run?name=pay" }),
      fetch: () => Promise.reject(new Error("nothing is called")),
    });
  await expect(run()).rejects.toThrow("ours");
  expect(reportsOf(namespace).run).toBeUndefined();
  expect(told).toEqual(["run", "run"]);
  await expect(run()).rejects.toThrow("ours");
});
