import { expect, it } from "vitest";
import { Client } from "../support/receiver-client.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";
import { createCheckout } from "./support/checkouts.js";
import { describeInBrowser, listeningSandbox, useBrowser } from "./support/chromium.js";
import { impairmentFaults } from "./support/impairments.js";

/** Finds text that is cut off by the window or a box. */
function findCutTexts(): string[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const cut: string[] = [];
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(text);
    const { left, right, width } = range.getBoundingClientRect();
    const parent = text.parentElement!;
    const isUnseen =
      width === 0 || !parent.checkVisibility() || parent.closest(".unseen,.skip,.name") !== null;
    if (isUnseen || parent.matches("option")) continue;
    let [start, end] = [0, window.innerWidth];
    const hidden: DOMRect[] = [];
    for (let box: Element = parent; box !== document.body; box = box.parentElement!) {
      const { overflowX } = getComputedStyle(box);
      if (overflowX === "hidden" || overflowX === "clip") hidden.push(box.getBoundingClientRect());
      else if (overflowX !== "visible") [start, end] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    }
    start = Math.max(start, ...hidden.map((box) => box.left));
    end = Math.min(end, ...hidden.map((box) => box.right));
    if (left < start - 1 || right > end + 1) cut.push(`${parent.tagName}: ${text.textContent!.trim()}`);
  }
  return cut;
}

describeInBrowser("the pages for people who zoom in or avoid motion", () => {
  const openWindow = useBrowser();

  /** Opens pages with failed and expired charges, and a receiver that is down. */
  async function openPages() {
    const receiver = await Receiver.open(refuseWith(500));
    const sandbox = await listeningSandbox({ webhooks: [receiver.url] });
    const client = Client.at(sandbox.url!);
    const failed = await client.pay({ email: "declined@shop.test", metadata: { order_id: "A-1042" } });
    const expired = await client.pay({ scenario: "expired" });
    const hosted = await createCheckout(sandbox);
    await sandbox.advance("1h");
    const waiting = await createCheckout(sandbox);
    const delivery = (await client.ask("GET /_sandbox/deliveries?failing=1")).json.items[0].delivery_id;
    await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "5000.00" });
    const { withdrawal_id } = await client.withdraw({ currency: "KES", amount: "519.99" });
    await sandbox.advance("10s");
    await client.ask(`POST /_sandbox/withdrawals/${withdrawal_id}/bounce`, { reason: "account_closed" });
    await client.ask("POST /_sandbox/faults", {
      match: { operation: "createQuote" },
      respond: { status: 503 },
    });
    await client.ask("POST /_sandbox/scenarios/declined/activate");
    await client.quote();
    const [{ request_id }] = (await client.ask("GET /_sandbox/requests?status=5xx")).json.items;
    const records = [
      `charges/${failed}`,
      `charges/${expired}`,
      `charges/${hosted.charge_id}`,
      "charges/ch_none",
      `money/${withdrawal_id}`,
      `webhooks/${delivery}`,
      `requests/${request_id}`,
      "scenarios/declined",
      "charges?q=A-1042",
      "charges?q=nothing-like-it",
    ];
    const lists = ["activity", "charges", "webhooks", "requests", "money", "scenarios", "faults"];
    const dashboard = [...lists, "namespace", ...records].map(
      (path) => `/_sandbox/dashboard/default/${path}`,
    );
    const checkouts = [hosted, waiting].map(({ checkout_id }) => `/checkout/${checkout_id}`);
    return { sandbox, receiver, waiting, paths: [...dashboard, ...checkouts, "/docs"] };
  }

  it("every page fits at 200 % zoom and is accessible", async () => {
    const { sandbox, receiver, paths } = await openPages();
    await using _ = receiver;
    const page = await (
      await openWindow({ viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 })
    ).newPage();
    const faults: unknown[] = [];
    for (const path of paths) {
      await page.goto(`${sandbox.url}${path}`);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      const cut = await page.evaluate(findCutTexts);
      const impaired = await impairmentFaults(page);
      if (beyond > 0 || cut.length > 0 || impaired.length > 0) faults.push({ path, beyond, cut, impaired });
    }
    expect(faults).toEqual([]);
  });

  it("nothing moves by itself if the user prefers reduced motion", async () => {
    const { sandbox, receiver, paths, waiting } = await openPages();
    await using _ = receiver;
    const countAnimations = () => page.evaluate(() => document.getAnimations().length);
    const context = await openWindow({ reducedMotion: "no-preference" });
    const page = await context.newPage();
    const checkout = `${sandbox.url}/checkout/${waiting.checkout_id}`;
    await page.goto(checkout);
    await page.getByRole("radio", { name: "Card" }).check();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: /^Pay / }).click();
    await page.locator(".spinner").waitFor();
    expect(await countAnimations()).toBe(1);
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await countAnimations()).toBe(0);
    for (const path of paths) {
      await page.goto(`${sandbox.url}${path}`);
      expect([path, await countAnimations()]).toEqual([path, 0]);
    }
  });
});
