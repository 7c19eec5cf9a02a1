import { describe, expect, it } from "vitest";
import { breakable } from "../../src/pages/dashboard/components.js";
import { Client } from "../support/receiver-client.js";
import { refuseWith } from "../support/receiver-server.js";
import { openDashboard, redirectPath, textOf, withReceiver } from "./support/dashboard.js";

const rowsOf = (page: string, list: string) =>
  [...page.slice(page.indexOf(`id="${list}"`)).matchAll(/<li class="row.*?<\/li>/gs)].map(([row]) =>
    row.replace(/<[^>]+>/g, " ").replace(/\s+/g, " "),
  );

describe("lists of the dashboard", () => {
  it("lists have column headings and sort charges by displayed time", async () => {
    const { sandbox, charge, page } = await openDashboard();
    await charge("ada@example.com");
    await sandbox.advance("2s");
    await charge("grace@example.com");
    await sandbox.advance("4s");
    const list = await page("/charges");
    expect(textOf(list)).toContain("Created Status Amount Customer Order, method Id");
    const [first, second] = rowsOf(list, "charges");
    expect(first).toMatch(/09:00:02 .*PROCESSING 5\.17 USD grace@example\.com card ch_\w+… /);
    expect(second).toMatch(/09:00:00 .*COMPLETED 5\.17 USD ada@example\.com card ch_\w+… /);
    expect(rowsOf(await page(), "activity")[0]).toMatch(/5\.17 USD grace@example\.com card ch_\w+… /);
    expect(list).not.toContain('class="main"');
    const [id] = /ch_\w+(?=" data-row[^>]*>ada)/.exec(list.replaceAll("<bdi>", ""))!;
    for (const query of ["offset=30", "status=FAILED"])
      expect(await page(`/charges/${id}?${query}`)).toContain(`charges?${query}">← Charges</a>`);
  });

  it("the list of deliveries shows the charge and order", async () => {
    const { sandbox, charge, page } = await withReceiver();
    const id = await charge("ada@example.com", { metadata: { tier: "gold", order_id: "A-1042" } });
    await sandbox.advance("10s");
    const shortId = `${id.slice(0, 11)}…`;
    for (const row of rowsOf(await page("/webhooks"), "deliveries"))
      expect(row).toMatch(new RegExp(` A-1042 · .* ${shortId} `));
    const requests = rowsOf(await page("/requests"), "requests");
    expect(requests[0]).toMatch(
      new RegExp(`POST /payments/whitelabel A-1042 · createWhitelabel · \\d+ ms ${shortId} `),
    );
    expect(requests[1]).toMatch(/createQuote · \d+ ms qt_\w+…/);
  });

  it("the list of deliveries filters by the displayed state", async () => {
    const { sandbox, charge, page } = await withReceiver(refuseWith(500));
    await charge("ada@example.com", { metadata: { order_id: "A-1042" } });
    await sandbox.advance("1s");
    const list = await page("/webhooks?status=failing");
    const [row] = rowsOf(list, "deliveries");
    expect(row).toContain("✗ failing charge.awaiting_payment");
    expect(await page("/webhooks?status=queued")).toMatch(
      /None with status “queued”. <a href="[^"?]*\/webhooks">Clear/,
    );
    expect(rowsOf(await page("/charges"), "charges")[0]).toContain("A-1042 · card · 1 webhook failing ch_");
    const id = /webhooks\/(dlv_\w+)/.exec(list)![1]!;
    expect(textOf(await page(`/webhooks/${id}`))).toContain("charge.awaiting_payment ✗ failing");
  });

  it("the mode Live lists only what is due in live mode", async () => {
    const { sandbox, charge, page } = await withReceiver(refuseWith(500));
    await charge("ada@example.com");
    await sandbox.advance("1m");
    const upNext = async (query: string) => textOf((await page(query)).split('id="next"')[1]!);
    expect(await upNext("?mode=test")).toContain("retry charge.");
    expect(await upNext("?mode=live")).toMatch(/Nothing is due\. /);
    expect(await page("?mode=live")).toContain("next due: nothing");
  });

  it("each status that a list shows is one of its choices, and lists the rows that show it", async () => {
    const { sandbox, charge, page, press, send } = await openDashboard();
    const ids = [await charge("ada@example.com"), await charge("bob@example.com")];
    await charge("cy@example.com");
    await sandbox.advance("1d");
    await press(`refundPart?charge_id=${ids[0]}&amount=1.00`);
    await press(`chargeBack?charge_id=${ids[1]}`);
    const rule = { match: { operation: "getBalances" }, drop: "after", times: 1, per: "request" };
    await press("createFault", { json: JSON.stringify(rule) });
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    await send("/api/v1/accounts/balances", { headers }).catch(() => undefined);
    for (const [list, choice, many] of [
      ["charges", "PARTLY REFUNDED", 1],
      ["charges", "CHARGED BACK", 1],
      ["requests", "dropped", 1],
    ] as const) {
      expect(await page(`/${list}`)).toContain(`<option value="${choice}"`);
      const rows = rowsOf(await page(`/${list}?status=${encodeURIComponent(choice)}`), list);
      expect(rows).toEqual(Array(many).fill(expect.stringContaining(choice)));
    }
  });

  it("a row that a paused list still shows comes with its present status, wherever it is now", async () => {
    const { charge, page, sandbox, send, home } = await openDashboard({ rateLimit: "off" });
    const id = await charge("ada@example.com");
    await sandbox.advance("10s");
    for (let many = 0; many < 30; many++) await charge("bob@example.com");
    expect(await page("/charges")).not.toContain(id);
    const headers = { "sandbox-part": `none ${id}` };
    const part = await (await send(`${home}/charges`, { headers })).text();
    const [shown = "", held = ""] = part.split("<ul data-held hidden>");
    expect(shown).not.toContain(id);
    expect(textOf(held)).toMatch(/✓ COMPLETED 5\.17 USD ada@example\.com/);
    expect(held.match(/<li class="row/g)).toHaveLength(1);
    expect(part).toContain('data-total="31"');
  });

  it("no row of charges or payouts has a button, and its title alone is a link", async () => {
    const { charge, page, sandbox } = await openDashboard();
    await charge("ada@example.com");
    await sandbox.advance("1d");
    const [row = ""] = /<li class="row.*?<\/li>/s.exec(await page("/charges"))!;
    expect(row).not.toContain("<button");
    expect(row.match(/<a /g)).toHaveLength(1);
    expect(row).toMatch(/<span class="amount">5\.17<\/span><span class="unit">USD<\/span>/);
  });

  it("a search opens its only match, or the object of an id", async () => {
    const { charge, page, sandbox, send, home } = await withReceiver();
    const id = await charge("ada@example.com", { metadata: { order_id: "A-1042" } });
    const client = Client.of(sandbox);
    await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "5000.00" });
    const payout = { currency: "KES", amount: "519.99", reference: "rent-1" };
    const { withdrawal_id } = await client.withdraw(payout);
    const other = await charge("ada@example.com");
    const delivery = /webhooks\/(dlv_\w+)/.exec(await page("/webhooks"))?.[1];
    const found = async (view: string, q: string) => {
      const path = `${home}/${view}?${new URLSearchParams({ q, open: "1" })}`;
      return redirectPath(await send(path), path).slice(home.length);
    };
    expect(delivery).toBeUndefined();
    expect(await found("charges", "1042")).toBe(`/charges/${id}`);
    expect(await found("charges", " a-1042 ")).toBe(`/charges/${id}`);
    expect(await found("requests", other)).toBe(`/charges/${other}`);
    expect(await found("charges", "ada@example.com")).toBe("/charges?q=ada%40example.com");
    expect(await found("charges", "rent-1")).toBe(`/money/${withdrawal_id}`);
    expect(await found("charges", "nobody")).toBe("/charges?q=nobody");
    expect(await found("requests", "a-1042")).toMatch(/^\/requests\/\d+$/);
    expect(await page("/money")).toContain('placeholder="Search charges: id, e-mail, order, amount"');
    const list = await page("/webhooks?status=failing&q=ada");
    expect(list).toContain('<input type="hidden" name="status" value="failing">');
    expect(list).toContain('placeholder="Search webhooks: order, e-mail, id"');
  });

  it.each([
    ["an address", "127.0.0.1:4842/hooks/payments", "127.0.0.1:4842/<wbr>hooks/<wbr>payments"],
    ["an id", "/v1/charges/ch_a000000000000000", "/v1/charges/<wbr>ch_a000000000000000"],
    ["an e-mail", "ada.lovelace@subdomain.example", "ada.lovelace@<wbr>subdomain.<wbr>example"],
  ])("a long word breaks between its names: %s", (_case, text, broken) => {
    expect(breakable(text).text).toBe(broken);
  });

  it("a list names the filters that no select shows, each with a link that clears it", async () => {
    const { charge, page, sandbox } = await openDashboard();
    for (let many = 0; many < 2; many++)
      await charge("ada@example.com", { metadata: { sandbox_scenario: "stuck" } });
    await sandbox.advance("1h");
    const list = await page("/charges?stuck=1&scenario=stuck");
    expect(textOf(list)).toMatch(
      /2 found .*With stuck Clear stuck\s· scenario “stuck” Clear scenario “stuck”/,
    );
    expect(list).toContain(
      'scenario “stuck” <a href="../../../_sandbox/dashboard/default/charges?stuck=1">Clear',
    );
    expect(list).toContain(
      'With <bdi>stuck <a href="../../../_sandbox/dashboard/default/charges?scenario=stuck">Clear',
    );
    expect(await page("/charges?status=PROCESSING")).not.toContain("With <bdi>");
  });

  it("search matches values, not field names", async () => {
    const { charge, page, sandbox } = await openDashboard();
    const id = await charge("ada@example.com", {
      customer_name: "Zoë",
      metadata: { order_id: "A-1042", amount: "gift" },
      pricing: { base_currency: "USD", amount: "5.00" },
    });
    for (let many = 0; many < 3; many++) await charge("grace@example.com", { metadata: { note: "none" } });
    await sandbox.control(`GET /_sandbox/charges/${id}`);
    const found = async (path: string) => {
      const list = await page(path);
      return list.includes("None.") ? 0 : rowsOf(list, "requests").length;
    };
    const search = (q: string) => found(`/requests?q=${encodeURIComponent(q)}`);
    // Every request contains these words as field names.
    expect([
      await search("ada"),
      await search("metadata"),
      await search("pricing"),
      await search("order_id"),
    ]).toEqual([1, 0, 0, 0]);
    expect([
      await search("a-1042"),
      await search("zoë"),
      await search("USD 5.17"),
      await search("7"),
    ]).toEqual([1, 1, 8, 0]);
    const charges = async (q: string) =>
      rowsOf(await page(`/charges?q=${encodeURIComponent(q)}`), "charges").length;
    expect([await charges("USD 5.17"), await charges("5.00 ada"), await charges("17")]).toEqual([4, 1, 0]);
  });
});
