import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import type { Sandbox } from "../../src/library/index.js";
import { Client } from "../support/receiver-client.js";
import { hold, REFUSING_URL, Receiver, refuseWith } from "../support/receiver-server.js";
import { createCheckout } from "./support/checkouts.js";
import { describeInBrowser, listeningSandbox, useBrowser } from "./support/chromium.js";
import { findCoveredControls, impairmentFaults } from "./support/impairments.js";

const LONG = "x".repeat(200);

/** Finds elements that only colour marks as focused, selected or failed. */
function findColourOnlyMarks(): string[] {
  // The link of a row has its ring round the whole row.
  const isRinged = (element: Element) =>
    [null, "::after"].some((part) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element, part);
      return outlineStyle !== "none" && outlineWidth !== "0px";
    });
  const all = (query: string) => [...document.querySelectorAll<HTMLElement>(query)];
  const seen = (query: string) => all(query).filter((one) => one.checkVisibility());
  const focused = seen("a[href],button,select,input,summary,textarea").filter((one) => {
    one.focus({ focusVisible: true } as FocusOptions);
    return document.activeElement === one && !isRinged(one);
  });
  const chosen = seen("[aria-current]").filter((one) => !isRinged(one));
  const others = seen(".menu a:not([aria-current]),.row").filter((one) => isRinged(one));
  const statuses = seen(".badge").filter((one) => !/^[✓✗⚠●] \S/.test(one.textContent));
  const bad = seen(".row.bad").filter((one) => getComputedStyle(one).borderLeftStyle === "none");
  return [
    ...focused.map((one) => `focus on ${one.outerHTML}`),
    ...chosen.map((one) => `chosen without a ring: ${one.outerHTML}`),
    ...others.map((one) => `ring on an unchosen: ${one.outerHTML}`),
    ...[...statuses, ...bad].map((one) => `status without a mark: ${one.outerHTML}`),
  ];
}

interface LayoutShift extends PerformanceEntry {
  readonly sources: readonly {
    readonly node: Node | null;
    readonly previousRect: DOMRect;
    readonly currentRect: DOMRect;
  }[];
}

/** Records layout shifts of the element from now on in the data attribute `shifts` of the body. */
function recordShifts(within = "body"): void {
  new PerformanceObserver((list) => {
    // A busy Chromium reports shifts of elements that have not moved.
    const moved = (list.getEntries() as LayoutShift[]).flatMap(({ sources }) =>
      sources.filter(
        ({ node, previousRect, currentRect }) =>
          JSON.stringify(previousRect) !== JSON.stringify(currentRect) &&
          node?.parentElement?.closest(within),
      ),
    );
    if (moved.length > 0) document.body.dataset.shifts = JSON.stringify(moved);
  }).observe({ type: "layout-shift" });
}

describeInBrowser("the dashboard in a browser", () => {
  const openWindow = useBrowser();

  /** Opens a page that records its errors. */
  async function openTab(options: BrowserContextOptions = {}) {
    const context = await openWindow(options);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (message) => {
      // A refused action responds with 409.
      if (message.type() === "error" && !message.text().includes("409")) errors.push(message.text());
    });
    return { page, errors, context };
  }

  const homeOf = ({ url }: Sandbox, namespace = "default") => `${url}/_sandbox/dashboard/${namespace}`;
  const rowOf = (page: Page, id: string) => page.locator(`[data-key="${id}"]`);
  const idsIn = (page: Page) =>
    page.locator("#charges .row").evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.key));

  /** Measures elements and heap after a garbage collection. */
  async function measureSize(page: Page): Promise<{ elements: number; bytes: number }> {
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    await session.detach();
    return { elements: await page.evaluate(() => document.querySelectorAll("*").length), bytes: usedSize };
  }

  it.each([1280, 390])("a row of another day shows its date, at %i pixels", async (width) => {
    const sandbox = await listeningSandbox();
    await Client.of(sandbox).pay();
    await sandbox.advance("2d");
    const { page } = await openTab({ viewport: { width, height: 800 } });
    await page.goto(homeOf(sandbox));
    const row = page.locator("#activity .row").first();
    expect(await row.locator(".at .date").textContent()).toMatch(/^\d+ \w+$/);
    const [at, state] = await row.locator(".at time, .state .badge").evaluateAll((all) =>
      all.map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return range.getBoundingClientRect();
      }),
    );
    expect(at!.right <= state!.left || state!.right <= at!.left).toBe(true);
  });

  it("a phone shows the first row below four rows of header and menu, and the current tab", async () => {
    const sandbox = await listeningSandbox();
    await Client.of(sandbox).pay();
    const { page } = await openTab({ viewport: { width: 390, height: 844 } });
    for (const view of ["requests", "namespace", "activity?show=errors"]) {
      await page.goto(`${homeOf(sandbox)}/${view}`);
      const outside = () =>
        page.locator(":is(.menu,.tabs) [aria-current]").evaluateAll((tabs) =>
          tabs.flatMap((tab) => {
            const { left, right } = tab.getBoundingClientRect();
            const strip = tab.closest("ul,.tabs")!.getBoundingClientRect();
            return left < strip.left - 1 || right > strip.right + 1 ? [tab.textContent] : [];
          }),
        );
      await expect.poll(outside, { message: view }).toEqual([]);
      const tab = (await page.locator(".menu [aria-current]").boundingBox())!;
      expect(tab.y + tab.height).toBeLessThan(170);
    }
    await page.goto(`${homeOf(sandbox)}/charges`);
    expect((await page.locator("#charges .row").first().boundingBox())!.y).toBeLessThan(300);
    expect(await page.getByRole("searchbox").count()).toBe(1);
  });

  it("a phone shows a part of the next view in the menu, and all of the clock", async () => {
    const width = 390;
    const sandbox = await listeningSandbox();
    await Client.of(sandbox).pay();
    const { page } = await openTab({ viewport: { width, height: 844 } });
    await page.goto(`${homeOf(sandbox)}/charges`);
    const edgesOf = (items: string) =>
      page.locator(items).evaluateAll((all) => all.map((item) => item.getBoundingClientRect()));
    const views = await edgesOf(".menu li > a");
    expect(views.filter(({ left, right }) => left + 16 < width && right > width).length).toBe(1);
    const controls = await edgesOf(".clock :is([data-clock], button, input[name=when]):visible");
    expect(controls.length).toBe(7);
    expect(controls.filter(({ left, right }) => left < 0 || right > width)).toEqual([]);
    await page.getByLabel("Advance by a duration or to a time").fill("10s");
    await page.keyboard.press("Enter");
    await page
      .locator("#said .notice")
      .getByText(/Advanced 10/)
      .waitFor();
  });

  it.each([1440, 1024, 390])("nothing due is said in one line, at %i pixels", async (width) => {
    const sandbox = await listeningSandbox();
    await Client.of(sandbox).quote();
    const { page } = await openTab({ viewport: { width, height: 844 } });
    await page.goto(homeOf(sandbox));
    const lines = await page.getByText("Nothing is due.").evaluate((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return range.getClientRects().length;
    });
    expect(lines).toBe(1);
  });

  it("a phone shows every balance with its name, and none of zero", async () => {
    const sandbox = await listeningSandbox();
    await Client.of(sandbox).pay({ amount: "1500000000.05" });
    await sandbox.advance("3d");
    const { page } = await openTab({ viewport: { width: 390, height: 844 } });
    await page.goto(`${homeOf(sandbox)}/money`);
    const shown = await page.locator("#balances td.number:visible").evaluateAll((all) =>
      all.map((one) => ({
        name: getComputedStyle(one, "::before").content,
        isInView: one.getBoundingClientRect().right < 390,
      })),
    );
    expect(shown).toEqual([
      { name: '"Available"', isInView: true },
      { name: '"Fees paid"', isInView: true },
    ]);
  });

  it("every view is accessible in both colour schemes and fits at each width", async () => {
    await using receiver = await Receiver.open(refuseWith(500));
    const sandbox = await listeningSandbox({ webhooks: [receiver.url] });
    const client = Client.at(sandbox.url!);
    const home = homeOf(sandbox);
    const { page, errors } = await openTab({ viewport: { width: 1440, height: 900 } });
    await page.goto(home);
    await page.getByText("Three steps").waitFor();
    expect(await impairmentFaults(page)).toEqual([]);
    const id = await client.pay({ email: "declined@shop.test" });
    const long = await createCheckout(sandbox, {
      customer_email: `${"long".repeat(20)}@shop.test`,
      customer_name: LONG,
      metadata: { order_id: LONG },
    });
    await sandbox.advance("10s");
    await client.ask("POST /api/v1/payments/quotes", {});
    await client.ask("POST /_sandbox/faults", {
      match: { operation: "createQuote" },
      respond: { status: 503 },
      times: 2,
    });
    await client.ask("POST /_sandbox/scenarios/declined/activate");
    await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "5000.00" });
    const { withdrawal_id } = await client.withdraw({ currency: "KES", amount: "519.99" });
    const delivery = (await client.ask("GET /_sandbox/deliveries?failing=1")).json.items[0].delivery_id;
    const request = (await client.ask("GET /_sandbox/requests?status=4xx")).json.items[0].request_id;
    const webhook = (await client.ask("GET /_sandbox/webhook-endpoints")).json.items[0].webhook_id;
    await client.ask("POST /_sandbox/snapshots", { name: "before" });
    await createCheckout(sandbox);
    const views = [
      "activity",
      "charges",
      `charges/${id}`,
      `charges/${long.charge_id}`,
      `money/${withdrawal_id}`,
      // Includes filters and the form that edits a receiver.
      `webhooks?status=failing&edit=${webhook}`,
      `webhooks/${delivery}`,
      "requests",
      `requests/${request}`,
      "scenarios/declined",
    ];
    const faults: string[] = [];
    const look = async (view: string) => {
      faults.push(...(await impairmentFaults(page)).map((fault) => `${view}: ${fault}`));
      await page.emulateMedia({ colorScheme: "dark" });
      const inDark = await impairmentFaults(page, { coloursOnly: true });
      faults.push(...inDark.map((fault) => `${view}, dark: ${fault}`));
      await page.emulateMedia({ colorScheme: "light" });
    };
    for (const view of [...views, "money", "scenarios", "faults", "namespace"]) {
      await page.goto(`${home}/${view}`);
      faults.push(...(await page.evaluate(findCoveredControls)).map((fault) => `${view}: ${fault}`));
      // Opens forms, transitions, headers and the reset.
      await page.evaluate(() => {
        for (const one of document.querySelectorAll("details")) one.open = true;
      });
      await look(view);
      await page.emulateMedia({ forcedColors: "active" });
      faults.push(...(await page.evaluate(findColourOnlyMarks)).map((fault) => `${view}, forced: ${fault}`));
      await page.emulateMedia({ forcedColors: "none" });
      for (const width of [1024, 800, 390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (beyond > 0) faults.push(`${view} is ${beyond} px wider than ${width}`);
      }
    }
    // Opens help, a refusal, and the button for new rows.
    await page.goto(`${home}/charges`);
    await page.getByRole("button", { name: "Shortcuts ?" }).click();
    await page.getByRole("heading", { name: "Shortcuts" }).waitFor();
    await look("the keys");
    await page.keyboard.press("Escape");
    await page.locator("#charges .row").first().hover();
    await createCheckout(sandbox);
    await page.locator("#charges [data-more]").waitFor();
    await page.evaluate((id) => {
      const button = document.querySelector<HTMLButtonElement>("[form=act]")!;
      button.value = `transitionCharge?charge_id=${id}&to=REFUNDED`;
      button.click();
    }, id);
    await page.getByRole("alert").getByText("cannot become REFUNDED").waitFor();
    await look("a refusal");
    expect(faults).toEqual([]);
    await page.goto(home);
    const stops = await page.evaluate(() => {
      const all = [
        ...document.querySelectorAll("a[href],button,input:not([type=hidden]),select,[tabindex='0']"),
      ];
      const seen = all.filter((one) => one.checkVisibility());
      return seen.findIndex((one) => one.matches("[data-row]"));
    });
    expect(stops).toBeGreaterThan(0);
    expect(stops).toBeLessThanOrEqual(30);
    for (const key of ["Tab", "Enter", "Tab"]) await page.keyboard.press(key);
    expect(await page.evaluate(() => document.activeElement!.matches("#attention [data-row]"))).toBe(true);
    expect(errors).toEqual([]);
    await page.goto(`${home}/charges/ch_none`);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    expect(await impairmentFaults(page)).toEqual([]);
  });

  it("a screen shows twenty rows with complete e-mails", async () => {
    const sandbox = await listeningSandbox();
    for (let many = 0; many < 15; many++)
      await Client.of(sandbox).pay({ email: `grace.hopper${many}@example.com` });
    await sandbox.advance("1s");
    for (let many = 0; many < 15; many++)
      await Client.of(sandbox).pay({ email: `ada.lovelace${many}@example.com` });
    const { page } = await openTab();
    const look = async (width: number, view: string) => {
      await page.setViewportSize({ width, height: 1000 });
      await page.goto(`${homeOf(sandbox)}/${view}`);
      return page.locator(".rows .row").evaluateAll((rows) =>
        rows
          .filter((row) => row.getBoundingClientRect().bottom <= innerHeight)
          .map((row) => {
            const [badge, title] = [row.querySelector(".badge")!, row.querySelector(".who")!];
            const isCut = title.scrollWidth > title.clientWidth;
            return isCut || badge.getBoundingClientRect().right >= title.getBoundingClientRect().left;
          }),
      );
    };
    for (const width of [1440, 1024]) expect(await look(width, "charges")).not.toContain(true);
    for (const view of ["charges", "requests"])
      expect((await look(1440, view)).length).toBeGreaterThanOrEqual(20);
  });

  it.each([
    [1280, ["activity", "charges", "requests"]],
    [1024, ["charges"]],
    [390, ["charges"]],
  ])("does not shift while charges arrive and change, at %i pixels", async (width, views) => {
    const sandbox = await listeningSandbox({ rateLimit: "off" });
    const client = Client.at(sandbox.url!);
    const payments = { email: "declined@shop.test", metadata: { order_id: "A-1042, in two parcels" } };
    for (let many = 0; many < 3; many++) await client.pay(payments);
    const { page } = await openTab({ viewport: { width, height: 800 } });
    for (const view of views) {
      await page.goto(`${homeOf(sandbox)}/${view}`);
      await page.evaluate(recordShifts, "body");
      for (let many = 0; many < 5; many++) {
        const newest = () => page.locator(`#${view} .row[data-key]`).first().getAttribute("data-key");
        const before = await newest();
        await client.pay(payments);
        await expect.poll(newest).not.toBe(before);
      }
      const shown = page.getByText("FAILED").locator("visible=true");
      const failed = await shown.count();
      await sandbox.advance("10s");
      if (view !== "requests") await expect.poll(() => shown.count()).toBeGreaterThan(failed);
      expect([view, await page.evaluate(() => document.body.dataset.shifts)]).toEqual([view, undefined]);
    }
  });

  it("the page of a charge does not shift while the charge runs", async () => {
    await using receiver = await Receiver.open();
    const sandbox = await listeningSandbox({ webhooks: [receiver.url] });
    const id = await Client.of(sandbox).pay();
    const { page } = await openTab({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${homeOf(sandbox)}/charges/${id}`);
    const placesOf = () =>
      page
        .locator("main > *")
        .evaluateAll((parts) => parts.map((part) => [part.id, part.getBoundingClientRect().y]));
    const before = await placesOf();
    const [last, top] = before.at(-1)!;
    expect(last).toBe("timeline");
    expect(top).toBeLessThan(430);
    for (const status of ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"]) {
      await sandbox.advance("2s");
      await page.locator("#charge .status").getByText(status).waitFor();
      await page.locator("#timeline").getByText(`charge.${status.toLowerCase()}`).first().waitFor();
      expect([status, await placesOf()]).toEqual([status, before]);
    }
  });

  it.each([1440, 1024, 390])(
    "a charge that completes or fails while its page is open has no layout shift, at %i pixels",
    async (width) => {
      await using receiver = await Receiver.open();
      await using crashing = await Receiver.open(refuseWith(500));
      const webhooks = [receiver.url, REFUSING_URL, `${crashing.url}/payments`];
      const sandbox = await listeningSandbox({ webhooks });
      const { page } = await openTab({ viewport: { width, height: 900 } });
      for (const [email, ...statuses] of [
        ["ada@shop.test", "AWAITING_PAYMENT", "PROCESSING", "COMPLETED"],
        ["declined@shop.test", "AWAITING_PAYMENT", "FAILED"],
      ] as const) {
        const id = await Client.of(sandbox).pay({ email, metadata: { order_id: "A-1042" } });
        await page.goto(`${homeOf(sandbox)}/charges/${id}`);
        await page.locator("#timeline .plan").getByText("AWAITING_PAYMENT").waitFor();
        await page.evaluate(recordShifts, ".body");
        for (const status of statuses) {
          await sandbox.advance("2s");
          await page.locator("#charge .status").getByText(status).waitFor();
          const row = page.locator("#timeline .row").filter({ hasText: `charge.${status.toLowerCase()}` });
          for (const result of ["200 in", "nothing listens", "500"])
            await row.getByText(result).first().waitFor();
        }
        expect([email, await page.evaluate(() => document.body.dataset.shifts)]).toEqual([email, undefined]);
      }
    },
  );

  it.each([1440, 1024, 390])(
    "a webhook that fails while its charge is open moves no row, at %i pixels",
    async (width) => {
      await using late = await Receiver.open(hold);
      await using receiver = await Receiver.open();
      const sandbox = await listeningSandbox({ webhooks: [late.url, receiver.url] });
      const id = await Client.of(sandbox).pay();
      const advanced = sandbox.advance("1s");
      const { page } = await openTab({ viewport: { width, height: 900 } });
      await page.goto(`${homeOf(sandbox)}/charges/${id}`);
      const rows = page.locator("#timeline .row", { hasText: "charge.awaiting_payment" });
      await rows.getByText("no attempt yet").first().waitFor();
      const topsOf = () => rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().y));
      const before = await topsOf();
      (await late.arrived(1)).answer(500);
      await rows.getByRole("button", { name: "Retry" }).waitFor();
      expect(await topsOf()).toEqual(before);
      await advanced;
    },
  );

  it("the page of a webhook begins with the webhook, and has its body beside its attempts", async () => {
    await using receiver = await Receiver.open();
    const sandbox = await listeningSandbox({ webhooks: [receiver.url] });
    const client = Client.of(sandbox);
    await client.pay();
    await sandbox.advance("10s");
    const { delivery_id } = (await client.ask("GET /_sandbox/deliveries")).json.items[0];
    const { page } = await openTab({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${homeOf(sandbox)}/webhooks/${delivery_id}`);
    const boxOf = async (part: string) => (await page.locator(part).boundingBox())!;
    const [own, attempts, diff, body] = await Promise.all(
      ["#delivery", "#attempts", "#diff", "#body"].map(boxOf),
    );
    expect(attempts!.y).toBeGreaterThan(own!.y + own!.height);
    expect(body!.y).toBe(attempts!.y);
    expect(diff!.y).toBeGreaterThan(attempts!.y + attempts!.height);
    expect(body!.x).toBeGreaterThan(attempts!.x + attempts!.width);
  });

  it("the second texts of Activity have one left edge", async () => {
    await using accepting = await Receiver.open();
    await using refusing = await Receiver.open(refuseWith(500));
    const sandbox = await listeningSandbox({ webhooks: [accepting.url, refusing.url] });
    for (const [email, amount] of [
      ["a@b.test", "5.00"],
      ["grace.hopper@example.com", "1105.10"],
    ])
      await Client.of(sandbox).pay({ email: email!, amount: amount!, metadata: { order_id: "A-1042" } });
    await sandbox.advance("10s");
    const { page } = await openTab({ viewport: { width: 1440, height: 900 } });
    for (const [view, query, width] of [["activity", "#activity .order", 1440]] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${homeOf(sandbox)}/${view}`);
      const edges = await page
        .locator(query)
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
      expect([query, edges.length, new Set(edges).size]).toEqual([query, 2, 1]);
    }
  });

  it.each([1024, 390])("the nearest tasks stand above Activity, at %i pixels", async (width) => {
    const sandbox = await listeningSandbox();
    for (let many = 0; many < 4; many++) await Client.of(sandbox).pay();
    const { page } = await openTab({ viewport: { width, height: 900 } });
    await page.goto(homeOf(sandbox));
    const items = page.locator("#next li:visible").filter({ hasText: "AWAITING_PAYMENT" });
    expect(await items.count()).toBe(3);
    const topOf = async (part: Locator) => (await part.boundingBox())!.y;
    const before = await topOf(page.locator("#activity"));
    expect(await topOf(items.last())).toBeLessThan(before);
    await page.getByRole("button", { name: "Skip to next" }).press("Enter");
    await page.locator("#next").getByText("PROCESSING").first().waitFor();
    expect(await topOf(page.locator("#activity"))).toBe(before);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect((await page.locator("#next").boundingBox())!.x).toBeGreaterThan(1_000);
  });

  it("searches and filters while typing, and keeps the focus", async () => {
    await using receiver = await Receiver.open();
    const sandbox = await listeningSandbox({ webhooks: [receiver.url] });
    const client = Client.of(sandbox);
    const declined = await client.pay({ email: "declined@shop.test", metadata: { order_id: "A-1042" } });
    const paid = await client.pay({ email: "ada@shop.test" });
    await sandbox.advance("10s");
    const { page, errors } = await openTab();
    await page.goto(`${homeOf(sandbox)}/charges`);
    const search = page.getByRole("searchbox", { name: "Search charges" });
    await search.pressSequentially("a-1042");
    await expect.poll(() => idsIn(page)).toEqual([declined]);
    expect(page.url()).toBe(`${homeOf(sandbox)}/charges?q=a-1042`);
    await search.fill("nothing like it");
    await page.getByText("None with search “nothing like it”").waitFor();
    expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.goto(`${homeOf(sandbox)}/charges`);
    await page.locator("select[name=status]").selectOption("COMPLETED");
    await expect.poll(() => idsIn(page)).toEqual([paid]);
    await page.getByRole("searchbox", { name: "Search charges" }).pressSequentially("declined");
    await page.getByText("None with search “declined” and status “COMPLETED”.").waitFor();
    await page.locator("select[name=status]").selectOption("FAILED");
    await expect.poll(() => idsIn(page)).toEqual([declined]);
    expect(errors).toEqual([]);
  });

  it("a paid charge fits on two screens", async () => {
    await using receiver = await Receiver.open();
    const sandbox = await listeningSandbox({ webhooks: [receiver.url] });
    const id = await Client.of(sandbox).pay({ metadata: { order_id: "A-1042" } });
    await sandbox.advance("10s");
    const { page } = await openTab({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${homeOf(sandbox)}/charges/${id}`);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
      .toBeLessThanOrEqual(1_500);
    expect(await page.locator("#timeline .row").count()).toBe(10);
    const raw = page.getByLabel("The record as JSON");
    expect(await raw.isVisible()).toBe(false);
    await page.getByText("Raw", { exact: true }).click();
    await raw.waitFor();
  });

  it("new rows wait while the pointer is over the list", async () => {
    const sandbox = await listeningSandbox({ rateLimit: "off" });
    const paying = await Client.at(sandbox.url!).pay();
    const first = await createCheckout(sandbox, {});
    const { page } = await openTab();
    await page.goto(`${homeOf(sandbox)}/charges`);
    await page.evaluate(() => {
      // Includes shifts since the first paint.
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (
            !(entry as unknown as { hadRecentInput: boolean }).hadRecentInput &&
            entry.startTime >= Number(document.body.dataset.since ?? 0)
          )
            document.body.dataset.shifted = JSON.stringify(entry);
      }).observe({ type: "layout-shift", buffered: true });
    });
    const title = rowOf(page, first.charge_id).locator(".who");
    await title.hover();
    const before = await title.boundingBox();
    const second = await createCheckout(sandbox, {});
    const more = page.locator("#charges [data-more]");
    await more.waitFor();
    expect([await idsIn(page), await title.boundingBox(), await more.textContent()]).toEqual([
      [first.charge_id, paying],
      before,
      "paused · 1 new",
    ]);
    // A new status must not move other parts of its row.
    const placesOf = (names: RegExp) =>
      rowOf(page, paying)
        .locator(".at, .state, .amount, .who, .id")
        .filter({ hasText: names })
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
    const usual = await placesOf(/^(?!Process)/);
    await sandbox.advance("3s");
    await rowOf(page, paying).getByText("PROCESSING").waitFor();
    expect(await placesOf(/./)).toEqual(usual);
    expect(await page.evaluate(() => document.body.dataset.shifted)).toBeUndefined();
    await more.click();
    await expect.poll(() => idsIn(page)).toEqual([second.charge_id, first.charge_id, paying]);
    await page.locator("#charges .row").first().hover();
    const third = await createCheckout(sandbox, {});
    await more.waitFor();
    await page.locator(".brand").hover();
    await expect
      .poll(() => idsIn(page))
      .toEqual([third.charge_id, second.charge_id, first.charge_id, paying]);
    await expect.poll(() => more.isVisible()).toBe(false);
    // The number of charges in a minute at 50 a second.
    await page.locator("#charges .row").first().hover();
    await page.evaluate(async () => {
      // Waits until the new rows are painted.
      for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
      document.body.dataset.since = String(performance.now());
      delete document.body.dataset.shifted;
    });
    const shown = await idsIn(page);
    const place = await rowOf(page, shown[0]!).boundingBox();
    const before3000 = await measureSize(page);
    let reloads = 0;
    page.on("request", (request) => request.headers()["sandbox-part"] !== undefined && reloads++);
    const MANY = 3_000;
    for (let made = 0; made < MANY; made += 100)
      await Promise.all(Array.from({ length: 100 }, () => createCheckout(sandbox, {})));
    const { charge_id: last } = await createCheckout(sandbox);
    await expect.poll(() => more.textContent()).toBe("paused · 3001 new");
    expect([await idsIn(page), await rowOf(page, shown[0]!).boundingBox()]).toEqual([shown, place]);
    expect(await page.evaluate(() => document.body.dataset.shifted)).toBeUndefined();
    // Changes are batched into few reloads.
    expect(reloads).toBeLessThan(MANY / 10);
    // The page has 30 rows, and retains no earlier ones.
    await more.click();
    await expect.poll(async () => (await idsIn(page))[0]).toBe(last);
    await page.goto(`${homeOf(sandbox)}/charges`);
    const { elements, bytes } = await measureSize(page);
    expect(elements).toBeLessThan(before3000.elements + 30 * 40);
    expect(bytes).toBeLessThan(before3000.bytes + 10_000_000);
  });

  it("fetches the page of a busy sandbox once a second, compressed", async () => {
    const sandbox = await listeningSandbox({ rateLimit: "off" });
    const { page } = await openTab();
    await page.goto(`${homeOf(sandbox)}/charges`);
    await page.getByText("● live").waitFor();
    const client = Client.of(sandbox);
    const fetches = () =>
      page.evaluate(() =>
        (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
          .filter(({ initiatorType }) => initiatorType === "fetch")
          .map(({ startTime, encodedBodySize, decodedBodySize }) => ({
            startTime,
            share: encodedBodySize / decodedBodySize,
          })),
      );
    await expect
      .poll(async () => {
        await client.pay();
        return (await fetches()).length;
      })
      .toBeGreaterThan(3);
    const made = await fetches();
    const gaps = made.slice(1).map(({ startTime }, index) => startTime - made[index]!.startTime);
    expect(gaps.filter((gap) => gap < 990)).toEqual([]);
    expect(made.filter(({ share }) => share > 0.5)).toEqual([]);
  });

  it("keys move, open and search, and change nothing", async () => {
    const sandbox = await listeningSandbox();
    const client = Client.at(sandbox.url!);
    const declined = await client.pay({ email: "declined@shop.test", metadata: { order_id: "A-1042" } });
    await client.pay();
    const { page, errors } = await openTab();
    await page.goto(homeOf(sandbox));
    const posts: string[] = [];
    page.on("request", (request) => request.method() !== "GET" && posts.push(request.url()));
    for (const letter of "abcdefghilmnopqrstuvwxyz.") await page.keyboard.press(letter);
    expect(posts).toEqual([]);
    // A search for an order opens its charge.
    await page.keyboard.press("/");
    await page.keyboard.type("a-1042");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/charges/${declined}`);
    await page.locator("#charge h1:focus").waitFor();
    await page.goto(`${homeOf(sandbox)}/charges`);
    for (const key of ["j", "j", "k"]) await page.keyboard.press(key);
    expect(await page.locator("#charges .row").first().locator("[data-row]:focus").count()).toBe(1);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/charges/${declined}`);
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    expect(errors).toEqual([]);
  });

  it("the dashboard stays in its namespace after a refused action", async () => {
    const sandbox = await listeningSandbox();
    const client = Client.at(sandbox.url!);
    await client.ask("POST /_sandbox/namespaces", { name: "worker", clock: "manual" });
    await createCheckout(sandbox, { customer_email: "of-default@shop.test" });
    const { charge_id } = await createCheckout(sandbox, {}, "sk_test_ns_worker");
    const { page } = await openTab();
    await page.goto(`${homeOf(sandbox, "worker")}/charges/${charge_id}`);
    const press = page.getByRole("button", { name: "Complete" });
    await press.hover();
    await client.ask(
      `POST /_sandbox/charges/${charge_id}/transition`,
      { to: "CANCELLED" },
      { "sandbox-namespace": "worker" },
    );
    await page.evaluate((id) => {
      const button = document.createElement("button");
      button.setAttribute("form", "act");
      button.name = "do";
      button.value = `transitionCharge?charge_id=${id}&to=COMPLETED`;
      document.body.append(button);
      button.click();
    }, charge_id);
    await page.getByRole("alert").getByText("cannot become COMPLETED").waitFor();
    expect(page.url()).toContain("/dashboard/worker/charges/");
    await page.goto(`${homeOf(sandbox, "worker")}/charges`);
    await createCheckout(sandbox, { customer_email: "second@worker.test" }, "sk_test_ns_worker");
    await page.getByText("second@worker.test").waitFor();
    expect(await page.getByText("of-default@shop.test").count()).toBe(0);
  });

  it("nine tabs update over one connection", async () => {
    const sandbox = await listeningSandbox();
    const window = await openWindow();
    await Client.at(sandbox.url!).ask("POST /_sandbox/namespaces", { name: "other" });
    const tabs: Page[] = [];
    for (let count = 0; count < 9; count++) {
      const tab = await window.newPage();
      await tab.goto(`${homeOf(sandbox, count === 4 ? "other" : "default")}/charges`);
      tabs.push(tab);
    }
    await createCheckout(sandbox, {});
    await createCheckout(sandbox, {}, "sk_test_ns_other");
    for (const tab of tabs) await tab.locator("#charges .row").waitFor();
    // Another tab takes over the connection.
    await tabs[0]!.close();
    await createCheckout(sandbox, {});
    for (const tab of [...tabs.slice(1, 4), ...tabs.slice(5)])
      await expect.poll(async () => (await idsIn(tab)).length, { timeout: 30_000 }).toBe(2);
    const last = tabs.at(-1)!;
    for (const tab of tabs.slice(1, -1)) await tab.close();
    await sandbox.close();
    await last.getByText("The sandbox is not answering").waitFor();
    expect(await impairmentFaults(last)).toEqual([]);
  });
});
