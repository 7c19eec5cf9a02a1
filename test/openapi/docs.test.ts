import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/http/service/operations.js";
import type { Sandbox } from "../../src/sandbox.js";
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
    expect(text.length).toBeLessThan(400_000);
    expect(text).not.toMatch(/ style="| on\w+="|<script src|<link rel="stylesheet"|@import|url\(/);
    expect([...text.matchAll(/ (?:src|href)="([^"#][^"]*)"/g)].map(([, to]) => to)).toEqual([
      expect.stringMatching(/^data:image\/svg\+xml/),
      "openapi.json",
      "_sandbox/docs",
      "./_sandbox/dashboard",
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
    expect(text).toContain("&quot;base_currency&quot;: &quot;USD&quot;");
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

const hasCurl = await Promise.all([run("curl", ["--version"]), run("python3", ["--version"])]).then(
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

  const programs = {
    js: (sandbox: Sandbox, id: string, env: Record<string, string>) =>
      program(sandbox, `${id}-js`, [process.execPath, "--input-type=module", "-e"], env),
    python: (sandbox: Sandbox, id: string, env: Record<string, string>) =>
      program(sandbox, `${id}-python`, ["python3", "-c"], env),
  };

  async function program(
    sandbox: Sandbox,
    id: string,
    [command, ...rest]: string[],
    env: Record<string, string>,
  ) {
    const text = await (await fetch(`${sandbox.url}/docs`)).text();
    const options = { env: { ...process.env, no_proxy: "*", ...env } };
    return (await run(command!, [...rest, shown(text, id)], options)).stdout;
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

  it("say the same in JavaScript and in Python", async () => {
    const sandbox = await openSandbox();
    await sandbox.listen({ port: 0 });
    const quote = await programs.js(sandbox, "createQuote", {});
    expect(quote).toMatch(/^200 \{/);
    const { quote_id } = JSON.parse(quote.slice(4)) as Record<string, string>;
    const charge = await programs.python(sandbox, "createWhitelabel", { QUOTE_ID: quote_id! });
    const { charge_id } = JSON.parse(charge) as Record<string, string>;
    expect(await programs.js(sandbox, "getCharge", { CHARGE_ID: charge_id! })).toContain(charge_id);
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
    await expect.poll(() => tab.locator("section.operation:visible").count()).toBe(1);
    expect(await tab.locator("#rotateWebhookSecret").isVisible()).toBe(true);
    // Names go before what only mentions the word, and nothing else is left of the page.
    await tab.getByLabel("Filter").fill("quote");
    await expect.poll(() => tab.locator("#found").textContent()).toMatch(/^\d found; \d+ more mention it$/);
    expect(await tab.locator("nav .tag:visible, main h2:visible").allTextContents()).toEqual([
      "Payments",
      "Schemas",
      "Payments",
      "Schemas",
    ]);
    await tab.getByRole("button", { name: "Show them" }).click();
    await expect.poll(() => tab.locator("#found").textContent()).toMatch(/^\d+ found$/);
    await tab.getByLabel("Filter").fill("zebra");
    await expect.poll(() => tab.locator("#found").textContent()).toBe("Nothing found");
    await tab.getByLabel("Filter").fill("");
    await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await tab.locator("#createQuote h3").click();
    await tab.locator("#createQuote .copy").click();
    await expect.poll(() => tab.locator("#said").textContent()).toBe("Copied");
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe(
      await tab.locator("#createQuote-curl").textContent(),
    );
  });

  it("makes calls, and fills in what the next one needs", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } }, "#createQuote");
    const send = async (id: string, status: string) => {
      const call = tab.locator(`#${id}`);
      if (!(await call.locator(".try").isVisible())) await call.locator("h3").click();
      await call.getByRole("button", { name: "Try it" }).click();
      await call.getByRole("button", { name: "Send" }).click();
      await call.locator("output", { hasText: status }).waitFor();
      return call.locator("output pre").textContent();
    };
    await send("createQuote", "200 OK");
    const charge = JSON.parse((await send("createWhitelabel", "200 OK"))!) as Record<string, string>;
    expect(JSON.parse((await send("getCharge", "200 OK"))!)).toMatchObject({ charge_id: charge.charge_id });
    await tab.locator("#getBalances h3").click();
    await tab.locator("#getBalances").getByRole("button", { name: "Try it" }).click();
    await tab.locator("#getBalances").getByLabel("API key").fill("sk_test_wrong");
    await tab.locator("#getBalances").getByRole("button", { name: "Send" }).click();
    await tab.locator("#getBalances output", { hasText: "401 Unauthorized" }).waitFor();
    // Whoever reads Python, reads it everywhere.
    await tab.getByLabel("Python").check();
    expect(await tab.locator("#createQuote pre:visible").first().textContent()).toContain("import json");
    expect(await impairmentFaults(tab)).toEqual([]);
  });

  it("is whole without its script", async () => {
    const tab = await visit({ javaScriptEnabled: false, viewport: { width: 375, height: 900 } });
    expect(await tab.locator("#createQuote").isVisible()).toBe(true);
    expect(await tab.locator("nav a").first().isVisible()).toBe(true);
    await tab.locator("#createQuote h3").click();
    expect(await tab.locator("#createQuote-curl").isVisible()).toBe(true);
    expect(await tab.locator(".copy:visible, .try button:visible").count()).toBe(0);
  });

  it("shows at once what its address names, on a phone too", async () => {
    const tab = await visit({ viewport: { width: 375, height: 900 } }, "#getBalances");
    const top = () => tab.evaluate(() => document.getElementById("getBalances")!.getBoundingClientRect().top);
    await expect.poll(top).toBeLessThan(60);
    expect(await top()).toBeGreaterThanOrEqual(0);
  });
});
