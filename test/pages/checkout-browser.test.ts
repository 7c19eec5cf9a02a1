import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/library/index.js";
import { type Checkout, createCheckout } from "./support/checkouts.js";
import {
  chromiumPath,
  describeInBrowser,
  listeningSandbox,
  NO_CHROMIUM,
  useBrowser,
} from "./support/chromium.js";
import { impairmentFaults } from "./support/impairments.js";
import { playwrightRecipe } from "./support/playwright-recipe.js";
import { Shop } from "./support/shop.js";

const hasChromium = chromiumPath() !== undefined;
if (!hasChromium && !process.env.CI) console.info(`test/pages/browser.test.ts is skipped. ${NO_CHROMIUM}`);

it.runIf(process.env.CI)("Chromium is available", () => {
  if (!hasChromium) throw new Error(NO_CHROMIUM);
});

describeInBrowser("the checkout page in a browser", () => {
  const openWindow = useBrowser();

  async function openTab(options: BrowserContextOptions = {}): Promise<Page> {
    return (await openWindow(options)).newPage();
  }

  /** Creates a checkout with the shop's return URLs. */
  async function openCheckout(sandbox: Sandbox, shop: Shop | undefined, wish: object = {}) {
    const back =
      shop === undefined
        ? {}
        : { success_url: `${shop.url}/thanks?order=7#end`, cancel_url: `${shop.url}/basket?order=7` };
    const checkout = await createCheckout(sandbox, { ...back, ...wish });
    return { ...checkout, url: `${sandbox.url}/checkout/${checkout.checkout_id}` };
  }

  /** Returns path and query of the return URL. */
  function readReturn(shop: Shop) {
    const visit = shop.visits.at(-1)!;
    return { path: visit.pathname, ...Object.fromEntries(visit.searchParams) };
  }

  function outcomeOf({ checkout_id, charge_id }: Checkout, path: string, status: string) {
    return { path, order: "7", checkout_id, charge_id, status };
  }

  async function choose(page: Page, method: string): Promise<void> {
    await page.getByRole("radio", { name: method }).check();
  }

  describe.each([
    ["with JavaScript", true],
    ["without JavaScript", false],
  ])("%s", (_name, javaScriptEnabled) => {
    async function begin() {
      const sandbox = await listeningSandbox();
      const shop = await Shop.open();
      const checkout = await openCheckout(sandbox, shop);
      const page = await openTab({ javaScriptEnabled });
      await page.goto(checkout.url);
      return { sandbox, shop, checkout, page };
    }

    it("mobile money shows a waiting page and returns to success_url", async () => {
      const { sandbox, shop, checkout, page } = await begin();
      await choose(page, "Mobile money");
      await page.locator("summary:visible", { hasText: "Other currencies" }).click();
      await page.getByRole("radio", { name: "Kenyan shilling" }).check();
      // Without a script the total stays without fees.
      expect(await page.locator(".total > :visible").textContent()).toBe(
        javaScriptEnabled ? "KES\u00a03,305.63" : "USD\u00a025.00",
      );
      await page.getByLabel("Phone number").fill("+254 700 000 001");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Quote this reference").waitFor();
      expect(await page.locator(".total").textContent()).toBe("KES\u00a03,305.63");
      await page.getByRole("button", { name: "I have paid" }).click();
      await page.getByText("Waiting for your payment").waitFor();
      await sandbox.advance("3s");
      await page.getByText("Your payment is being processed").waitFor();
      await sandbox.advance("10s");
      await page.getByText("Back at the shop").waitFor();
      expect(readReturn(shop)).toEqual(outcomeOf(checkout, "/thanks", "COMPLETED"));
      expect(new URL(page.url()).hash).toBe("#end");
    });

    it("an expired checkout responds with 410 and returns to cancel_url", async () => {
      const { sandbox, shop, checkout, page } = await begin();
      await sandbox.advance("1h");
      if (!javaScriptEnabled) {
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByText("This checkout has expired").waitFor();
        await page.getByRole("link", { name: "Back to the shop" }).click();
      }
      await page.getByText("Back at the shop").waitFor();
      expect(readReturn(shop)).toEqual(outcomeOf(checkout, "/basket", "EXPIRED"));
      const again = await page.goto(checkout.url);
      expect(again!.status()).toBe(410);
    });

    it("the Complete button pays with the chosen method", async () => {
      const { shop, checkout, page } = await begin();
      await choose(page, "Card");
      await page.getByRole("button", { name: "Complete" }).click();
      await page.getByText("Back at the shop").waitFor();
      expect(readReturn(shop)).toEqual(outcomeOf(checkout, "/thanks", "COMPLETED"));
    });

    it("only the fields of the chosen method are visible", async () => {
      const { page } = await begin();
      const phone = page.getByLabel("Phone number");
      expect(await phone.isVisible()).toBe(false);
      await choose(page, "Mobile money");
      expect(await phone.isVisible()).toBe(true);
      expect(await page.getByLabel("Bank account number").isVisible()).toBe(false);
    });

    it("Cancel asks before it cancels", async () => {
      const { checkout, page } = await begin();
      const cancel = page.getByRole("button", { name: "Cancel" });
      await cancel.click();
      const focused = page.locator(":focus");
      expect(await focused.textContent()).toBe("Keep paying");
      // A modal dialog keeps the focus from the page behind it.
      await page.keyboard.press("Shift+Tab");
      expect(await page.locator("main form .actions > button:focus, .sandbox :focus").count()).toBe(0);
      await page.keyboard.press("Escape");
      expect(await focused.textContent()).toBe("Cancel");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Keep paying" }).click();
      await page.getByText("Cancel the payment?").waitFor({ state: "hidden" });
      expect(await focused.textContent()).toBe("Cancel");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Quote this reference").waitFor();
      expect(page.url()).toBe(checkout.url);
    });

    it("a cancelled checkout follows the shop's redirect to another origin", async () => {
      const { shop, checkout, page } = await begin();
      const other = await Shop.open();
      shop.forward = `${other.url.replace("127.0.0.1", "localhost")}/elsewhere`;
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Cancel payment" }).click();
      await page.waitForURL("**/elsewhere");
      await page.getByText("Back at the shop").waitFor();
      expect(readReturn(shop)).toEqual(outcomeOf(checkout, "/basket", "CANCELLED"));
    });
  });

  it("the Playwright recipe of docs/recipes.md pays", async () => {
    const page = await openTab();
    await playwrightRecipe("docs/recipes.md", page);
  });

  describe("the checkout page's script", () => {
    it("the countdown runs at the speed of sandbox time", async () => {
      const sandbox = await listeningSandbox({ clock: "60x" });
      const page = await openTab();
      await page.goto((await openCheckout(sandbox, undefined)).url);
      const left = async () => {
        const parts = (await page.getByRole("timer").textContent())!.split(":");
        return parts.reduce((sum, part) => sum * 60 + Number(part), 0);
      };
      const first = await left();
      // At wall speed this would exceed the timeout.
      await expect.poll(left, { timeout: 60_000 }).toBeLessThan(first - 90);
    });

    it("the countdown stops while the clock is frozen", async () => {
      const sandbox = await listeningSandbox();
      const page = await openTab();
      await page.clock.install();
      await recordShifts(page);
      await page.goto((await openCheckout(sandbox, undefined)).url);
      const timerAfter = async (ms: number) => {
        await page.clock.runFor(ms);
        return page.getByRole("timer").textContent();
      };
      // Blocks the request that corrects the page's time every second.
      await page.route("**/status", (route) => route.abort());
      expect(await timerAfter(5_000)).toBe("1:00:00");
      await page.unroute("**/status");
      await sandbox.advance("30m");
      await expect.poll(() => timerAfter(1_000)).toBe("30:00");
      expect(await page.locator(".more p").first().textContent()).toContain("Next: EXPIRED in 30:00,");
      expect(await page.getByText("expires soon").isVisible()).toBe(false);
      await sandbox.advance("25m1s");
      await expect.poll(() => timerAfter(1_000)).toBe("04:59");
      expect(await page.getByRole("timer", { name: "Time left, expires soon" }).isVisible()).toBe(true);
      // The shorter text must not shift the layout.
      expect(await page.evaluate("moved")).toEqual([]);
    });

    it("the page follows the clock's mode and keeps a typed reason", async () => {
      const sandbox = await listeningSandbox({ scenario: "slow" });
      const page = await openTab();
      await page.goto((await openCheckout(sandbox, undefined)).url);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Quote this reference").waitFor();
      await page.getByLabel("Reason if it fails").fill("no luck");
      await sandbox.run("setClock", { mode: "real" });
      await page.getByText("clock frozen").waitFor({ state: "detached" });
      await sandbox.run("setClock", { mode: "manual" });
      await page.getByText("clock frozen").waitFor();
      expect(await page.getByLabel("Reason if it fails").inputValue()).toBe("no luck");
    });

    it("the page says that the connection is lost until the server answers again", async () => {
      const sandbox = await listeningSandbox();
      const page = await openTab();
      await page.clock.install();
      await page.goto((await openCheckout(sandbox, undefined)).url);
      const connection = async () => {
        await page.clock.runFor(1_000);
        return page.locator(".lost").allTextContents();
      };
      await page.route("**/status", (route) => route.abort());
      const text = "Connection to the sandbox lost, retrying…";
      await expect.poll(connection, { timeout: 60_000 }).toEqual([text]);
      await page.unroute("**/status");
      await expect.poll(connection, { timeout: 60_000 }).toEqual([]);
    });

    it("copies the reference, and the amount as banks expect it", async () => {
      const sandbox = await listeningSandbox();
      const checkout = await openCheckout(sandbox, undefined);
      const page = await openTab({ permissions: ["clipboard-read", "clipboard-write"] });
      await page.goto(checkout.url);
      await page.locator("summary:visible", { hasText: "Other currencies" }).click();
      await page.getByRole("radio", { name: "Nigerian naira" }).check();
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("button", { name: "Copy reference" }).click();
      const copied = () => page.evaluate("navigator.clipboard.readText()");
      await expect.poll(copied).toBe(await page.locator("#reference").textContent());
      await page.getByRole("button", { name: "Copy amount to pay" }).click();
      await expect.poll(copied).toBe("39331.25");
    });

    it("the page's title has the total of the selected method", async () => {
      const sandbox = await listeningSandbox();
      const page = await openTab();
      await page.goto((await openCheckout(sandbox, undefined)).url);
      expect(await page.title()).toBe("Pay Sandbox Shop – USD\u00a025.38");
      await choose(page, "Card");
      expect(await page.title()).toBe(`Pay Sandbox Shop – ${await page.locator("#total").textContent()}`);
    });

    it("the page of a completed payment follows its refunds", async () => {
      const sandbox = await listeningSandbox();
      const { url, charge_id } = await openCheckout(sandbox, undefined);
      const page = await openTab();
      await page.goto(url);
      await page.getByRole("button", { name: "Complete" }).click();
      await page.getByText("Payment complete").waitFor();
      await sandbox.run("refundPart", { charge_id, amount: "1.00" });
      await page.getByText("Payment partly refunded").waitFor();
      sandbox.transition(charge_id, "REFUNDED");
      await page.getByText("Payment refunded").waitFor();
    });

    it.each([
      ["advanced to the end", undefined, "/thanks", "COMPLETED"],
      ["moved to COMPLETED", "COMPLETED", "/thanks", "COMPLETED"],
      ["moved to FAILED", "FAILED", "/basket", "FAILED"],
    ] as const)(
      "open instructions return to the shop once the payment is %s",
      async (_name, to, path, end) => {
        const sandbox = await listeningSandbox();
        const shop = await Shop.open();
        const checkout = await openCheckout(sandbox, shop);
        const page = await openTab();
        await page.goto(checkout.url);
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByText("Quote this reference").waitFor();
        if (to === undefined) await sandbox.advance("10s");
        else sandbox.transition(checkout.charge_id, to);
        await page.getByText("Back at the shop").waitFor();
        expect(readReturn(shop)).toEqual(outcomeOf(checkout, path, end));
        await page.goto(checkout.url);
        await page.getByRole("link", { name: "Back to the shop" }).waitFor();
      },
    );

    it("the script does not submit a form twice", async () => {
      const sandbox = await listeningSandbox();
      const page = await openTab();
      const posts: string[] = [];
      page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
      await page.goto((await openCheckout(sandbox, undefined)).url);
      await page.getByRole("button", { name: "Continue" }).dblclick();
      await page.getByText("Quote this reference").waitFor();
      expect(posts).toHaveLength(1);
    });
  });

  it("a checkout can be paid with the keyboard alone", async () => {
    const sandbox = await listeningSandbox();
    const page = await openTab();
    await page.goto((await openCheckout(sandbox, undefined)).url);
    const focused = () =>
      page.evaluate(`(() => {
        const { name, value, textContent } = document.activeElement;
        return getComputedStyle(document.activeElement).outlineStyle + " " + (value || textContent) + " " + (name || "");
      })()`);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("solid bank_transfer payment_method");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("solid mobile_money payment_method");
    await page.keyboard.press("Tab");
    await page.keyboard.type("+2348000000001");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("solid NGN currency.mobile_money");
    await page.keyboard.press("Enter");
    await page.getByText("Quote this reference").waitFor();
    await page.getByRole("button", { name: "I have paid" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Waiting for your payment").waitFor();
    await expect.poll(focused).toBe("none Waiting for your payment ");
  });

  it("the title and the focus follow a payment that moves while its tab is hidden", async () => {
    const sandbox = await listeningSandbox();
    const page = await openTab();
    await page.addInitScript("Object.defineProperty(document, 'hidden', { value: true })");
    const { url, charge_id } = await openCheckout(sandbox, undefined);
    await page.goto(url);
    await page.getByRole("button", { name: "Continue" }).press("Enter");
    await page.getByRole("button", { name: "I have paid" }).focus();
    sandbox.transition(charge_id, "PROCESSING");
    await expect.poll(() => page.title()).toBe("Processing… – Sandbox Shop");
    await expect.poll(() => page.locator(":focus").textContent()).toBe("Your payment is being processed");
  });

  it("Enter in the field of the reason fails the payment", async () => {
    const sandbox = await listeningSandbox();
    const page = await openTab();
    await page.goto((await openCheckout(sandbox, undefined)).url);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("Reason if it fails").fill("no_luck");
    await page.keyboard.press("Enter");
    await page.getByText("sandbox bar (“no_luck”)").waitFor();
  });

  describe.each([
    [1440, 900],
    [1024, 820],
    [390, 844],
  ])("at %d x %d", (width, height) => {
    it("each step begins high, in the same place, and its buttons are in sight without scrolling", async () => {
      const sandbox = await listeningSandbox();
      const page = await openTab({ viewport: { width, height } });
      const isOnTop = (button: Element) => {
        const { left, right, top, bottom } = button.getBoundingClientRect();
        const corners = [top + 2, bottom - 2].map((y) => document.elementFromPoint((left + right) / 2, y));
        return corners.every((element) => element === button);
      };
      const { url } = await openCheckout(sandbox, undefined);
      await page.goto(url);
      const tops = new Set<number>();
      const outcomesLeft = new Set<number>();
      const notePlaces = async () => {
        tops.add((await page.locator(".card").boundingBox())!.y);
        outcomesLeft.add((await page.locator(".outcomes button").first().boundingBox())!.x);
      };
      await notePlaces();
      const more = page.getByText("More");
      const place = await more.boundingBox();
      await more.click();
      await notePlaces();
      expect(await more.boundingBox()).toEqual(place);
      await page.getByLabel("Reason if it fails").fill("no luck");
      await more.click();
      expect(await page.locator("#sandbox").innerText()).toContain("clock frozen");
      const methods = await page.locator("[name=payment_method]").all();
      expect(await Promise.all(methods.map((method) => method.evaluate(isOnTop)))).toEqual([
        true,
        true,
        true,
        true,
      ]);
      await choose(page, "Mobile money");
      expect(await page.getByLabel("Phone number").evaluate(isOnTop)).toBe(true);
      const chosen = (await page.getByRole("radio", { name: "Mobile money" }).boundingBox())!;
      const next = (await page.getByRole("radio", { name: "Card" }).boundingBox())!;
      const phone = (await page.getByLabel("Phone number").boundingBox())!;
      // On a narrow screen the fields are under their method.
      expect([chosen.y < phone.y, phone.y < next.y]).toEqual([true, width < 864]);
      await page.getByRole("button", { name: "Continue" }).click();
      expect(await page.locator(".fault").evaluate(isOnTop)).toBe(true);
      expect(page.url()).toBe(`${url}/`);
      await page.reload();
      await page.getByRole("button", { name: "Continue" }).waitFor();
      expect([page.url(), await page.locator(".fault").count()]).toEqual([url, 0]);
      await page.goto(url);
      await page.setViewportSize({ width, height: 384 });
      expect(await page.locator(".actions").evaluate((bar) => getComputedStyle(bar).position)).toBe("static");
      await page.setViewportSize({ width, height });
      await choose(page, "Bank transfer");
      for (const name of ["Continue", "I have paid", "Show how to pay"]) {
        const next = page.getByRole(name.startsWith("Show") ? "link" : "button", { name });
        const cancel = page.getByRole("button", { name: "Cancel" });
        expect([name, await next.evaluate(isOnTop), await cancel.evaluate(isOnTop)]).toEqual([
          name,
          true,
          true,
        ]);
        await notePlaces();
        if (name === "I have paid") {
          expect(await page.locator("#reference").evaluate(isOnTop)).toBe(true);
          const left = (await page.locator(".left").boundingBox())!;
          expect((await page.locator(".card").boundingBox())!.y - left.y - left.height).toBeLessThan(40);
        }
        await next.click();
      }
      for (const status of ["PROCESSING", "COMPLETED"]) {
        await sandbox.advance("3s");
        await page.getByText(status === "COMPLETED" ? "Payment complete" : "is being processed").waitFor();
        if (status === "PROCESSING") await notePlaces();
      }
      const total = (await page.locator(".total").boundingBox())!;
      expect((await page.locator(".card").boundingBox())!.y - total.y - total.height).toBeLessThan(40);
      expect([tops.size, outcomesLeft.size]).toEqual([1, 1]);
      expect([...tops][0]).toBeLessThan(height * 0.4);
    });

    it("the page keeps its height while the customer compares the methods", async () => {
      const sandbox = await listeningSandbox();
      const page = await openTab({ viewport: { width, height } });
      await page.goto((await openCheckout(sandbox, undefined)).url);
      const heights = new Set<unknown>();
      for (const method of ["Mobile money", "Card", "Cryptocurrency", "Bank transfer"]) {
        await choose(page, method);
        await page.getByRole("group", { name: `for ${method}` }).waitFor();
        heights.add(await page.evaluate("document.querySelector('.card').offsetHeight"));
      }
      expect(heights.size).toBe(1);
    });

    it("no total breaks inside its digits", async () => {
      const sandbox = await listeningSandbox({ fixtures: { currencies: [{ code: "ETH", decimals: 18 }] } });
      const page = await openTab({ viewport: { width, height } });
      const pricing = { base_currency: "NGN", amount: "127500000.00" };
      const { url, charge_id } = await openCheckout(sandbox, undefined, { pricing });
      const faults: string[] = [];
      const look = async () => {
        if ((await page.evaluate(linesOfTotal)) !== 1)
          faults.push((await page.locator(".total").textContent())!);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      };
      await page.goto(url);
      for (const method of await page.locator("[name=payment_method]").all()) {
        await method.check();
        await page.locator(".detail summary:visible").click();
        for (const currency of await page.locator(".offer input:visible").all()) {
          await currency.check();
          await look();
        }
      }
      expect(await page.locator("#total").textContent()).toMatch(/^ETH\u00a0\d\d\.\d{18}$/);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("give the shop this reference").waitFor();
      for (const status of ["EXPIRED", "COMPLETED"] as const) {
        await look();
        sandbox.transition(charge_id, status);
        await page.goto(url);
      }
      await look();
      expect(faults).toEqual([]);
    });
  });

  it("a small phone scrolls to the details of the chosen method", async () => {
    const page = await openTab({ viewport: { width: 375, height: 667 } });
    await page.goto((await openCheckout(await listeningSandbox(), undefined)).url);
    await choose(page, "Cryptocurrency");
    await page.evaluate("scrollTo(0, 0)");
    await page.locator(".pick", { hasText: "Card" }).click();
    const detail = (await page.locator(".detail:visible").boundingBox())!;
    const actions = (await page.locator(".actions").boundingBox())!;
    expect(detail.y + detail.height).toBeLessThanOrEqual(actions.y);
  });

  /** Counts the lines that the digits of the total take. */
  function linesOfTotal(): number {
    const lines = new Set<number>();
    const texts = document.createTreeWalker(document.querySelector(".total")!, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      for (const { index } of text.textContent!.matchAll(/[\d.,]/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + 1);
        const { width, bottom } = range.getBoundingClientRect();
        if (width > 0) lines.add(Math.round(bottom));
      }
    return lines.size;
  }

  /** Every screen: name, URL, and the method to submit first. */
  async function listScreens(sandbox: Sandbox, shop: Shop): Promise<[string, string, string?][]> {
    const make = () => openCheckout(sandbox, shop, { customer_name: "Ada", customer_email: "ada@shop.test" });
    const priced = async (fields: Record<string, string> = { payment_method: "bank_transfer" }) => {
      const checkout = await make();
      const body = new URLSearchParams(fields);
      await fetch(`${checkout.url}/method`, { method: "POST", body, redirect: "manual" });
      return checkout;
    };
    const moved = async (...path: Parameters<Sandbox["transition"]>[1][]) => {
      const checkout = await priced();
      for (const status of path) sandbox.transition(checkout.charge_id, status);
      return checkout.url;
    };
    return [
      ["choosing", (await make()).url],
      ["a field at fault", (await make()).url, "Mobile money"],
      ["bank transfer", (await priced()).url],
      ["crypto", (await priced({ payment_method: "crypto" })).url],
      ["card", (await priced({ payment_method: "card" })).url],
      ["waiting", `${(await priced()).url}?waiting=1`],
      ["processing", await moved("PROCESSING")],
      ["completed", await moved("COMPLETED")],
      ["failed", await moved("FAILED")],
      ["cancelled", await moved("CANCELLED")],
      ["expired", await moved("EXPIRED")],
      ["refunded", await moved("COMPLETED", "REFUNDED")],
      ["unknown", `${sandbox.url}/checkout/co_none`],
    ];
  }

  async function recordShifts(page: Page): Promise<void> {
    await page.addInitScript(`window.moved = [];
      new PerformanceObserver((list) => moved.push(...list.getEntries().map((entry) => entry.value)))
        .observe({ type: "layout-shift", buffered: true });`);
  }

  it.each([1024, 1440])("all prices with a rate are equally high at %d px", async (width) => {
    const { url } = await openCheckout(await listeningSandbox(), undefined);
    const page = await openTab({ viewport: { width, height: 900 } });
    await page.goto(url);
    await choose(page, "Card");
    await page.locator("summary:visible", { hasText: "Other currencies" }).click();
    const heights = await page.locator(".offer:visible").evaluateAll((offers) => {
      const withRate = offers.filter((offer) => offer.textContent!.includes(" = "));
      return withRate.map((offer) => offer.getBoundingClientRect().height);
    });
    expect(heights.length).toBeGreaterThan(2);
    expect(new Set(heights).size).toBe(1);
  });

  it("the checkout does not shift while it loads on a slow phone", async () => {
    const { url } = await openCheckout(await listeningSandbox(), undefined);
    for (let visits = 0; visits < 6; visits++) {
      const page = await openTab({ viewport: { width: 390, height: 844 } });
      await (await page.context().newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: 4 });
      await recordShifts(page);
      await page.goto(url);
      // Chromium reports a layout shift in a later frame.
      await page.waitForTimeout(600);
      expect(await page.evaluate("moved")).toEqual([]);
      await page.close();
    }
  });

  async function visit(page: Page, [, url, press]: [string, string, string?]): Promise<void> {
    await page.goto(url);
    if (press === undefined) return;
    await choose(page, press);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator("[aria-invalid]:focus").waitFor();
  }

  describe.each([
    ["phone", { width: 390, height: 844 }],
    ["desktop", { width: 1280, height: 800 }],
  ])("on a %s", (_name, viewport) => {
    it("every screen is accessible in both colour schemes and does not shift", async () => {
      // The scenario does not move the charges.
      const sandbox = await listeningSandbox({ clock: "real", scenario: "slow" });
      const page = await openTab({ viewport, colorScheme: "light" });
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (/content security policy/i.test(message.text())) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      await recordShifts(page);
      for (const view of await listScreens(sandbox, await Shop.open())) {
        await visit(page, view);
        const began = performance.now();
        // A wide screen has the same content in other colours.
        const coloursOnly = viewport.width > 400;
        expect([view[0], await impairmentFaults(page, { coloursOnly })]).toEqual([view[0], []]);
        // Only the colours differ between the schemes.
        await page.emulateMedia({ colorScheme: "dark" });
        expect([view[0], await impairmentFaults(page, { coloursOnly: true })]).toEqual([view[0], []]);
        await page.emulateMedia({ colorScheme: "light" });
        // Waits for two ticks of the countdown.
        await page.waitForTimeout(Math.max(0, 600 - (performance.now() - began)));
        expect([view[0], await page.evaluate("moved")]).toEqual([view[0], []]);
        // The sandbox panel must be visible without scrolling.
        const isThere =
          "(document.querySelector('.sandbox')?.getBoundingClientRect().bottom ?? 0) <= innerHeight";
        expect([view[0], await page.evaluate(isThere)]).toEqual([view[0], true]);
        const width = await page.evaluate("document.querySelector('.sandbox')?.offsetWidth ?? innerWidth");
        expect([view[0], width]).toEqual([view[0], viewport.width]);
        const titleHeight = await page.evaluate(
          "document.querySelector('#sandbox .small')?.offsetHeight ?? 0",
        );
        expect([view[0], titleHeight]).toEqual([view[0], expect.toSatisfy((height) => height < 24)]);
        const tooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
        expect([view[0], tooWide]).toEqual([view[0], false]);
      }
      expect(complaints).toEqual([]);
    });
  });
});
