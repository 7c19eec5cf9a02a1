import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  focusOn,
  HANDS,
  type Hand,
  handOf,
  JOBS,
  makeJobWorld,
  openJobReceiver,
} from "../../bench/dashboard-jobs.mjs";
import { openSandbox } from "../support/api-client.js";
import { atEnd } from "../support/lifetime.js";
import { chromiumPath, launchBrowser } from "./support/chromium.js";

const { viewport: DESK } = HANDS.mouse;
const { viewport: PHONE } = HANDS.phone;

/** Presses with the mouse, once it has seen that a finger, the keyboard and a browser without a script could have. */
function everyHand(page: Page, faults: string[]): Hand {
  const mouse = handOf("mouse", page);
  const couldAll = async (locator: Locator) => {
    if (!(await focusOn(locator))) faults.push(`the keyboard does not reach ${locator}`);
    await page.setViewportSize(PHONE);
    await locator.tap({ trial: true, timeout: 30_000 }).catch(({ message }) => faults.push(message));
    await page.setViewportSize(DESK);
    const plain = await plainly(locator);
    // A copy is text to select as well.
    if (plain === "copy") return;
    const served = await (await fetch(page.url())).text();
    if (plain === undefined || !served.includes(plain)) faults.push(`without a script: ${locator} ${plain}`);
  };
  return {
    ...mouse,
    async press(locator) {
      await couldAll(locator);
      await mouse.press.call(this, locator);
    },
    async choose(locator, name) {
      await couldAll(locator);
      await mouse.choose.call(this, locator, name);
    },
  };
}

/** What does it where there is no script, as the server has to send it. */
function plainly(locator: Locator): Promise<string | undefined> {
  return locator.evaluate((element) => {
    const said = (text: string) => text.replaceAll("&", "&amp;");
    if (element instanceof HTMLAnchorElement) return `href="${said(element.getAttribute("href")!)}"`;
    if (element.matches("[data-copy]")) return "copy";
    if (element.matches("form[method=get] input[type=search]")) return `id="${element.id}"`;
    if (element.matches("form[method=get] select")) return "<noscript><button>Go</button></noscript>";
    const isSent = element instanceof HTMLButtonElement && element.type === "submit";
    return isSent && element.form?.method === "post" ? `value="${said(element.value)}"` : undefined;
  });
}

describe.runIf(chromiumPath() !== undefined)("the ten jobs of the dashboard", () => {
  it("take two presses from the first page at most: mouse, keyboard, finger, and without a script", async () => {
    const browser = await launchBrowser();
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen();
    const receiver = await openJobReceiver();
    atEnd(() => receiver.close());
    const world = await makeJobWorld(url, "shop", receiver);
    const context = await browser.open({ ...HANDS.mouse, hasTouch: true });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    const presses: [string, number][] = [];
    for (const { name, from, carryOut } of JOBS) {
      if (from === "home" && page.url() !== world.home) await page.goto(world.home);
      const hand = everyHand(page, faults);
      await carryOut(hand, world);
      presses.push([name, hand.presses]);
    }
    expect(faults).toEqual([]);
    expect(presses).toHaveLength(10);
    expect(presses.filter(([, many]) => many > 2 || many === 0)).toEqual([]);
  });
});
