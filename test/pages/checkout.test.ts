import { describe, expect, it } from "vitest";
import type { ChargeStatus, SandboxOptions } from "../../src/library/index.js";
import { Api, okBody, openSandbox, START } from "../support/api-client.js";
import { temporaryFile } from "../support/folders.js";
import { CheckoutPage, expectPage, expectRedirect } from "./support/checkouts.js";
import { textOf } from "./support/dashboard.js";

const SHOP = {
  success_url: "https://shop.test/thanks?order=7&note=a%20b#end",
  cancel_url: "https://shop.test/basket",
};
const BANK = { payment_method: "bank_transfer", currency: "NGN" };
const MOBILE = { payment_method: "mobile_money", currency: "KES", phone_number: "+254700000001" };

async function pageOf(wish: Record<string, unknown> = SHOP, options?: SandboxOptions): Promise<CheckoutPage> {
  return CheckoutPage.create(await openSandbox(options), wish);
}

async function openInstructions(wish?: Record<string, unknown>): Promise<CheckoutPage> {
  const page = await pageOf(wish);
  await page.post("method", BANK);
  return page;
}

/** Returns the values of the sandbox panel's buttons. */
function outcomesOn(page: string): string[] {
  return [...page.matchAll(/<button name="outcome" value="(\w+)"/g)].map((match) => match[1]!);
}

const FAILED_BY_RULE = "Scenario default, customer_email matches declined@*: FAILED (“declined”).";

/** Returns the text of the sandbox panel. */
function panelOf(page: string): string {
  return textOf(/<aside class="sandbox".*<\/aside>/s.exec(page)![0]);
}

/** Returns the offered methods, with `checked` after the selected one. */
function methodsOn(page: string): string[] {
  return [...page.matchAll(/name="payment_method" value="(\w+)"( checked)?/g)].map(
    (one) => one[1]! + (one[2] ?? ""),
  );
}

/** Opens a page with a quote: USD 25.00 by card in ZAR. */
async function openQuoted(): Promise<CheckoutPage> {
  const sandbox = await openSandbox();
  const pricing = { base_currency: "USD", amount: "25.00" };
  const order = { pricing, payment_method: "card", to_currency: "ZAR" };
  const { quote_id } = await new Api(sandbox).quote(order);
  return CheckoutPage.create(sandbox, { pricing, quote_id, customer_email: "ada@shop.test" });
}

describe("the page before a method is chosen", () => {
  it("the checkout page shows the amount and each method's price [R1.3]", async () => {
    const page = await pageOf({ ...SHOP, customer_name: "Ada", customer_email: "ada@shop.test" });
    const who = ["Sandbox Shop", "USD 25.00", "Ada", "ada@shop.test"];
    const until = ["1:00:00", "Expires 31 January 2026, 10:00:00 UTC"];
    const naira = "NGN 39,331.25 fees NGN 581.25 1 USD = 1,550 NGN";
    const bitcoin = "BTC 0.00039453 fees BTC 0.00000390 1 BTC = 64,000 USD";
    const others = ["Other currencies (4)", "Other assets (3)"];
    const text = await expectPage(page.get(), 200, ...who, ...until, naira, bitcoin, ...others);
    expect(text).toContain('<html lang="en">');
    expect(text).toContain("<title>Pay Sandbox Shop – USD\u00a025.00</title>");
    expect(text.match(/name="payment_method"/g)).toHaveLength(4);
    expect(text.match(/class="offer"/g)).toHaveLength(19);
  });

  it("offers only the shop's methods", async () => {
    const page = await pageOf({ payment_methods: ["bank_transfer", "card"] });
    expect(methodsOn((await page.get()).text)).toEqual(["bank_transfer checked", "card"]);
  });

  it("the checkout page shows a quote's price with its fees", async () => {
    const page = await openQuoted();
    const fees =
      "Price in ZAR ZAR 445.00 Exchange rate 1 USD = 17.8 ZAR Platform fee ZAR 4.45 Gateway fee ZAR 10.68 Total ZAR 460.13";
    const text = await expectPage(page.get(), 200, "Pay Sandbox Shop ZAR 460.13", "Price USD 25.00", fees);
    expect(text).toContain("<title>Pay Sandbox Shop – ZAR\u00a0460.13</title>");
    expect(methodsOn(text)).toEqual(["card checked"]);
    expect(text.match(/class="offer"/g)).toHaveLength(1);
    expect(text).toContain('name="currency.card" value="ZAR" checked');
    await page.post("method", { payment_method: "card" });
    expect(page.charge).toMatchObject({ status: "AWAITING_PAYMENT", amount: "460.13", currency: "ZAR" });
  });

  it("the checkout page shows the current price once the quote has expired", async () => {
    const page = await openQuoted();
    okBody(await new Api(page.sandbox).put("/_sandbox/rates", { ZAR: "20" }));
    await expectPage(page.get(), 200, "Pay Sandbox Shop ZAR 460.13");
    await page.sandbox.advance("10m");
    await expectPage(page.get(), 200, "Pay Sandbox Shop ZAR 517.00", "Price in ZAR ZAR 500.00");
    await page.post("method", { payment_method: "card" });
    expect(page.charge).toMatchObject({ amount: "517.00", customer_email: "ada@shop.test" });
  });

  it("marks the price in the shop's currency", async () => {
    const pricing = { base_currency: "USD", amount: "25.00", local_pricing: { KES: "3000.00" } };
    const page = await pageOf({ pricing });
    await expectPage(page.get(), 200, "KES 3,045.00 fees KES 45.00 set by the shop");
  });

  it("the checkout page shows every digit of the longest amount", async () => {
    const pricing = { base_currency: "NGN", amount: "123456789012345678901234567890.12" };
    const page = await pageOf({ pricing });
    await expectPage(page.get(), 200, "NGN 123,456,789,012,345,678,901,234,567,890.12");
  });

  it("offers no method for an amount below every minimum", async () => {
    const pricing = { base_currency: "UGX", amount: "0.01" };
    const page = await pageOf({ pricing, payment_methods: ["bank_transfer"] });
    const text = await expectPage(page.get(), 200, "too small for any of the payment methods");
    expect(outcomesOn(text)).toEqual(["fail", "expire"]);
    expect(text).not.toContain(">Continue<");
  });

  it("the checkout page counts down at the speed of sandbox time", async () => {
    const page = await pageOf();
    expect((await page.get()).text).toContain('<p class="left">');
    await page.sandbox.advance("59m30s");
    const still = await expectPage(
      page.get(),
      200,
      "Next: EXPIRED in 00:30 , once the clock runs or is advanced.",
    );
    expect(still).toContain('<p class="left soon">');
    expect(still).toContain('data-speed="0"');
    const fast = await pageOf(SHOP, { clock: "60x" });
    expect((await fast.get()).text).toContain('data-speed="60"');
  });
});

describe("choosing a method", () => {
  it("submitting a method prices the charge and shows the instructions", async () => {
    const page = await pageOf();
    await expectRedirect(page.post("method", BANK), `http://sandbox${page.path}`);
    expect(page.charge).toMatchObject({ status: "AWAITING_PAYMENT", currency: "NGN", amount: "39331.25" });
    const { bank_name, account_number } = page.charge.payment_instructions!;
    const price = [
      "NGN 39,331.25",
      "Platform fee NGN 387.50 Gateway fee NGN 193.75 Total NGN 39,331.25",
      "1 USD = 1,550 NGN",
    ];
    const how = [
      bank_name!,
      account_number!,
      "This is a sandbox: no real money moves; do not send any money.",
    ];
    const summary = "NGN 39,331.25 Price USD 25.00 , fees NGN 581.25 Time left";
    const text = await expectPage(page.get(), 200, summary, ...price, ...how, "I have paid");
    expect(text).toContain(">Cancel</button>");
    expect(text).not.toContain("Transfer exactly");
    expect(text).toContain(`<strong id="reference">${page.charge.provider_reference}</strong>`);
    expect(text).toContain('data-copy="39331.25"');
  });

  it("each payment method accepts its own fields [R1.3]", async () => {
    const page = await pageOf();
    const answer = await page.post("method", {
      payment_method: "mobile_money",
      "currency.bank_transfer": "USD",
      "bank_account_number.bank_transfer": "123",
      "currency.mobile_money": "GHS",
      "phone_number.mobile_money": " 00233 (20) 000-00.01 ",
    });
    expect(answer.status).toBe(303);
    expect(page.charge).toMatchObject({
      payment_method: "mobile_money",
      currency: "GHS",
      phone_number: "+233200000001",
      bank_account_number: null,
    });
  });

  it("submitting a bank account stores it", async () => {
    const page = await pageOf();
    await page.post("method", { payment_method: "bank_transfer", bank_account_number: "0123456789" });
    expect(page.charge).toMatchObject({ currency: "USD", bank_account_number: "0123456789" });
  });

  it.each([
    ["is missing", ""],
    ["is none", "call <me>"],
  ])("shows the form again with its values when the phone number %s", async (_name, phone) => {
    const page = await pageOf();
    const { status, text } = await page.post("method", {
      payment_method: "mobile_money",
      "currency.mobile_money": "UGX",
      "phone_number.mobile_money": phone,
    });
    expect(status).toBe(400);
    expect(page.charge.payment_method).toBeNull();
    expect(text).toContain("<title>Error: ");
    const id = /<input id="(m\d-phone)"/.exec(text)![1]!;
    const input = new RegExp(`<input id="${id}"[^>]*>`).exec(text)![0];
    expect(input).toContain(`value="${phone === "" ? "" : "call &lt;me&gt;"}"`);
    expect(input).toContain(' aria-invalid="true"');
    expect(input).toContain(" autofocus");
    for (const described of /aria-describedby="([^"]+)"/.exec(input)![1]!.split(" "))
      expect(text).toContain(`id="${described}"`);
    expect(text.match(/ autofocus/g)).toHaveLength(1);
    expect(text).toContain('name="payment_method" value="mobile_money" checked');
    expect(text).toContain('name="currency.mobile_money" value="UGX" checked');
    expect(text).toContain(`action="../${page.checkout.checkout_id}/method"`);
  });

  it.each([
    ["no method", {}, "Choose one of these payment methods."],
    ["an unknown method", { payment_method: "ussd" }, "Choose one of these payment methods."],
    ["a foreign currency", { payment_method: "card", currency: "BTC" }, "Choose one of these currencies."],
  ])("shows the form again for %s", async (_name, fields, message) => {
    const page = await pageOf();
    const { status, text } = await page.post("method", fields as Record<string, string>);
    expect(status).toBe(400);
    expect(text).toContain(`>${message}</p>`);
    expect(text.match(/ autofocus/g)).toHaveLength(1);
  });

  it("refuses a method once one has been chosen", async () => {
    const page = await openInstructions();
    const problem = "A payment method has been chosen already.";
    await expectPage(page.post("method", MOBILE), 409, problem, "I have paid");
    expect(page.charge.payment_method).toBe("bank_transfer");
  });

  it("the instructions say how to pay with another method, if there is one", async () => {
    const advice = "cancel and order again";
    await expectPage((await pageOf()).get(), 200, "After Continue, the method is fixed.");
    expect((await (await openInstructions()).get()).text).toContain(advice);
    const only = await openInstructions({ payment_methods: ["bank_transfer"] });
    expect((await only.get()).text).not.toContain(advice);
  });

  it("redirects to the shop when the scenario completes at once", async () => {
    const page = await pageOf(SHOP, { scenario: "instant" });
    const { status, location } = await page.post("method", BANK);
    expect(page.charge.status).toBe("COMPLETED");
    expect([status, new URL(location!).host]).toEqual([303, "shop.test"]);
  });
});

describe("the return to the shop", () => {
  it("the return URL keeps its parts and gains query parameters [R22.15]", async () => {
    const page = await openInstructions();
    const { checkout_id, charge_id } = page.checkout;
    await expectRedirect(
      page.post("outcome", { outcome: "complete" }),
      `https://shop.test/thanks?order=7&note=a%20b&checkout_id=${checkout_id}&charge_id=${charge_id}&status=COMPLETED#end`,
    );
  });

  it("replaces existing parameters of the return URL", async () => {
    const page = await pageOf({ cancel_url: "http://shop.test/?status=new&a&%73tatus=x&b=1" });
    const { checkout_id, charge_id } = page.checkout;
    await expectRedirect(
      page.post("cancel"),
      `http://shop.test/?a&b=1&checkout_id=${checkout_id}&charge_id=${charge_id}&status=CANCELLED`,
    );
  });

  it("the customer returns to the checkout page without a return URL", async () => {
    const page = await pageOf({});
    await expectRedirect(page.post("cancel"), `http://sandbox${page.path}`);
    const text = await expectPage(page.get(), 410, "You can close this page.");
    expect(text).not.toContain("Back to the shop");
  });

  it("redirects only to http and https URLs", async () => {
    const page = await pageOf();
    const { sandbox } = page;
    // Only an imported state can contain such a URL.
    const state = sandbox.snapshot();
    for (const [, charge] of state.collections.charges)
      Object.assign(charge, { cancel_url: "javascript:alert(1)" });
    const imported = await sandbox.fetch("/_sandbox/state", { method: "PUT", body: JSON.stringify(state) });
    expect(imported.status).toBe(400);
    expect(JSON.stringify((await imported.json()).error.details)).toContain("cancel_url");
    expect((await page.post("cancel")).location).not.toContain("javascript:");
    expect((await page.get()).text).not.toContain("javascript:");
  });
});

describe("the waiting page", () => {
  it("the I have paid button shows the waiting page", async () => {
    const page = await openInstructions();
    await expectRedirect(page.post("paid"), `http://sandbox${page.path}?waiting=1`);
    expect(page.charge.status).toBe("AWAITING_PAYMENT");
    const text = await expectPage(page.get("?waiting=1"), 200, "Waiting for your payment");
    expect(text).toContain(
      `<noscript><meta http-equiv="refresh" content="2; url=${page.checkout.checkout_id}?waiting=1"></noscript>`,
    );
  });

  it("the waiting page of a card does not ask the customer to pay again", async () => {
    const page = await pageOf();
    await page.post("method", { payment_method: "card" });
    const text = await expectPage(page.get("?waiting=1"), 200, "Confirming your card payment");
    expect(text).not.toContain("Show how to pay");
  });

  it("the waiting page requires a method", async () => {
    const page = await pageOf();
    const text = await expectPage(page.post("paid"), 409, "Choose a payment method first.");
    expect(text).toContain('role="alert"');
  });

  it("the waiting page redirects to the shop once the charge has ended", async () => {
    const page = await openInstructions();
    expect((await page.get("?waiting=1")).status).toBe(200);
    await page.sandbox.advance("10s");
    const { status, location } = await page.get("?waiting=1");
    expect([status, new URL(location!).searchParams.get("status")]).toEqual([303, "COMPLETED"]);
    // Pressing "I have paid" again redirects to the same URL.
    expect((await page.post("paid")).location).toBe(location);
  });

  it("the waiting page shows the result without a return URL", async () => {
    const page = await openInstructions({});
    await page.sandbox.advance("10s");
    const receipt = `Reference ${page.charge.provider_reference} Method Bank transfer Completed at`;
    await expectPage(page.get("?waiting=1"), 200, "Payment complete", receipt);
  });

  it("the waiting page polls the charge's status", async () => {
    const page = await openInstructions();
    const { status, headers, text } = await page.get("/status");
    expect([status, headers.get("sandbox-now")]).toEqual([200, START]);
    expect(headers.get("content-type")).toContain("application/json");
    expect(JSON.parse(text)).toEqual({ status: "AWAITING_PAYMENT", speed: 0 });
    await page.sandbox.advance("10s");
    expect(JSON.parse((await page.get("/status")).text)).toEqual({
      status: "COMPLETED",
      next: (await page.get("?waiting=1")).location,
      speed: 0,
    });
  });
});

describe("the page of a charge that is", () => {
  const move = ({ sandbox, checkout }: CheckoutPage, to: ChargeStatus, reason?: string) =>
    sandbox.transition(checkout.charge_id, to, reason);
  const reach: Record<string, (page: CheckoutPage) => unknown> = {
    PROCESSING: (page) => move(page, "PROCESSING"),
    COMPLETED: (page) => move(page, "COMPLETED"),
    FAILED: (page) => move(page, "FAILED", "insufficient_funds"),
    CANCELLED: (page) => page.post("cancel"),
    EXPIRED: ({ sandbox }) => sandbox.advance("1h"),
    REFUNDED: (page) => [move(page, "COMPLETED"), move(page, "REFUNDED")],
  };

  it.each([
    [
      "PROCESSING",
      200,
      ["Price USD 25.00 , fees KES 80.63 Your payment is being processed", "This page continues by itself."],
      undefined,
      ["complete", "fail"],
    ],
    ["COMPLETED", 200, "Payment to Sandbox Shop KES 3,305.63 Payment complete", "/thanks", ["refund"]],
    [
      "FAILED",
      200,
      "Payment to Sandbox Shop KES 3,305.63 Payment failed: insufficient funds If you have sent money, contact the shop with this reference. You can try again in the shop. Reference",
      "/basket",
      [],
    ],
    [
      "CANCELLED",
      410,
      ["Payment cancelled If you have sent money, contact the shop", "Total KES 3,305.63"],
      "/basket",
      [],
    ],
    // Without a method there is no price, so nothing can be paid.
    [
      "EXPIRED",
      410,
      "Payment to Sandbox Shop USD 25.00 This checkout has expired The time to pay has run out. You have not been charged.",
      "/basket",
      [],
    ],
    ["REFUNDED", 200, "Payment to Sandbox Shop KES 3,305.63 Payment refunded", "/thanks", []],
  ] as const)(
    "the page of a %s charge says so, with status %i [R18.5 R22.15]",
    async (wanted, status, says, back, left) => {
      const page = await pageOf(SHOP, { scenario: "stuck" });
      if (wanted !== "EXPIRED") await page.post("method", MOBILE);
      await reach[wanted]!(page);
      expect(page.charge.status).toBe(wanted);
      const text = await expectPage(page.get(), status, ...[says].flat());
      const link = /<a class="button main" href="([^"]+)">Back to the shop/.exec(text)?.[1];
      const url = link && new URL(link.replaceAll("&amp;", "&"));
      expect(url && [url.pathname, url.searchParams.get("status")]).toEqual(back && [back, wanted]);
      expect(outcomesOn(text)).toEqual(left);
    },
  );

  it("an EXPIRED charge with a price can still be paid late [R18.7]", async () => {
    const page = await pageOf(SHOP, { scenario: "expired" });
    await page.post("method", MOBILE);
    await page.sandbox.advance("1h");
    expect(outcomesOn(await expectPage(page.get(), 410))).toEqual(["complete"]);
    const { location } = await page.post("outcome", { outcome: "complete" });
    expect(new URL(location!).pathname).toBe("/thanks");
    expect(page.charge.status).toBe("COMPLETED");
  });

  it.each([
    ["card", "The time to pay has run out. You have not been charged.", "Total, not charged ZAR"],
    ["bank_transfer", "If you have paid already, the merchant will still be notified.", "Total NGN"],
  ])("the page of an expired %s payment says only what the service knows", async (method, text, total) => {
    const page = await pageOf(SHOP, { scenario: "expired" });
    const currency = method === "card" ? "ZAR" : "NGN";
    await page.post("method", { payment_method: method, currency });
    await page.sandbox.advance("1h");
    await expectPage(page.get(), 410, text, total);
  });

  it("both steps name the asset and the network of a crypto payment", async () => {
    const page = await pageOf();
    await expectPage(page.get(), 200, "USDT on Tron (TRC20)", "Bitcoin");
    await page.post("method", { payment_method: "crypto", currency: "USDT_TRC20" });
    const text = await expectPage(page.get(), 200, "USDT on Tron (TRC20)", "give the shop this reference");
    expect(text).not.toContain("Quote this reference");
  });

  it("a PROCESSING charge cannot be cancelled", async () => {
    const page = await pageOf();
    await page.post("method", MOBILE);
    move(page, "PROCESSING");
    expect((await page.get()).text).not.toContain("/cancel");
    await expectPage(page.post("cancel"), 409, "The payment cannot be cancelled any more.");
  });

  it("cancelling a CANCELLED charge again redirects in the same way", async () => {
    const page = await pageOf();
    const first = await page.post("cancel");
    expect(page.charge.status_history.at(-1)).toMatchObject({ reason: "cancelled_by_customer" });
    await expectRedirect(page.post("cancel"), first.location);
  });

  it("a COMPLETED charge cannot be cancelled or paid again", async () => {
    const page = await openInstructions();
    await page.post("outcome", { outcome: "complete" });
    await expectPage(page.post("cancel"), 409, "Payment complete");
    await expectPage(page.post("method", BANK), 409, "Payment complete");
  });
});

describe("the sandbox panel", () => {
  it("the sandbox panel is labelled in both modes", async () => {
    const sandbox = await openSandbox();
    for (const [key, mode] of [
      [sandbox.apiKey, "Test mode"],
      [sandbox.liveApiKey, "Live mode"],
    ] as const) {
      const page = await CheckoutPage.create(sandbox, SHOP, key);
      const text = await expectPage(page.get(), 200, "not on the real page", mode);
      expect(outcomesOn(text)).toEqual(["complete", "fail", "expire"]);
    }
  });

  it.each([
    ["complete", "COMPLETED", "/thanks"],
    ["fail", "FAILED", "/basket"],
    ["expire", "EXPIRED", "/basket"],
  ])("the sandbox panel can %s a pending payment", async (outcome, status, path) => {
    for (const method of outcome === "complete" ? [BANK] : [BANK, undefined]) {
      const page = await pageOf();
      if (method !== undefined) await page.post("method", method);
      const answer = await page.post("outcome", { outcome });
      expect([answer.status, new URL(answer.location!).pathname]).toEqual([303, path]);
      expect(page.charge).toMatchObject({ status, payment_method: method?.payment_method ?? null });
      expect(page.charge.tasks.timeline).toBeUndefined();
    }
  });

  it("the sandbox panel completes with the chosen method", async () => {
    const page = await pageOf();
    const incomplete = { outcome: "complete", payment_method: "mobile_money" };
    await expectPage(page.post("outcome", incomplete), 400, "Enter your phone number");
    expect(page.charge).toMatchObject({ status: "PENDING", payment_method: null });
    expect((await page.post("outcome", { outcome: "complete", ...MOBILE })).status).toBe(303);
    expect(page.charge).toMatchObject({ status: "COMPLETED", payment_method: "mobile_money" });
  });

  it("the sandbox panel fails a payment with the selected method", async () => {
    const page = await pageOf();
    const incomplete = { outcome: "fail", payment_method: "mobile_money" };
    await expectPage(page.post("outcome", incomplete), 400, "Enter your phone number");
    expect((await page.post("outcome", { outcome: "fail", ...MOBILE })).status).toBe(303);
    expect(page.charge).toMatchObject({
      status: "FAILED",
      payment_method: "mobile_money",
      currency: "KES",
      amount: "3305.63",
    });
  });

  it.each([
    ["a rule", { customer_email: "declined@shop.test" }, BANK, "5s", FAILED_BY_RULE],
    ["a scenario", {}, BANK, "10s", "Scenario default, the normal course: COMPLETED."],
    ["the clock", {}, undefined, "1h", "EXPIRED: It expired unpaid."],
    [
      "the customer",
      {},
      "cancel",
      "0s",
      "CANCELLED: The customer decided on the hosted page (“cancelled_by_customer”).",
    ],
    [
      "the panel",
      {},
      { outcome: "fail", reason: "no luck" },
      "0s",
      "FAILED: By hand in the checkout&#39;s sandbox bar (“no luck”); it was PENDING.",
    ],
  ] as const)("the sandbox panel says that %s ended the payment", async (_name, wish, press, wait, cause) => {
    const page = await pageOf(wish);
    if (press === "cancel") await page.post("cancel");
    else if (press !== undefined) await page.post("outcome" in press ? "outcome" : "method", press);
    if (wait !== "0s") await page.sandbox.advance(wait);
    const { text } = await page.get();
    expect(panelOf(text)).toContain(`${cause} · Open in the dashboard`);
    expect(text.match(/Open in the dashboard/g)).toHaveLength(1);
  });

  it("the sandbox panel says that a partial refund was made by hand", async () => {
    const page = await openInstructions();
    await page.sandbox.advance("10s");
    await page.sandbox.run("refundPart", { charge_id: page.checkout.charge_id, amount: "100.00" });
    expect(panelOf((await page.get()).text)).toContain(
      "NGN 100.00 returned by hand; it was COMPLETED before. · Open in the dashboard",
    );
  });

  it("the sandbox panel says what the scenario does next, and when", async () => {
    const page = await pageOf();
    await page.post("method", BANK);
    await page.sandbox.advance("1s");
    await expectPage(page.get(), 200, "Next: PROCESSING in 00:02 , once the clock runs or is advanced.");
    const running = await pageOf(SHOP, { clock: "real", scenario: "slow" });
    await running.post("method", BANK);
    expect(textOf((await running.get()).text)).toMatch(/Next: \w+ in [\d:]+ \. Charge ch_/);
  });

  it("the sandbox panel fails a payment with the given reason", async () => {
    const page = await pageOf();
    const tooLong = { outcome: "fail", reason: "x".repeat(10_000) };
    await expectPage(page.post("outcome", tooLong), 400, "The reason is too long.");
    await page.post("outcome", { outcome: "fail", reason: " operator_timeout " });
    expect(page.charge).toMatchObject({ status: "FAILED", failure_reason: "operator_timeout" });
  });

  it("the sandbox panel refunds a completed payment", async () => {
    const page = await openInstructions();
    const early = await page.post("outcome", { outcome: "refund" });
    expect([early.status, page.charge.status]).toEqual([409, "AWAITING_PAYMENT"]);
    expect(panelOf(early.text)).toContain("Not possible while the payment is awaiting payment.");
    await page.post("outcome", { outcome: "complete" });
    await expectRedirect(page.post("outcome", { outcome: "refund" }), `http://sandbox${page.path}`);
    expect(page.charge.status).toBe("REFUNDED");
    expect(panelOf((await page.post("outcome", { outcome: "refund" })).text)).toContain("Already refunded.");
    await expectPage(
      page.get(),
      200,
      "Completed at 31 January 2026, 09:00:00 UTC Refunded NGN 39,331.25 31 January 2026, 09:00:00 UTC",
    );
  });

  it("the sandbox panel does not offer a refund after a chargeback", async () => {
    const page = await openInstructions();
    await page.post("outcome", { outcome: "complete" });
    await page.sandbox.run("chargeBack", { charge_id: page.checkout.charge_id });
    const says = "Payment to Sandbox Shop NGN 39,331.25 Payment charged back";
    const receipt =
      "Completed at 31 January 2026, 09:00:00 UTC Charged back NGN 39,331.25 31 January 2026, 09:00:00 UTC";
    expect(outcomesOn(await expectPage(page.get(), 200, says, receipt))).toEqual([]);
  });

  it("the receipt says that the payment is partly refunded, with each refund and its time", async () => {
    const page = await openInstructions();
    await page.post("outcome", { outcome: "complete" });
    const refund = (amount: string) =>
      page.sandbox.run("refundPart", { charge_id: page.checkout.charge_id, amount });
    await refund("100.00");
    expect(JSON.parse((await page.get("/status")).text)).toMatchObject({ status: "COMPLETED", returns: 1 });
    await page.sandbox.advance("1h");
    await refund("5.10");
    const first =
      "Completed at 31 January 2026, 09:00:00 UTC Refunded NGN 100.00 31 January 2026, 09:00:00 UTC";
    const second = "Refunded NGN 5.10 31 January 2026, 10:00:00 UTC";
    const receipt = `${first} ${second} Net paid NGN 39,226.15 Back to the shop`;
    const text = await expectPage(page.get(), 200, "Refund the rest", "Payment partly refunded", receipt);
    expect(panelOf(text)).toContain("PARTLY REFUNDED: NGN 5.10 returned by hand; it was COMPLETED before.");
  });

  it("the sandbox panel refuses an unknown or impossible result", async () => {
    const page = await pageOf();
    for (const outcome of ["process", "scenario", "constructor", ""])
      expect((await page.post("outcome", { outcome })).status).toBe(400);
    await page.post("cancel");
    const late = page.post("outcome", { outcome: "fail" });
    await expectPage(late, 409, "Already cancelled.");
  });
});

describe("a checkout page refuses", () => {
  const actions = ["method", "paid", "cancel", "outcome"];

  it("refuses an unknown checkout", async () => {
    const page = new CheckoutPage(await openSandbox(), { checkout_id: "co_<b>", charge_id: "" });
    const text = await expectPage(page.get(), 404, "Checkout not found");
    expect(text).not.toContain("<b>");
    for (const action of actions) expect((await page.post(action)).status).toBe(404);
    const answer = await page.get("/status");
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([404, "NOT_FOUND"]);
  });

  it.each([
    ["another site's page", { "sec-fetch-site": "cross-site" }],
    ["a page on another port", { "sec-fetch-site": "same-site", origin: "http://sandbox:3000" }],
    ["a foreign origin", { origin: "https://evil.test" }],
    ["an opaque origin", { origin: "null" }],
  ])("refuses a form of %s", async (_name, headers) => {
    const page = await pageOf();
    for (const action of actions) expect((await page.post(action, BANK, headers)).status).toBe(403);
    expect(page.charge.status).toBe("PENDING");
  });

  it.each([
    ["says so", { "sec-fetch-site": "same-origin", origin: "http://sandbox" }],
    ["has the page's origin", { origin: "http://sandbox" }],
    ["has the public address's origin", { origin: "https://pay.test" }],
    ["says nothing", {}],
  ])("accepts its own form whose origin %s", async (_name, headers) => {
    const page = await pageOf(SHOP, { publicUrl: "https://pay.test/under/a/path" });
    expect((await page.post("cancel", {}, headers)).status).toBe(303);
  });

  it("refuses a form that is too large", async () => {
    const page = await pageOf();
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const fields = "payment_method=card&pad=";
    const exact = fields + "x".repeat(64 * 1024 - fields.length);
    expect((await page.send("method", `${exact}x`, form)).status).toBe(413);
    expect((await page.send("cancel", "x".repeat(2_000_000), form)).status).toBe(413);
    expect((await page.send("method", exact, form)).status).toBe(303);
  });

  it("refuses a body other than a form", async () => {
    const page = await pageOf();
    await expectPage(page.send("cancel", '{"a":1}', { "content-type": "application/json" }), 400);
    expect(page.charge.status).toBe("PENDING");
    expect((await page.send("cancel", "", {})).status).toBe(303);
  });

  it("redirects a GET of an action to the page", async () => {
    const page = await pageOf();
    for (const action of [...actions, ""])
      await expectRedirect(page.get(`/${action}`), `http://sandbox${page.path}`);
  });
});

describe("the checkout page", () => {
  const NASTY = `<script>alert("1")</script> & 'Söhne' 😀 متجر \u202e`;
  const ESCAPED = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Söhne&#39; 😀 متجر \u202e";

  it("escapes values", async () => {
    const named = (id: object) => [{ ...id, display_name: NASTY, description: NASTY }];
    const fixtures = JSON.stringify({
      organizations: [{ organization_id: "org_sandbox", name: NASTY }],
      methods: named({ id: "bank_transfer" }),
      currencies: [{ code: "NGN", name: NASTY }],
      rails: [{ id: "bank_ngn", institution: NASTY }],
    });
    const sandbox = await openSandbox({ fixtures: temporaryFile("fixtures.json", fixtures) });
    const wish = { customer_name: NASTY, cancel_url: `https://shop.test/?a="><script>'` };
    const choosing = await CheckoutPage.create(sandbox, wish);
    const paying = await CheckoutPage.create(sandbox, wish);
    await paying.post("method", BANK);
    const failed = await CheckoutPage.create(sandbox, wish);
    sandbox.transition(failed.checkout.charge_id, "FAILED", NASTY);
    const texts = [
      (await choosing.get()).text,
      (await choosing.post("method", { payment_method: "mobile_money", phone_number: NASTY })).text,
      (await paying.get()).text,
      (await paying.get("?waiting=1")).text,
      (await failed.get()).text,
    ];
    for (const text of texts) {
      expect(text).toContain(`<bdi>${ESCAPED}</bdi>`);
      expect(text.match(/<script/g)).toHaveLength(1);
      expect(text).not.toContain('alert("1")');
    }
  });

  it("a page is not cached, cannot be framed, and loads nothing", async () => {
    const page = await pageOf();
    for (const { headers } of [await page.get(), await page.post("method")]) {
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("sandbox-now")).toBe(START);
      const policy = headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
    }
  });

  it("allows only forms to itself when there is no return URL", async () => {
    const policyOf = async (wish: object) =>
      (await (await pageOf({ ...wish })).get()).headers.get("content-security-policy");
    expect(await policyOf({})).toContain("form-action 'self'");
    expect(await policyOf(SHOP)).not.toContain("form-action");
  });

  it("links only to itself, the dashboard and the shop", async () => {
    const page = await pageOf();
    const { text } = await page.get();
    for (const [, address] of text.matchAll(/(?:href|src|action)="([^"]*)"/g))
      expect(address).toMatch(/^(#\w+$|data:image\/svg|co_[0-9a-f]+\/\w+$|\.\.\/_sandbox\/dashboard\/)/);
  });
});
