import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, type LaunchedBrowser, launchBrowser } from "../pages/support/chromium.js";
import { impairmentFaults } from "../pages/support/impairments.js";
import { openSandbox, START } from "../support/api-client.js";
import { ControlAnswers, shippedControlDocument } from "../support/openapi-control.js";

let control: ControlAnswers;
let text: string;
let headers: Headers;
beforeAll(async () => {
  control = new ControlAnswers(await shippedControlDocument());
  const sandbox = await openSandbox();
  const response = await sandbox.fetch(new Request("http://127.0.0.1:4402/_sandbox/docs"));
  expect(response.status).toBe(200);
  headers = response.headers;
  text = await response.text();
});

describe("GET /_sandbox/docs", () => {
  it("is one page that loads nothing and lets nothing else run", () => {
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("sandbox-now")).toBe(START);
    expect(headers.get("content-security-policy")).not.toMatch(/unsafe|\*/);
    expect(text.length).toBeLessThan(450_000);
    expect([...text.matchAll(/ (?:src|href)="([^"#][^"]*)"/g)].map(([, to]) => to)).toEqual([
      expect.stringMatching(/^data:image\/svg\+xml/),
      "openapi.json",
      "../docs",
      "dashboard",
    ]);
  });

  it("shows every call and schema, and leads nowhere that is not there", () => {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id } of control.operations) expect(ids).toContain(id);
    for (const name of Object.keys(control.document.components.schemas))
      expect(ids).toContain(`schema-${name}`);
    for (const [, target] of text.matchAll(/ href="#([^"]+)"/g)) expect(ids).toContain(target);
    expect(text).not.toMatch(/undefined<|\[object Object\]|>false</);
    expect(text).not.toContain("Authorization: Bearer");
    // It is our own surface: nothing of it is assumed of anybody.
    expect(text).not.toContain("A bare mark");
  });

  it("is found by its namespace only", async () => {
    const sandbox = await openSandbox();
    const headers = { "sandbox-namespace": "nowhere" };
    const response = await sandbox.fetch(new Request("http://sandbox/_sandbox/docs", { headers }));
    expect(response.status).toBe(404);
  });

  it("has curl commands that work as they stand", async () => {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen({ port: 0 });
    const page = await (await fetch(`${url}/_sandbox/docs`)).text();
    const run = async (id: string, variables: Record<string, string> = {}) => {
      const [, shown] = new RegExp(`<pre id="${id}-curl"[^>]*>([^<]*)</pre>`).exec(page)!;
      const command = shown!
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&");
      const { stdout } = await promisify(execFile)("sh", ["-c", command.replace(/\bcurl\b/, "curl -s")], {
        env: { ...process.env, no_proxy: "*", ...variables },
      });
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    expect(await run("advanceClock")).toMatchObject({ from: START });
    expect(await run("createNamespace")).toMatchObject({ name: "worker-1" });
    expect(await run("putScenario", { NAME: "operator-declines" })).toMatchObject({ active: false });
    expect(await run("createFault")).toMatchObject({ times: 2 });
    expect(await run("resetSandbox")).toMatchObject({ counts: { charges: 0 } });
  });
});

describe.runIf(chromiumPath() !== undefined)("in a browser", () => {
  let browser: LaunchedBrowser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });

  // The service's reference is looked at in both schemes and widths; this one is made by the same hands.
  it("has nothing against it for people with impairments, and leads to the service's and back", async () => {
    const width = 375;
    const { url } = await (await openSandbox()).listen({ port: 0 });
    const context = await browser.open({
      colorScheme: "dark",
      viewport: { width, height: 900 },
    });
    const tab = await context.newPage();
    await tab.goto(`${url}/docs`);
    await tab.getByRole("link", { name: "Control API reference" }).click();
    await tab.waitForURL("**/_sandbox/docs");
    // All of it unfolded is a hundred schemas: the first of each kind will do.
    await tab.evaluate(() => {
      for (const part of [...document.querySelectorAll("details")].slice(0, 20)) part.open = true;
    });
    expect(await impairmentFaults(tab)).toEqual([]);
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await tab.getByRole("link", { name: "Payments API reference" }).click();
    await tab.waitForURL((to) => to.pathname === "/docs");
  });
});
