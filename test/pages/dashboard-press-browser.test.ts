import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { Sandbox } from "../../src/library/index.js";
import { Client } from "../support/receiver-client.js";
import { Receiver, refuseWith } from "../support/receiver-server.js";
import { createCheckout } from "./support/checkouts.js";
import { describeInBrowser, listeningSandbox, useBrowser } from "./support/chromium.js";

interface Press {
  /** View of the dashboard that has the button. */
  readonly view: string;
  readonly button: string;
  /** Id of the section with the button. */
  readonly part: string;
  /** Fields filled in before the press, by label. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Id and text of the section shown after the click. */
  readonly shows: readonly [part: string, text: RegExp];
}

/** Opens a sandbox with something for each button to do. */
async function openPresses(sandbox: Sandbox) {
  const client = Client.at(sandbox.url!);
  await client.ask("POST /_sandbox/balances", { currency: "KES", amount: "5000.00" });
  const charge = await client.pay();
  await client.pay();
  await sandbox.advance("1s");
  const { withdrawal_id } = await client.withdraw({ currency: "KES", amount: "519.99" });
  await client.ask("POST /_sandbox/scenarios/slow/activate");
  await client.ask("POST /_sandbox/faults", {
    match: { operation: "createQuote" },
    respond: { status: 503 },
  });
  const deliveries = (await client.ask("GET /_sandbox/deliveries?failing=1")).json.items;
  const presses: Record<string, Press> = {
    "Complete on the page of a charge": {
      view: `charges/${charge}`,
      button: "Complete",
      part: "charge",
      shows: ["charge", /✓ COMPLETED/],
    },
    "Add money": {
      view: "money",
      button: "Add money",
      part: "balances",
      fields: { Amount: "1105.10" },
      shows: ["balances", /5,585\.11/],
    },
    "Process on the page of a payout": {
      view: `money/${withdrawal_id}`,
      button: "Process",
      part: "withdrawal",
      shows: ["withdrawal", /PROCESSING/],
    },
    "Add receiver": {
      view: "webhooks",
      button: "Add receiver",
      part: "receivers",
      fields: { URL: "localhost:4/second", Events: "charge.completed" },
      shows: ["receivers", /localhost:4\/second/],
    },
    "Save a snapshot": {
      view: "namespace",
      button: "Save a snapshot",
      part: "snapshots",
      fields: { Name: "before-refund" },
      shows: ["snapshots", /before-refund/],
    },
    "Retry in the list of deliveries": {
      view: "webhooks?status=failing",
      button: "Retry",
      part: "deliveries",
      shows: ["deliveries", /2 attempts/],
    },
    "Redeliver on the page of a delivery": {
      view: `webhooks/${deliveries[1].delivery_id}`,
      button: "Redeliver",
      part: "delivery",
      shows: ["all", /Deliveries of this event: 2/],
    },
  };
  return presses;
}

describeInBrowser("a click with the pointer on the button", () => {
  const openWindow = useBrowser();

  const homeOf = ({ url }: Sandbox) => `${url}/_sandbox/dashboard/default`;

  async function press(page: Page, part: string, button: string): Promise<void> {
    await page.locator(`#${part}`).getByRole("button", { name: button }).first().hover();
    await page.mouse.down();
    await page.mouse.up();
  }

  it("a button shows its result immediately", async () => {
    await using receiver = await Receiver.open(refuseWith(500));
    const sandbox = await listeningSandbox({ webhooks: [receiver.url] });
    const page = await (await openWindow()).newPage();
    for (const [name, { view, button, part, fields = {}, shows }] of Object.entries(
      await openPresses(sandbox),
    )) {
      await page.goto(`${homeOf(sandbox)}/${view}`);
      for (const fold of await page.locator(`#${part} > details:not([open]) > summary`).all())
        await fold.click();
      for (const [label, value] of Object.entries(fields))
        await page.locator(`#${part}`).getByLabel(label).fill(value);
      await press(page, part, button);
      const [shown, text] = shows;
      await expect
        .poll(() => page.locator(`#${shown}`).allTextContents(), { message: name })
        .toEqual([expect.stringMatching(text)]);
    }
  });

  it("the button that turns a scenario on stays, with its focus, as the one that turns it off", async () => {
    const sandbox = await listeningSandbox();
    const page = await (await openWindow()).newPage();
    await page.goto(`${homeOf(sandbox)}/scenarios`);
    const button = page.locator("#outcomes [data-key=declined]").getByRole("button", { name: /^Turn/ });
    await button.focus();
    const before = await button.boundingBox();
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Active scenarios" }).getByText("declined").first().waitFor();
    expect(await button.textContent()).toBe("Turn off declined");
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await button.boundingBox()).toMatchObject({ x: before!.x, y: before!.y });
  });

  /** Opens the page of a new charge, and records the sent actions. */
  async function openCharge() {
    const sandbox = await listeningSandbox();
    const { charge_id } = await createCheckout(sandbox);
    const page = await (await openWindow()).newPage();
    await page.goto(`${homeOf(sandbox)}/charges/${charge_id}`);
    const sent: (string | null)[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(new URLSearchParams(request.postData() ?? "").get("do"));
    });
    return {
      page,
      sent,
      charge: `transitionCharge?charge_id=${charge_id}&to=`,
      object: page.locator("#charge"),
    };
  }

  it("a held key does not press the next button", async () => {
    const { page, sent, charge, object } = await openCharge();
    await page.getByRole("button", { name: "Complete" }).focus();
    await page.keyboard.down("Enter");
    await object.locator(".badge", { hasText: "COMPLETED" }).waitFor();
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("charge");
    expect(sent).toEqual([`${charge}COMPLETED`]);
  });

  it("the second click of a double click does not press the next button", async () => {
    const { page, sent, charge, object } = await openCharge();
    const { x, y } = (await object.getByRole("button", { name: "Complete" }).boundingBox())!;
    await page.mouse.click(x + 8, y + 8);
    await object.locator(".badge", { hasText: "COMPLETED" }).waitFor();
    await object.getByRole("button", { name: "Refund" }).first().waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.getByRole("button", { name: "+10 s" }).click();
    await page.getByText("Advanced 10 s").waitFor();
    expect(sent).toEqual([`${charge}COMPLETED`, "advanceClock?by=10s"]);
    await page.mouse.click(x + 8, y + 8);
    await expect.poll(() => sent).toContain(`${charge}REFUNDED`);
  });

  it("the call that was chosen for a fault stays chosen after a fault has been started", async () => {
    const sandbox = await listeningSandbox();
    const page = await (await openWindow()).newPage();
    await page.goto(`${homeOf(sandbox)}/faults`);
    await page.locator("#new select").selectOption("createQuote");
    const json = page.locator("[name=json]");
    await expect.poll(() => json.inputValue()).toContain("createQuote");
    for (const [count, button] of ["Respond after 5 s", "Never respond", "Start"].entries()) {
      await page.locator("#new").getByRole("button", { name: button, exact: true }).click();
      await page.getByText(`Active: ${count + 1}`).waitFor();
      expect(await json.inputValue()).toContain("createQuote");
    }
    const calls = (await page.locator("#faults").innerText()).match(/create\w+ →/g);
    expect(calls).toEqual(["createQuote →", "createQuote →", "createQuote →"]);
  });

  it("a menu closes on Escape and on a click outside, and its button gets the focus", async () => {
    const { page, object } = await openCharge();
    const button = object.locator("summary", { hasText: "Copy" });
    const panel = object.locator(".menu-of[open] .panel");
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => page.getByRole("heading", { level: 1 }).click(),
    ]) {
      await button.click();
      await panel.getByRole("button").first().focus();
      await close();
      await panel.waitFor({ state: "hidden" });
      expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
    }
  });

  it("a form in a menu closes the menu once its action is done, and not if the action is refused", async () => {
    const sandbox = await listeningSandbox();
    const id = await Client.at(sandbox.url!).pay();
    await sandbox.advance("1d");
    const page = await (await openWindow()).newPage();
    await page.goto(`${homeOf(sandbox)}/charges/${id}`);
    await page.locator("#charge .split summary").click();
    const form = page.getByRole("form", { name: "Refund part" });
    for (const [amount, notice, isOpen] of [
      ["0.001", /decimals/, true],
      ["1.00", /: \w+ 1\.00 refunded/, false],
    ] as const) {
      await form.getByLabel(/^Amount or percentage, less than/).fill(amount);
      await form.getByRole("button").click();
      await page.locator("#said").getByText(notice).waitFor();
      expect([amount, await form.isVisible()]).toEqual([amount, isOpen]);
    }
  });

  it("a fault with a mistake has one message, keeps its field, and shows nothing new", async () => {
    const sandbox = await listeningSandbox();
    const page = await (await openWindow()).newPage();
    await page.goto(`${homeOf(sandbox)}/faults`);
    const json = page.locator("[name=json]");
    const start = page.getByRole("button", { name: "Start", exact: true });
    const messages = () => page.locator(".notice, #new .more").locator("visible=true").allTextContents();
    await json.fill(`{"match": {"operation": "getNothing"}, "drop": "after"}`);
    await start.click();
    await page.locator("#said").getByText("getNothing").waitFor();
    await sandbox.run("createFault", { drop: "after" });
    await page.locator("#faults .row").first().waitFor();
    expect(await messages()).toEqual([expect.stringContaining("getNothing")]);
    await json.fill("{no");
    await start.click();
    await page.locator("#said").getByText("not valid JSON").waitFor();
    expect(await json.inputValue()).toBe("{no");
    await page.locator("[name=operation]").selectOption("getBalances");
    await expect.poll(() => json.inputValue()).toContain("getBalances");
  });

  it.each([1440, 390])("a press of Complete does not move the timeline, at %i pixels", async (width) => {
    const sandbox = await listeningSandbox();
    const id = await Client.at(sandbox.url!).pay();
    await sandbox.advance("2s");
    const page = await (await openWindow()).newPage();
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${homeOf(sandbox)}/charges/${id}`);
    const before = await page.locator("#timeline").boundingBox();
    await page.locator("#charge").getByRole("button", { name: "Complete" }).first().click();
    await page.locator("#charge .why:not(.next)", { hasText: "it was AWAITING_PAYMENT." }).waitFor();
    expect((await page.locator("#timeline").boundingBox())!.y).toBe(before!.y);
  });

  it("the scenario in Why leads to its rules", async () => {
    const sandbox = await listeningSandbox();
    const id = await Client.at(sandbox.url!).pay();
    await sandbox.advance("10s");
    const page = await (await openWindow()).newPage();
    await page.goto(`${homeOf(sandbox)}/charges/${id}`);
    await page.locator("#charge .why:not(.next)").getByRole("link", { name: "default" }).click();
    await page.locator("#rules").getByText("customer_email declined@*").waitFor();
  });
});
