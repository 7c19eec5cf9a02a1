// The ten jobs of the dashboard, each from its first page, with whatever hand: a script times them, a test counts presses.
import { createServer } from "node:http";

/** What a browser is opened with for each way of using it. */
export const HANDS = {
  mouse: { viewport: { width: 1440, height: 900 }, permissions: ["clipboard-read", "clipboard-write"] },
  keyboard: { viewport: { width: 1440, height: 900 }, permissions: ["clipboard-read", "clipboard-write"] },
  phone: {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    permissions: ["clipboard-read", "clipboard-write"],
  },
  "without a script": { viewport: { width: 1440, height: 900 }, javaScriptEnabled: false },
};

export function handOf(name, page) {
  const how = {
    mouse: (locator) => locator.click(),
    phone: (locator) => locator.tap(),
    keyboard: pressByKeyboard,
    "without a script": (locator) => locator.click(),
  }[name];
  return {
    page,
    hasScript: name !== "without a script",
    presses: 0,
    async press(locator) {
      this.presses++;
      await how(locator);
    },
    /** Where it leads; who is there already has pressed it. */
    async open(locator, path) {
      if (page.url().includes(path)) this.presses++;
      else await this.press(locator);
      await page.waitForURL((url) => url.href.includes(path));
    },
    /** A list is opened, and one of it chosen. */
    async choose(locator, option) {
      this.presses += 2;
      if (name !== "keyboard") return void (await locator.selectOption(option));
      await tabTo(locator);
      await page.keyboard.press(option[0]);
    },
    /** Into the field that is on every page; by keyboard `/` leads there. */
    async search(text) {
      if (name === "keyboard") await page.keyboard.press("/");
      else await this.press(page.locator("#q"));
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    },
  };
}

/** What Tab reaches, and Enter does. */
async function pressByKeyboard(locator) {
  await tabTo(locator);
  await locator.page().keyboard.press("Enter");
}

/** As often as there are stops between; again where the page has changed on the way. */
async function tabTo(locator) {
  const { keyboard } = locator.page();
  for (let tries = 0; tries < 5; tries++) {
    const stops = await locator.evaluate(stopsTo);
    if (stops === 0) return;
    for (let left = Math.abs(stops); left > 0; left--) await keyboard.press(stops < 0 ? "Shift+Tab" : "Tab");
    if (await locator.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`The keyboard does not reach ${locator}`);
}

/** How many presses of Tab lead there from where the focus is; fewer than none lead back. */
function stopsTo(element) {
  const query = "a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex='0']";
  const all = [...document.querySelectorAll(query)].filter(
    (one) => one.tabIndex >= 0 && one.checkVisibility(),
  );
  return all.indexOf(element) - all.indexOf(document.activeElement);
}

/** Takes no webhook of a namespace until that has been mended. */
export async function openJobReceiver() {
  const mended = new Set();
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const isMended = mended.has(request.url.slice(1));
      response.writeHead(isMended ? 200 : 500).end(isMended ? "ok" : "TypeError: order is undefined");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    mend: (namespace) => mended.add(namespace),
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

const ORDER = { pricing: { base_currency: "USD", amount: "25.00" }, payment_method: "card" };

/** A namespace with a charge that failed, one that is paid, one that is new, and a receiver that takes nothing yet. */
export async function makeJobWorld(url, namespace, receiver) {
  const ask = async (method, path, body, headers = { "sandbox-namespace": namespace }) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, json: await response.json() };
  };
  await ask("POST", "/_sandbox/namespaces", { name: namespace, clock: "manual" }, {});
  const hooks = `http://127.0.0.1:${receiver.port}/${namespace}`;
  await ask("POST", "/_sandbox/webhook-endpoints", { url: hooks });
  const authorized = { authorization: `Bearer sk_test_ns_${namespace}` };
  const checkOut = async (customer_email, metadata = {}) => {
    const quote = await ask("POST", "/api/v1/payments/quotes", ORDER, authorized);
    const order = { ...ORDER, quote_id: quote.json.quote_id, customer_email, metadata };
    return ask("POST", "/api/v1/payments/whitelabel", order, authorized);
  };
  const failed = await checkOut("declined@shop.test", { order_id: "A-1042" });
  const paid = await checkOut("ada@shop.test");
  await ask("POST", "/_sandbox/clock/advance", { by: "10s" });
  const newest = await checkOut("newest@shop.test");
  return {
    namespace,
    home: `${url}/_sandbox/dashboard/${namespace}`,
    failed: failed.json.charge_id,
    paid: paid.json.charge_id,
    newest: newest.json.charge_id,
    checkOut,
    receiver,
  };
}

function mustBe(is, what) {
  if (!is) throw new Error(`It does not show ${what}`);
}

const chargeRow = (page, id) => page.locator(`#activity [data-key="${id}"] [data-row]`);
const openCharge = (hand, id) => hand.open(chargeRow(hand.page, id), `/charges/${id}`);
const deliveryOf = (page, type) =>
  page.locator("#webhooks .row").filter({ hasText: type }).first().locator("[data-row]");

/** By way of its charge. */
async function openDelivery(hand, id, type) {
  if (hand.page.url().includes("/webhooks/")) hand.presses++;
  else await openCharge(hand, id);
  await hand.open(deliveryOf(hand.page, type), "/webhooks/");
}

/**
 * At most so many presses each; what is typed is not counted. In this order: each leaves what the next needs.
 * All can be done from the first page (`home`); some from any page, and some go on where the one before has ended.
 */
export const JOBS = [
  {
    name: "find why this charge failed",
    most: 2,
    from: "home",
    async carryOut(hand, { failed }) {
      await openCharge(hand, failed);
      await hand.page.locator(".why").filter({ hasText: "customer_email declined@*" }).waitFor();
    },
  },
  {
    name: "complete the newest charge",
    most: 2,
    from: "home",
    async carryOut(hand, { newest }) {
      await openCharge(hand, newest);
      await hand.press(hand.page.locator("#charge").getByRole("button", { name: /^Complete/ }));
      await hand.page
        .locator("#said .notice")
        .filter({ hasText: `${newest} is COMPLETED` })
        .waitFor();
    },
  },
  {
    name: "move to the next retry",
    most: 2,
    from: "home",
    async carryOut(hand) {
      await hand.press(
        hand.page.locator("#next li").filter({ hasText: "retry" }).first().getByRole("button"),
      );
      await hand.page
        .locator("#said .notice")
        .filter({ hasText: /Advanced to .*ran/ })
        .waitFor();
    },
  },
  {
    name: "why this webhook failed, and resend it fixed",
    most: 2,
    from: "home",
    async carryOut(hand, { namespace, receiver }) {
      const failing = hand.page
        .locator("#attention .row")
        .filter({ hasText: "TypeError: order is undefined" });
      const title = failing.first().locator("[data-row]");
      await hand.press(title);
      receiver.mend(namespace);
      await hand.press(hand.page.getByRole("button", { name: "Retry now" }).first());
      await hand.page
        .locator("#said .notice")
        .filter({ hasText: /Delivered: 200/ })
        .waitFor();
    },
  },
  {
    name: "find a charge by order id",
    most: 2,
    from: "any page",
    async carryOut(hand, { failed }) {
      await hand.search("A-1042");
      await hand.page.waitForURL("**/search?q=A-1042");
      await hand.press(hand.page.locator(`#charges [data-key="${failed}"] [data-row]`));
      await hand.page.waitForURL(`**/charges/${failed}`);
    },
  },
  {
    name: "see a flow as a test",
    most: 2,
    from: "home",
    async carryOut(hand, { paid }) {
      const { page } = hand;
      await openCharge(hand, paid);
      await hand.press(page.locator("#again summary"));
      const text = page.locator('pre[aria-label*="Vitest"]');
      await text.waitFor();
      mustBe((await text.textContent()).includes("setupSandbox"), "a test");
    },
  },
  {
    name: "see what the app was told",
    most: 2,
    from: "on the way",
    async carryOut(hand, { paid }) {
      await openDelivery(hand, paid, "charge.completed");
      mustBe((await hand.page.locator("#body pre").textContent()).includes('"charge.completed"'), "the body");
    },
  },
  {
    name: "compare two payloads",
    most: 2,
    from: "on the way",
    async carryOut(hand, { paid }) {
      await openDelivery(hand, paid, "charge.completed");
      const status = hand.page.locator("#diff dl > div").filter({ hasText: "data.status" }).first();
      mustBe(/PROCESSING.*COMPLETED/s.test(await status.textContent()), "what differs");
    },
  },
  {
    name: "inject a 503 on the second checkout",
    most: 2,
    from: "any page",
    async carryOut(hand, { checkOut }) {
      const { page } = hand;
      await hand.press(
        page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: /^Faults/ }),
      );
      await hand.press(page.getByRole("button", { name: "503 on the second checkout" }));
      await page.locator("#faults").getByText("0 of 1 used").waitFor();
      const statuses = [];
      for (const name of ["one", "two", "three"]) statuses.push((await checkOut(`${name}@shop.test`)).status);
      mustBe(statuses.join() === "200,503,200", `a 503 for the second checkout alone: ${statuses}`);
    },
  },
  {
    name: "switch namespace",
    most: 2,
    from: "any page",
    async carryOut(hand, { namespace }) {
      const { page } = hand;
      if (hand.hasScript) {
        await hand.choose(page.locator("#ns"), "default");
      } else {
        await hand.press(page.getByRole("link", { name: "Namespace", exact: true }));
        await hand.press(page.locator('#namespaces [data-key="default"] [data-row]'));
      }
      await page.waitForURL(/\/dashboard(\/default\b|\?.*namespace=default)/);
      mustBe(!(await page.url()).includes(`/${namespace}`), "the other namespace");
    },
  },
];
