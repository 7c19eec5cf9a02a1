import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { Client } from "../support/receiver-client.js";
import { accept, Receiver } from "../support/receiver-server.js";
import { describeInBrowser, listeningSandbox, useBrowser } from "./support/chromium.js";

const WIDE = { viewport: { width: 1440, height: 900 } };
/** Height of an answer that must be in view. */
const MIN_SEEN_PX = 60;

/** A way to use the page, which counts key presses or clicks. */
abstract class Hand {
  presses = 0;
  constructor(readonly page: Page) {}

  protected abstract act(locator: Locator): Promise<void>;
  /** Focuses the search field. */
  abstract openSearch(): Promise<void>;

  async press(locator: Locator): Promise<void> {
    this.presses++;
    await this.act(locator);
  }

  /** Waits for an answer that is visible without scrolling. */
  async see(locator: Locator): Promise<void> {
    await locator.waitFor();
    const { width, height } = this.page.viewportSize()!;
    const box = (await locator.boundingBox())!;
    const isInView = box.y >= 0 && box.y + Math.min(box.height, MIN_SEEN_PX) <= height;
    if (width >= WIDE.viewport.width) expect([String(locator), isInView]).toEqual([String(locator), true]);
  }

  async open(locator: Locator, path: string): Promise<void> {
    await this.press(locator);
    await this.page.waitForURL((url) => url.href.includes(path));
  }
}

class Keyboard extends Hand {
  protected async act(locator: Locator): Promise<void> {
    await this.tabTo(locator);
    await this.page.keyboard.press("Enter");
  }

  /** Presses Tab at the stop before the element, again if the page has changed meanwhile. */
  async tabTo(locator: Locator): Promise<void> {
    for (let tries = 0; tries < 5; tries++) {
      await locator.evaluate(focusStopBefore);
      await this.page.keyboard.press("Tab");
      if (await locator.evaluate((element) => element === document.activeElement)) return;
    }
    throw new Error(`Tab does not reach ${locator}`);
  }

  async openSearch(): Promise<void> {
    await this.page.keyboard.press("/");
  }
}

class PhoneWithoutScript extends Hand {
  protected act(locator: Locator): Promise<void> {
    return locator.tap();
  }

  openSearch(): Promise<void> {
    return this.press(this.page.locator("#q"));
  }
}

/** Focuses the visible element from which Tab leads to this one. */
function focusStopBefore(element: Element): void {
  const query = "a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex='0']";
  const all = [...document.querySelectorAll<HTMLElement>(query)].filter(
    (one) => one.tabIndex >= 0 && one.checkVisibility(),
  );
  all[all.indexOf(element as HTMLElement) - 1]?.focus();
}

/** Opens a sandbox with three charges and a receiver that refuses webhooks. */
async function openSandboxOfJobs() {
  const receiver = await Receiver.open((received) =>
    received.response.writeHead(500).end("TypeError: order is undefined"),
  );
  const sandbox = await listeningSandbox({ rateLimit: "off", webhooks: [receiver.url] });
  const client = Client.at(sandbox.url!);
  await client.ask("POST /_sandbox/namespaces", { name: "other" });
  const failed = await client.pay({ email: "declined@shop.test", metadata: { order_id: "A-1042" } });
  const paid = await client.pay();
  await sandbox.advance("10s");
  const newest = await client.pay({ email: "newest@shop.test" });
  const home = `${sandbox.url}/_sandbox/dashboard/default`;
  return { client, receiver, failed, paid, newest, home };
}

type Setup = Awaited<ReturnType<typeof openSandboxOfJobs>>;

function openCharge(hand: Hand, id: string): Promise<void> {
  return hand.open(hand.page.locator(`#activity [data-key="${id}"] [data-row]`), `/charges/${id}`);
}

async function openDelivery(hand: Hand, chargeId: string): Promise<void> {
  await openCharge(hand, chargeId);
  const event = hand.page.locator("#timeline .row").filter({ hasText: "charge.completed" });
  await hand.open(event.locator("[data-row]"), "/webhooks/");
}

function waitForNotice(hand: Hand, text: string | RegExp): Promise<void> {
  return hand.see(hand.page.locator("#said .notice").filter({ hasText: text }));
}

/** In order: a job needs the results of earlier ones. */
const JOBS: Readonly<Record<string, (hand: Hand, setup: Setup) => Promise<void>>> = {
  "find the cause of a failed charge": async (hand, { failed }) => {
    await openCharge(hand, failed);
    await hand.see(
      hand.page.locator(".why:not(.next)").filter({ hasText: "customer_email matches declined@*" }),
    );
  },
  "complete the newest charge": async (hand, { newest }) => {
    await openCharge(hand, newest);
    await hand.press(hand.page.locator("#charge").getByRole("button", { name: /^Complete/ }));
    await waitForNotice(hand, `${newest} is COMPLETED`);
  },
  "advance to what is due next": async (hand) => {
    await hand.press(hand.page.getByRole("button", { name: "Skip to next" }));
    await waitForNotice(hand, /Advanced .* to /);
  },
  "find the cause of a failing webhook, and retry it once fixed": async (hand, { receiver }) => {
    const failing = hand.page.locator("#attention .row").filter({ hasText: "TypeError: order is undefined" });
    await hand.see(failing.first());
    receiver.handler = accept;
    await hand.press(failing.first().getByRole("button", { name: /^Retry/ }));
    await waitForNotice(hand, /webhooks sent: [1-9]\d* delivered|delivered: 200/);
  },
  "find a charge by order id": async (hand, { failed }) => {
    await hand.openSearch();
    await hand.page.keyboard.type("A-1042");
    await hand.page.keyboard.press("Enter");
    hand.presses++;
    await hand.page.waitForURL(`**/charges/${failed}`);
    await hand.see(hand.page.getByRole("heading", { name: "A-1042" }));
  },
  "run time to the expiry of a charge": async (hand, { newest, client }) => {
    const id = await client.pay({ email: "late@shop.test", metadata: { sandbox_scenario: "expired" } });
    expect(id).not.toBe(newest);
    await hand.page.reload();
    await openCharge(hand, id);
    const due = hand.page.locator(".plan li").filter({ hasText: "EXPIRED" }).first();
    await hand.press(due.getByRole("button", { name: /Run to here/ }));
    await hand.see(hand.page.locator("#charge .badge").filter({ hasText: "EXPIRED" }));
  },
  "see a flow as a test": async (hand, { paid }) => {
    await openCharge(hand, paid);
    await hand.press(hand.page.locator("#charge summary").filter({ hasText: "Copy" }));
    await hand.see(hand.page.locator('pre[aria-label*="Vitest"]').filter({ hasText: "setupSandbox" }));
  },
  "see the body of a webhook": async (hand, { paid }) => {
    await openDelivery(hand, paid);
    await hand.see(hand.page.locator("#body pre").filter({ hasText: '"charge.completed"' }));
  },
  "compare a webhook with the one before": async (hand, { paid }) => {
    await openDelivery(hand, paid);
    const status = hand.page.locator("#diff dl > div").filter({ hasText: "data.status" });
    await hand.see(status.filter({ hasText: /PROCESSING.*COMPLETED/s }));
  },
  "fail the second checkout with 503": async (hand, { client }) => {
    const views = hand.page.getByRole("navigation", { name: "Views" });
    await hand.press(views.getByRole("link", { name: /^Faults/ }));
    await hand.press(hand.page.getByRole("button", { name: "503 on the second call" }));
    await hand.see(hand.page.locator("#faults").getByText("0 of 1 used"));
    const statuses: number[] = [];
    for (const email of ["one@shop.test", "two@shop.test", "three@shop.test"]) {
      const { json } = await client.quote();
      statuses.push((await client.checkout(json.quote_id, { email })).status);
    }
    expect(statuses).toEqual([200, 503, 200]);
  },
  "switch the namespace": async (hand) => {
    const { page } = hand;
    if (hand instanceof Keyboard) {
      hand.presses += 2;
      await hand.tabTo(page.locator("#ns"));
      await page.keyboard.press("o");
    } else {
      await hand.press(page.getByRole("link", { name: "Namespace", exact: true }));
      await hand.press(page.locator('#namespaces [data-key="other"] [data-row]'));
    }
    await page.waitForURL(/\/dashboard(\/other\b|\?.*namespace=other)/);
  },
};

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, javaScriptEnabled: false };

describeInBrowser("the jobs of the dashboard", () => {
  const openWindow = useBrowser();

  it.each<[string, BrowserContextOptions, new (page: Page) => Hand]>([
    ["by keyboard", WIDE, Keyboard],
    ["by touch on a phone without script", PHONE, PhoneWithoutScript],
  ])("%s needs at most two presses from the first page", async (_name, options, HandOf) => {
    const setup = await openSandboxOfJobs();
    const page = await (await openWindow(options)).newPage();
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    const presses: Record<string, number> = {};
    for (const [job, carryOut] of Object.entries(JOBS)) {
      await page.goto(setup.home);
      const hand = new HandOf(page);
      await carryOut(hand, setup);
      presses[job] = hand.presses;
    }
    expect(errors).toEqual([]);
    expect(Object.entries(presses).filter(([, many]) => many < 1 || many > 2)).toEqual([]);
  });
});
