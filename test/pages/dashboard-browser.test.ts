import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/index.js";
import { openSandbox } from "../support/api-client.js";
import { createCheckout } from "./support/checkouts.js";
import { chromiumPath, type LaunchedBrowser, launchBrowser } from "./support/chromium.js";

describe.runIf(chromiumPath() !== undefined)("the dashboard in a browser", () => {
  let browser: LaunchedBrowser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });

  async function sandboxThere(): Promise<Sandbox> {
    const sandbox = await openSandbox();
    await sandbox.listen();
    return sandbox;
  }

  const rowOf = (page: Page, charge: string) => page.locator("#charges tr", { hasText: charge });
  const charges = (page: Page) => page.locator("#charges tbody tr").count();

  it("keeps showing its own namespace after a refused press", async () => {
    const sandbox = await sandboxThere();
    const control = (path: string, body: object, headers: Record<string, string> = {}) =>
      sandbox.fetch(`/_sandbox${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    await control("/namespaces", { name: "worker", clock: "manual" });
    await createCheckout(sandbox, { customer_email: "of-default@shop.test" });
    const { charge_id } = await createCheckout(sandbox, {}, "sk_test_ns_worker");
    const page = await (await browser.open()).newPage();
    await page.goto(`${sandbox.url}/_sandbox/dashboard?namespace=worker`);
    const press = rowOf(page, charge_id).getByRole("button", { name: "Cancel" });
    await press.hover();
    const moved = await control(
      `/charges/${charge_id}/transition`,
      { to: "CANCELLED" },
      { "sandbox-namespace": "worker" },
    );
    expect(moved.status).toBe(200);
    await press.click();
    await page.getByRole("alert").waitFor();
    expect(new URL(page.url()).searchParams.get("namespace")).toBe("worker");
    await createCheckout(sandbox, { customer_email: "second@worker.test" }, "sk_test_ns_worker");
    await page.mouse.move(0, 0);
    await page.getByText("second@worker.test").waitFor();
    expect(await page.getByText("of-default@shop.test").count()).toBe(0);
    expect(await page.locator("header").textContent()).toContain("Namespace worker");
  });

  it("moves no row under the pointer: the click hits the charge it was aimed at", async () => {
    const sandbox = await sandboxThere();
    const first = await createCheckout(sandbox, {});
    const page = await (await browser.open()).newPage();
    await page.goto(`${sandbox.url}/_sandbox/dashboard`);
    const cancel = rowOf(page, first.charge_id).getByRole("button", { name: "Cancel" });
    await cancel.hover();
    const before = await cancel.boundingBox();
    const second = await createCheckout(sandbox, {});
    const more = page.getByRole("button", { name: "Show what is new" }).first();
    await more.waitFor();
    expect([await charges(page), await cancel.boundingBox()]).toEqual([1, before]);
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForURL("**/dashboard?namespace=default");
    await page.mouse.move(0, 0);
    await rowOf(page, second.charge_id).waitFor();
    expect(await rowOf(page, first.charge_id).textContent()).toContain("CANCELLED");
    expect(await rowOf(page, second.charge_id).textContent()).toContain("PENDING");
  });

  it("catches up when the pointer leaves, or when asked to", async () => {
    const sandbox = await sandboxThere();
    await createCheckout(sandbox, {});
    const page = await (await browser.open()).newPage();
    await page.goto(`${sandbox.url}/_sandbox/dashboard`);
    await page.locator("#charges td").first().hover();
    await createCheckout(sandbox, {});
    const more = page.getByRole("button", { name: "Show what is new" }).first();
    await more.waitFor();
    expect(await charges(page)).toBe(1);
    await more.click();
    await expect.poll(() => charges(page)).toBe(2);
    await page.locator("#charges td").first().hover();
    await createCheckout(sandbox, {});
    await more.waitFor();
    await page.mouse.move(0, 0);
    await expect.poll(() => charges(page)).toBe(3);
    await expect.poll(() => more.isVisible()).toBe(false);
  });

  it("resets only after a question", async () => {
    const sandbox = await sandboxThere();
    await createCheckout(sandbox, {});
    const page = await (await browser.open()).newPage();
    await page.goto(`${sandbox.url}/_sandbox/dashboard`);
    const reset = page.getByRole("button", { name: "Reset default" });
    expect(await reset.isVisible()).toBe(false);
    await page.getByText("Reset everything…").click();
    expect(await charges(page)).toBe(1);
    await reset.click();
    await page.getByText("None yet. Make a quote").waitFor();
  });

  it("loads in the ninth tab of a browser, and all of them are live, in other namespaces too", async () => {
    const sandbox = await sandboxThere();
    const window = await browser.open();
    await sandbox.fetch("/_sandbox/namespaces", { method: "POST", body: JSON.stringify({ name: "other" }) });
    const tabs: Page[] = [];
    for (let count = 0; count < 9; count++) {
      const tab = await window.newPage();
      await tab.goto(`${sandbox.url}/_sandbox/dashboard${count === 4 ? "?namespace=other" : ""}`);
      tabs.push(tab);
    }
    await createCheckout(sandbox, {});
    await createCheckout(sandbox, {}, "sk_test_ns_other");
    for (const tab of tabs) await rowOf(tab, "PENDING").waitFor();
    // Another takes over from the tab that listened.
    await tabs[0]!.close();
    await createCheckout(sandbox, {});
    for (const tab of [...tabs.slice(1, 4), ...tabs.slice(5)]) await expect.poll(() => charges(tab)).toBe(2);
  });
});
