import { expect, it } from "vitest";
import type { Sandbox } from "../../src/library/index.js";
import { atEnd } from "../support/lifetime.js";
import { Client } from "../support/receiver-client.js";
import { REFUSING_URL, Receiver } from "../support/receiver-server.js";
import { createCheckout } from "./support/checkouts.js";
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

/** Finds texts and amounts that are cut off, wrapped, or do not begin with the order and the reason. */
function findUnreadableTexts(): string[] {
  const width = document.documentElement.clientWidth;
  return [...document.querySelectorAll<HTMLElement>(".row :is(.who,.what,.amount)")].flatMap((text) => {
    if (!text.checkVisibility() || text.textContent === "") return [];
    const { left, right, bottom, height } = text.getBoundingClientRect();
    const row = text.closest(".row")!.getBoundingClientRect();
    const isSliver = text.clientWidth < 150 && height > 30;
    const isCut = text.scrollWidth > text.clientWidth + 1 || text.scrollHeight > text.clientHeight + 1;
    const isOutside = left < row.left || right > Math.min(row.right, width) + 1 || bottom > row.bottom + 1;
    const isWrapped = text.matches(".amount") && height > 30;
    const parts = [".order", ".reason"].flatMap((part) => text.querySelector(part)?.textContent ?? []);
    const isLate = !text.textContent.startsWith(parts.join("\u00a0· "));
    return isSliver || isCut || isOutside || isWrapped || isLate ? [text.textContent] : [];
  });
}

/** Finds lists whose rows do not share their columns. */
function findUnalignedLists(): (readonly [list: string | null, column: string])[] {
  if (window.innerWidth <= 960) return [];
  return [...document.querySelectorAll("[data-list]")].flatMap((list) =>
    [".at", ".state", ".unit", ".who", ".what", ".small .what"].flatMap((column) => {
      const parts = [...list.querySelectorAll(`:scope > * > ${column}`)].filter((one) => one.clientWidth > 0);
      const lefts = new Set(parts.map((part) => part.getBoundingClientRect().left));
      return lefts.size > 1 ? [[list.ariaLabel, column] as const] : [];
    }),
  );
}

/** Finds rows in which one part covers another. */
function findOverlappingRows(): string[] {
  return [...document.querySelectorAll<HTMLElement>(".row")].flatMap((row) => {
    const parts = [...row.querySelectorAll("time,.badge,.amount,.unit,.who,.what,.id,button,a.button")]
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
        const said = await page.locator("main").innerText();
        if (view.startsWith("charges")) expect(said).toContain(LONG_REASON);
        if (view.startsWith("activity")) expect(said).toContain(TYPE_ERROR);
      }
      expect(faults).toEqual([]);
    },
  );

  it.each([1440, 1024, 390])("no amount wraps, however large or small, at %i pixels", async (width) => {
    const sandbox = await listeningSandbox({ rateLimit: "off" });
    const client = Client.at(sandbox.url!);
    await client.pay({ amount: "1550000000000.00" });
    const { charge_id } = await createCheckout(sandbox, {
      pricing: { base_currency: "USD", amount: "12.47" },
    });
    const page = await (await openWindow({ viewport: { width, height: 900 } })).newPage();
    const faults: unknown[] = [];
    for (const view of ["activity", "charges", `charges/${charge_id}`, "money"]) {
      await page.goto(`${homeOf(sandbox)}/${view}`);
      // The smallest amount that a page shows is of a currency with eight decimals.
      await page.evaluate(() => {
        const [, second] = document.querySelectorAll(".row .amount:not(:empty)");
        if (second !== undefined) second.textContent = "0.00012469";
      });
      const wrapped = await page.evaluate(findUnreadableTexts);
      if (wrapped.length > 0) faults.push([view, wrapped]);
    }
    expect(faults).toEqual([]);
  });

  it("a list with a selected text is paused, and a click beside the texts of a row opens it", async () => {
    const sandbox = await listeningSandbox({ rateLimit: "off" });
    const client = Client.at(sandbox.url!);
    const id = await client.pay({ metadata: { order_id: "A-1042" } });
    const page = await (await openWindow({ viewport: { width: 1440, height: 900 } })).newPage();
    await page.goto(`${homeOf(sandbox)}/charges`);
    const order = (await page.locator(`[data-key="${id}"] .order`).boundingBox())!;
    await page.mouse.move(order.x + 1, order.y + order.height / 2);
    await page.mouse.down();
    await page.mouse.move(order.x + order.width - 1, order.y + order.height / 2);
    await page.mouse.up();
    expect(await page.evaluate(() => getSelection()!.toString())).toBe("A-1042");
    await page.locator(".brand").hover();
    await client.pay();
    await page.locator("#charges [data-more]").getByText("paused · 1 new").waitFor();
    await page.getByText("‖ paused").waitFor();
    expect(page.url()).toMatch(/\/charges$/);
    await page.locator("#charges [data-more]").click();
    await page.locator("#charges .row").nth(1).waitFor();
    await page.locator(`[data-key="${id}"] .state`).click({ position: { x: 2, y: 2 } });
    await page.waitForURL(`**/charges/${id}`);
  });

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
    expect(await rowOf(below).boundingBox()).toEqual(before);
    await page.locator(".brand").hover();
    await expect.poll(() => page.evaluate(findUnreadableTexts)).toEqual([]);
  });

  it.each([
    ["with", true],
    ["without", false],
  ])(
    "each row says what the API says as 50 charges a second come, %s the pointer in the list",
    async (_, isIn) => {
      const sandbox = await listeningSandbox({ rateLimit: "off" });
      const client = Client.of(sandbox);
      const page = await (await openWindow({ viewport: { width: 1440, height: 900 } })).newPage();
      for (let made = 0; made < 50; made++) await client.pay();
      await page.goto(`${homeOf(sandbox)}/charges`);
      if (isIn) await page.locator("#charges .row").nth(3).hover();
      const more = page.locator("#charges [data-more]");
      /** The differences between page and API at this moment, apart from rows of a list that says that it is paused. */
      const differences = async () => {
        const rows = await page
          .locator("#charges .row")
          .evaluateAll((all) =>
            all.map((row) => [
              (row as HTMLElement).dataset.key!,
              row.querySelector(".badge")!.lastChild!.textContent!.trim(),
            ]),
          );
        const said = (await more.isVisible()) ? await more.textContent() : null;
        const now = await Promise.all(
          rows.map(async ([charge_id]) => [
            charge_id,
            (await sandbox.run("getCharge", { charge_id: charge_id! })).status,
          ]),
        );
        const { items, total } = await sandbox.run("listCharges", { limit: "30" });
        const listed = items.map(({ charge_id }) => charge_id);
        const isWhole = rows.every(([id], place) => id === listed[place]);
        return JSON.stringify(rows) === JSON.stringify(now) &&
          (isWhole || said?.startsWith("paused · ") === true)
          ? []
          : [{ rows, now, said, total }];
      };
      // A second of sandbox time and 50 charges a round.
      for (let round = 0; round < 4; round++) {
        await Promise.all(Array.from({ length: 50 }, () => client.pay()));
        await sandbox.advance("1s");
        await expect.poll(differences).toEqual([]);
      }
      if (isIn) await expect.poll(() => more.textContent()).toBe("paused · 200 new");
      else await expect.poll(() => more.isVisible()).toBe(false);
    },
  );
});
