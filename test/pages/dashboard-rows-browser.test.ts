import { expect, it } from "vitest";
import type { Sandbox } from "../../src/library/index.js";
import { atEnd } from "../support/lifetime.js";
import { Client } from "../support/receiver-client.js";
import { REFUSING_URL, Receiver } from "../support/receiver-server.js";
import { describeInBrowser, listeningSandbox, useBrowser } from "./support/chromium.js";

const TYPE_ERROR =
  "TypeError: Cannot read properties of undefined (reading 'order_id') in the handler of charge.completed";
const SIGNATURE_ERROR = {
  error: {
    code: "invalid_signature",
    message:
      "No matching signature was found in the header webhook-signature; check the secret of this endpoint",
  },
};
const LONG_REASON =
  "declined by the issuing bank: the cardholder has to call the number on the back of the card before another attempt is made";

/** Opens a sandbox with failed charges, payouts, calls and webhooks. */
async function openFailures(): Promise<{ sandbox: Sandbox; failed: string }> {
  const crashing = await Receiver.open((received) => received.response.writeHead(500).end(TYPE_ERROR));
  const distrusting = await Receiver.open((received) =>
    received.response.writeHead(400).end(JSON.stringify(SIGNATURE_ERROR)),
  );
  const down = await Receiver.open((received) =>
    received.response
      .writeHead(503)
      .end("<html><head><title>503 Service Temporarily Unavailable</title></head>"),
  );
  for (const receiver of [crashing, distrusting, down]) atEnd(() => receiver.close());
  const webhooks = [`${crashing.url}/of/a/shop/with/a/long/path`, distrusting.url, down.url, REFUSING_URL];
  const sandbox = await listeningSandbox({ rateLimit: "off", webhooks });
  const client = Client.at(sandbox.url!);
  // One charge for each set of row buttons.
  for (const name of ["declined", "cancelled", "expired", "stuck", "ada"])
    await client.pay({
      email: `${name}@shop.test`,
      amount: "1500000000.05",
      metadata: { order_id: name === "ada" ? "A-1042" : "A-1042, the spring sale, in two parcels" },
    });
  const failed = await client.pay({
    email: "a.customer.with.a.long.address@subdomain.of.the.shop.test",
    metadata: { order_id: "x".repeat(200) },
  });
  await client.ask(`POST /_sandbox/charges/${failed}/transition`, { to: "FAILED", reason: LONG_REASON });
  await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "5000.00" });
  const { withdrawal_id } = await client.withdraw({ currency: "KES", amount: "519.99" });
  await client.ask(`POST /_sandbox/withdrawals/${withdrawal_id}/transition`, {
    to: "FAILED",
    reason: LONG_REASON,
  });
  for (let times = 0; times < 3; times++)
    await client.ask("POST /api/v1/payments/quotes", { pricing: { base_currency: "KES", amount: 500 } });
  await client.ask("POST /api/v1/payouts/withdrawals", { destination_id: "dst_none", currency: "KES" });
  await client.ask("GET /api/v1/payments/charges/ch_of_another_sandbox_whose_id_is_long");
  await client.ask("GET /api/v1/accounts/balances?currency=KES&organization=of-a-shop&page=17");
  await client.ask("POST /_sandbox/scenarios/declined/activate");
  await sandbox.advance("10s");
  return { sandbox, failed };
}

/** Finds texts and amounts that are cut off, too narrow, or do not begin with the reason and the order. */
function findUnreadableTexts(): string[] {
  const width = document.documentElement.clientWidth;
  return [...document.querySelectorAll<HTMLElement>(".row :is(.title,.sub,.amount)")].flatMap((text) => {
    if (!text.checkVisibility()) return [];
    const { left, right, bottom } = text.getBoundingClientRect();
    const row = text.closest(".row")!.getBoundingClientRect();
    const isSliver = text.clientWidth < 180 && text.clientHeight > 30;
    const isCut = text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight;
    const isOutside = left < row.left || right > Math.min(row.right, width) || bottom > row.bottom + 1;
    const reason = text.querySelector(".reason");
    const order = text.querySelector(".order");
    const isBroken = order?.matches(".whole") === true && order.getClientRects().length > 1;
    const begin = [order, reason].flatMap((part) => part?.textContent ?? []).join("\u00a0· ");
    const isLate = !text.textContent.startsWith(begin);
    return isSliver || isCut || isOutside || isBroken || isLate ? [text.textContent] : [];
  });
}

/** Finds texts that overlap, or wrap although there is space. */
function findMisplacedTexts(): (readonly [text: string, gapPx: number])[] {
  return [...document.querySelectorAll<HTMLElement>(".row .sub")].flatMap((text) => {
    const row = text.closest<HTMLElement>(".row")!;
    const { left, top, bottom, right: edge, height } = text.getBoundingClientRect();
    const right = edge - Number.parseFloat(getComputedStyle(text).paddingRight);
    const beside = [...row.querySelectorAll("button,a.button,time,.side:not(:empty)")]
      .map((one) => one.getBoundingClientRect())
      .filter((one) => one.width > 0 && one.left > left && one.top < bottom && one.bottom > top);
    const end = Math.min(row.getBoundingClientRect().right, ...beside.map((one) => one.left));
    const gapPx = Math.round(end - right);
    const isOneLine = height < 30;
    return gapPx < 0 || (gapPx > 24 && !isOneLine) ? [[text.textContent, gapPx] as const] : [];
  });
}

/** Finds lists whose rows do not share their columns. */
function findUnalignedLists(): (readonly [list: string | null, column: string])[] {
  if (window.innerWidth <= 960) return [];
  return [...document.querySelectorAll("[data-list]")].flatMap((list) =>
    [".at", ".state", ".what", ".small .what"].flatMap((column) => {
      const parts = [...list.querySelectorAll(`:scope > * > ${column}`)].filter((one) => one.clientWidth > 0);
      const lefts = new Set(parts.map((part) => part.getBoundingClientRect().left));
      return lefts.size > 1 ? [[list.ariaLabel, column] as const] : [];
    }),
  );
}

/** Finds rows in which one part covers another. */
function findOverlappingRows(): string[] {
  return [...document.querySelectorAll<HTMLElement>(".row")].flatMap((row) => {
    const parts = [...row.querySelectorAll("time,.badge,.title,.side:not(:empty),button,a.button")]
      .map((part) => {
        if (part.matches("button,a.button")) return part.getBoundingClientRect();
        const range = document.createRange();
        range.selectNodeContents(part);
        return range.getBoundingClientRect();
      })
      .filter(({ width }) => width > 0);
    const doOverlap = parts.some((a, index) =>
      parts
        .slice(index + 1)
        .some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2),
    );
    return doOverlap ? [row.innerText] : [];
  });
}

describeInBrowser("the reason in a row of the dashboard", () => {
  const openWindow = useBrowser();

  const homeOf = ({ url }: Sandbox) => `${url}/_sandbox/dashboard/default`;

  it.each([1440, 1280, 1024, 970, 800, 390])(
    "the order and the reason come first; they and the amounts are not cut off, at %i pixels",
    async (width) => {
      const { sandbox, failed } = await openFailures();
      const page = await (await openWindow({ viewport: { width, height: 900 } })).newPage();
      const faults: unknown[] = [];
      for (const view of [
        "activity",
        "charges",
        "charges?status=FAILED",
        `charges/${failed}`,
        "webhooks",
        "requests",
        "money",
      ]) {
        await page.goto(`${homeOf(sandbox)}/${view}`);
        const unreadable = await page.evaluate(findUnreadableTexts);
        if (unreadable.length > 0) faults.push([view, unreadable]);
        const overlapping = await page.evaluate(findOverlappingRows);
        if (overlapping.length > 0) faults.push([view, overlapping]);
        const unaligned = await page.evaluate(findUnalignedLists);
        if (unaligned.length > 0) faults.push([view, unaligned]);
        const misplaced = await page.evaluate(findMisplacedTexts);
        if (misplaced.length > 0) faults.push([view, misplaced]);
        const said = await page.locator("main").innerText();
        if (view.startsWith("charges")) expect(said).toContain(LONG_REASON);
        if (view.startsWith("activity")) expect(said).toContain(TYPE_ERROR);
      }
      expect(faults).toEqual([]);
    },
  );

  it("no row moves under the pointer", async () => {
    const sandbox = await listeningSandbox({ rateLimit: "off" });
    const client = Client.at(sandbox.url!);
    const below = await client.pay();
    const failing = await client.pay();
    const page = await (await openWindow({ viewport: { width: 1024, height: 900 } })).newPage();
    await page.goto(`${homeOf(sandbox)}/charges`);
    const rowOf = (id: string) => page.locator(`#charges [data-key="${id}"]`);
    await rowOf(below).hover();
    const before = await rowOf(below).boundingBox();
    await client.ask(`POST /_sandbox/charges/${failing}/transition`, { to: "FAILED", reason: LONG_REASON });
    await rowOf(failing).getByText("FAILED").waitFor();
    await page.locator("#charges [data-more]").getByText("Changed ↑").waitFor();
    expect(await rowOf(below).boundingBox()).toEqual(before);
    await page.locator(".brand").hover();
    await page.locator("#charges [data-more]").waitFor({ state: "hidden" });
    expect(await page.evaluate(findUnreadableTexts)).toEqual([]);
  });
});
