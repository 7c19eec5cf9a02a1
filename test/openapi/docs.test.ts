import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox.js";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { chromiumPath, type LaunchedBrowser, launchBrowser } from "../pages/support/chromium.js";
import { impairmentFaults } from "../pages/support/impairments.js";
import { openSandbox } from "../support/api-client.js";
import { shippedDocument } from "../support/openapi-document.js";

async function page(sandbox: Sandbox): Promise<{ response: Response; text: string }> {
  const response = await sandbox.fetch(new Request("http://127.0.0.1:4402/docs"));
  return { response, text: await response.text() };
}

describe("GET /docs", () => {
  it("is one small page that loads nothing and lets nothing else run", async () => {
    const { response, text } = await page(await openSandbox());
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+';/);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(text.length).toBeLessThan(200_000);
    expect(text).not.toMatch(/ style="| on\w+="|<script src|<link rel="stylesheet"|@import|url\(/);
    expect([...text.matchAll(/ (?:src|href)="([^"#][^"]*)"/g)].map(([, to]) => to)).toEqual([
      expect.stringMatching(/^data:image\/svg\+xml/),
      "openapi.json",
      "_sandbox/docs",
      "_sandbox/dashboard",
    ]);
  });

  it("shows every operation, event and schema, and leads nowhere that is not there", async () => {
    const { text } = await page(await openSandbox());
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    const document = await shippedDocument();
    for (const { id } of OPERATIONS) expect(ids).toContain(id);
    for (const name of Object.keys(document.components.schemas)) expect(ids).toContain(`schema-${name}`);
    for (const type of Object.keys(document.webhooks)) expect(text).toContain(`>${type}</h3>`);
    for (const [, target] of text.matchAll(/ href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it("marks what is assumed", async () => {
    const { text } = await page(await openSandbox());
    expect(text.match(/class="mark">assumed</g)?.length).toBeGreaterThan(200);
    expect(text).toContain("The interface names this operation without showing it");
  });

  it("escapes what it shows", async () => {
    const { text } = await page(await openSandbox());
    expect(text).toContain("&lt;JSON");
    expect(text).not.toContain("undefined");
    expect(text).not.toContain("[object Object]");
  });
});

const run = promisify(execFile);

/** What a page shows, as it is read and copied. */
function shown(page: string, id: string): string {
  const [, text] = new RegExp(`<pre id="${id}"[^>]*>([^<]*)</pre>`).exec(page)!;
  return text!
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

const hasCurl = await run("curl", ["--version"]).then(
  () => true,
  () => false,
);

describe.runIf(hasCurl)("the examples", () => {
  /** Runs the command the page shows for an operation, in a shell. */
  async function shell(sandbox: Sandbox, id: string, variables: Record<string, string> = {}) {
    const text = await (await fetch(`${sandbox.url}/docs`)).text();
    const command = shown(text, `${id}-curl`);
    const { stdout } = await run("sh", ["-c", command.replace(/\bcurl\b/, "curl -s")], {
      env: { ...process.env, no_proxy: "*", ...variables },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  it("work as they stand, one after the other", async () => {
    const sandbox = await openSandbox({ scenario: "instant" });
    await sandbox.listen({ port: 0 });
    const quote = await shell(sandbox, "createQuote");
    expect(quote).toMatchObject({ amount: "3305.63" });
    const charge = await shell(sandbox, "createWhitelabel", { QUOTE_ID: String(quote.quote_id) });
    expect(charge).toMatchObject({ status: "PENDING", amount: "3305.63" });
    expect(await shell(sandbox, "getCharge", { CHARGE_ID: String(charge.charge_id) })).toMatchObject({
      status: "COMPLETED",
    });
    const destination = await shell(sandbox, "createDestination");
    const { destination_id } = destination;
    expect(
      await shell(sandbox, "createWithdrawal", { DESTINATION_ID: String(destination_id) }),
    ).toMatchObject({ amount: "1000.00", status: "PENDING" });
    expect(await shell(sandbox, "listSupportedCurrencies")).toHaveProperty("fiat");
    const { webhook_id } = await shell(sandbox, "createWebhook");
    expect(await shell(sandbox, "deleteWebhook", { WEBHOOK_ID: String(webhook_id) })).toMatchObject({
      deleted: true,
    });
  });

  it("say which id is missing", async () => {
    const sandbox = await openSandbox();
    await sandbox.listen({ port: 0 });
    await expect(shell(sandbox, "getCharge")).rejects.toThrow(/CHARGE_ID.*take it from a response/);
  });
});

describe.runIf(chromiumPath() !== undefined)("in a browser", () => {
  let browser: LaunchedBrowser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });

  async function visit(options: Parameters<LaunchedBrowser["open"]>[0], hash = ""): Promise<Page> {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen({ port: 0 });
    const tab = await (await browser.open(options)).newPage();
    const complaints: string[] = [];
    tab.on("console", (message) => complaints.push(message.text()));
    tab.on("pageerror", (error) => complaints.push(error.message));
    await tab.goto(`${url}/docs${hash}`);
    expect(complaints).toEqual([]);
    return tab;
  }

  it("has nothing against it for people with impairments, in both schemes, on a phone too", async () => {
    const tab = await visit({ colorScheme: "light", viewport: { width: 1280, height: 900 } });
    await tab.evaluate(() => {
      for (const part of document.querySelectorAll("details")) part.open = true;
    });
    const width = () => tab.evaluate(() => document.documentElement.scrollWidth);
    expect([await impairmentFaults(tab), await width()]).toEqual([[], 1280]);
    await tab.setViewportSize({ width: 375, height: 900 });
    await tab.emulateMedia({ colorScheme: "dark" });
    expect([await impairmentFaults(tab, { coloursOnly: true }), await width()]).toEqual([[], 375]);
  });

  it("filters, copies and is walked through by keyboard", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } });
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Enter");
    expect(await tab.evaluate(() => location.hash)).toBe("#reference");
    await tab.getByLabel("Filter").fill("rotate secret");
    await expect.poll(() => tab.locator("main section:visible").count()).toBe(1);
    expect(await tab.locator("#rotateWebhookSecret").isVisible()).toBe(true);
    // Names go before what only mentions the word, and nothing else is left of the page.
    await tab.getByLabel("Filter").fill("quote");
    await expect.poll(() => tab.locator("#found").textContent()).toMatch(/^\d found; \d+ more mention it$/);
    expect(await tab.locator("nav .tag:visible, main h2:visible").allTextContents()).toEqual([
      "Payments",
      "Payments",
    ]);
    await tab.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => tab.locator("#found").textContent()).toMatch(/^\d+ found$/);
    await tab.getByLabel("Filter").fill("zebra");
    await expect.poll(() => tab.locator("#found").textContent()).toBe("Nothing found");
    await tab.getByLabel("Filter").fill("");
    await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await tab.locator("#createQuote h3").click();
    await tab.locator("#createQuote .copy").click();
    await expect.poll(() => tab.locator("#status").textContent()).toBe("Copied");
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe(
      await tab.locator("#createQuote-curl").textContent(),
    );
  });

  it("opens the contents and the filter by a key, and unfolds every section", async () => {
    const tab = await visit({ viewport: { width: 375, height: 900 } });
    await tab.keyboard.press("/");
    await tab.keyboard.type("balances");
    expect(await tab.getByLabel("Filter").inputValue()).toBe("balances");
    await expect.poll(() => tab.locator("#getBalances").isVisible()).toBe(true);
    await tab.getByRole("button", { name: "Expand all" }).press("Enter");
    expect(await tab.locator("#getBalances-curl").isVisible()).toBe(true);
  });

  it("unfolds the operation that has the schema a link leads to", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } }, "#schema-QuoteRequest");
    await expect.poll(() => tab.locator("#createQuote-curl").isVisible()).toBe(true);
  });

  it("is whole without its script", async () => {
    const tab = await visit({ javaScriptEnabled: false, viewport: { width: 375, height: 900 } });
    expect(await tab.locator("#createQuote").isVisible()).toBe(true);
    expect(await tab.locator("nav a").first().isVisible()).toBe(true);
    await tab.locator("#createQuote h3").click();
    expect(await tab.locator("#createQuote-curl").isVisible()).toBe(true);
    expect(await tab.locator("main button:visible").count()).toBe(0);
  });

  it("shows at once what its address names, on a phone too", async () => {
    const tab = await visit({ viewport: { width: 375, height: 900 } }, "#getBalances");
    const top = () => tab.evaluate(() => document.getElementById("getBalances")!.getBoundingClientRect().top);
    await expect.poll(top).toBeLessThan(60);
    expect(await top()).toBeGreaterThanOrEqual(0);
  });
});
