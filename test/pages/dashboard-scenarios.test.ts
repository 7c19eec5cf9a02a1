import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openDashboard, textOf } from "./support/dashboard.js";

describe("the page of a scenario", () => {
  it("the page of a scenario shows its rules, its YAML and the commands that use it", async () => {
    const { page, put } = await openDashboard();
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
    expect(textOf(await page(`/scenarios/${name}`))).toMatch(
      /every charge: PENDING 2s CANCELLED no .*name: mine/,
    );
    expect(textOf(await page(`/scenarios/${name}`))).toContain("payments-sandbox run mine.yaml");
    expect(await page("/scenarios/declined")).not.toContain("payments-sandbox run");
  });

  it("the page of a scenario quotes values in its YAML where needed", async () => {
    const { page, put, sandbox } = await openDashboard();
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

describe("the list of scenarios", () => {
  it("an active scenario is named in Activity as in effect, and leads to its rules", async () => {
    const { charge, page, press } = await openDashboard();
    await charge("ada@shop.test");
    await press("activateScenario?name=crypto_confirmations");
    const activity = await page();
    expect(textOf(activity)).toContain("In effect: scenario crypto_confirmations");
    expect(activity).toMatch(/href="[^"]*\/scenarios\/crypto_confirmations"/);
  });

  it("groups scenarios by kind, and the page of each says its rules in words", async () => {
    const { charge, page, press } = await openDashboard();
    await press("activateScenario?name=declined");
    await charge("ada@shop.test");
    const all = textOf(await page("/scenarios"));
    expect(all).toMatch(
      /Active: 1 .*declined Turn off declined Outcomes: \d+ .*cancelled .*declined ⚠ active .* applied 1 time since turned on .*Turn off declined .* Mishaps: \d+ /,
    );
    const mishaps = (await page("/scenarios")).split('id="mishaps"')[1]!;
    const names = [...mishaps.matchAll(/scenarios\/(\w+)" data-row/g)].map(([, name]) => name!);
    const pages = await Promise.all(names.map((name) => page(`/scenarios/${name}`)));
    const rules = pages.map((text) => textOf(`<main${text.split('id="rules"')[1]!.split("</section>")[0]}`));
    for (const text of [
      "createWhitelabel or createCheckout or createWithdrawal → 3s before the work",
      "any call → return 500 · 20 % of calls",
      "charge.completed → sent 2 times",
      "every event → a forged event is sent too",
      "every event → the first 3 attempts fail",
    ])
      expect(rules.join()).toContain(text);
    expect(all + rules.join()).not.toContain("{");
  });
});

describe("a fault on the dashboard", () => {
  it("the call chosen on the Faults page is that of its buttons and its JSON", async () => {
    const { page, press } = await openDashboard();
    const chosen = await page("/faults?operation=getBalances");
    expect(textOf(chosen)).toMatch(/^ Faults Active: 0 .* New fault .* getBalances/);
    expect(chosen).toMatch(
      /<textarea [^>]*>\{\s+&quot;match&quot;: \{\s+&quot;operation&quot;: &quot;getBalances&quot;/,
    );
    for (const [label, effect] of [
      ["503 on the next two calls", "return 503"],
      ["Never respond", "never respond"],
    ] as const) {
      const [, action] = new RegExp(`value="([^"]+)">${label}<`).exec(chosen)!;
      await press(action!.replaceAll("&amp;", "&"));
      expect(textOf(await page("/faults"))).toMatch(new RegExp(`getBalances → [^✗]*${effect}`));
    }
    expect(textOf(await page("/faults"))).toMatch(/Active: 2 .* 0 of 2 used /);
  });

  it("the page of a fault counts its calls, and links the last one", async () => {
    const { api, charge, page, press } = await openDashboard();
    const rule = {
      match: { operation: "createWhitelabel", customer_email: "*@shop.test" },
      respond: { status: 503, code: "busy" },
      times: 2,
      per: "request",
    };
    await press("createFault", { json: JSON.stringify(rule) });
    await charge("bob@other.test");
    const order = { pricing: { base_currency: "USD", amount: "5.00" }, payment_method: "card" };
    const { quote_id } = await api.quote(order);
    const pay = () =>
      api.post("/api/v1/payments/whitelabel", { ...order, quote_id, customer_email: "ada@shop.test" });
    expect(textOf(await page("/faults"))).toContain("0 of 2 used");
    expect((await pay()).status).toBe(503);
    const once = textOf(await page("/faults"));
    expect(once).toContain("createWhitelabel, customer_email *@shop.test → return 503 busy");
    expect(once).toMatch(/1 of 2 used.*last hit \d\d:\d\d:\d\d POST \/payments\/whitelabel/);
    expect((await pay()).status).toBe(503);
    expect(await page("/faults")).toContain("used up");
    expect((await press("deleteFaults")).text).toContain("1 fault stopped");
  });
});
