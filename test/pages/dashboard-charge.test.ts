import { describe, expect, it } from "vitest";
import { historyRows } from "../../src/core/reports/charge-history-text.js";
import type { ChargeHistory } from "../../src/core/reports/namespace-export.js";
import { CHARGE_STATUSES } from "../../src/core/schema/common.js";
import { CHARGE_STATUS_TABLE } from "../../src/core/schema/statuses.js";
import { openApi } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { refuseWith } from "../support/receiver-server.js";
import { CheckoutPage, createCheckout } from "./support/checkouts.js";
import { lacking, openDashboard, textOf, withReceiver } from "./support/dashboard.js";

describe("the page of a charge", () => {
  it("the page of a charge offers its possible statuses", async () => {
    const { charge, press, page } = await openDashboard();
    const [one, other] = [await charge("ada@example.com"), await charge("bob@example.com")];
    const text = textOf(await page(`/charges/${one}`));
    expect(text).toMatch(/Complete .* Fail .* Process .* Cancel .* Expire /);
    expect(textOf(await page(`/charges/${other}`))).toContain("PENDING");
    const moved = await press(`transitionCharge?charge_id=${other}`, { to: "FAILED", reason: "card_stolen" });
    expect(textOf(moved.text)).toContain(`${other} is FAILED: card_stolen`);
    expect(textOf(await page(`/charges/${other}`))).toContain("This status is final.");
    expect((await press(`transitionCharge?charge_id=${one}`, { to: "NOWHERE" })).status).toBe(409);
  });

  it("the Make again button creates the charge with the form's price and scenario", async () => {
    const { charge, press, page } = await openDashboard();
    const id = await charge("ada@example.com", { metadata: { order_id: "A-1042" } });
    expect(await page(`/charges/${id}`)).toMatch(
      /Price in USD \(fees come on top\)<\/span>\s*<input [^>]*name="amount" value="5\.00"/,
    );
    const { text } = await press(`again?charge_id=${id}`, { amount: "19.99", scenario: "declined" });
    expect(textOf(text)).toMatch(
      /USD 20\.67 · ada@example\.com · A-1042 · card ● PENDING .* declined will bring it to FAILED\. .* ● PENDING by dashboard /,
    );
    const moved = await press(`transitionCharge?charge_id=${id}&to=FAILED`);
    expect(textOf(moved.text)).toContain("A-1042 is FAILED");
  });

  it("the page of a charge shows its failure reason, history and postings", async () => {
    const { charge, page, sandbox } = await withReceiver(refuseWith(500));
    const failed = await charge("declined@example.com", { metadata: { order_id: "A-1042" } });
    const paid = await charge("ada@example.com");
    await sandbox.advance("10s");
    const text = await page(`/charges/${failed}`);
    const why = [", customer_email matches declined@*: FAILED", "createWhitelabel", "charge.failed"];
    expect(lacking(text, [...why, "Retry", "A-1042", "setupSandbox"])).toEqual([]);
    const timeline = async (id: string) =>
      textOf(`<main${(await page(`/charges/${id}`)).split('id="timeline"')[1]}`);
    expect(await timeline(failed)).toMatch(
      /\+0 s ✓ 200 createWhitelabel \+0 s ● PENDING by your app \+1 s .* \+3 s ✗ FAILED declined scenario default \+3 s ✗ failing charge\.failed → :\d+\/hooks 500 answer · next try in .* · 2 attempts Retry charge\.failed /,
    );
    expect(await timeline(paid)).toMatch(/payment USD \+5\.00 pending \+0\.17 fees /);
    const pending = await charge("bob@example.com");
    expect(await timeline(pending)).toMatch(
      /AWAITING_PAYMENT in 1 s Run to here AWAITING_PAYMENT PROCESSING in 3 s Run .* COMPLETED in 5 s Run .* EXPIRED if unpaid in 1 h Run .* Time /,
    );
    expect(await timeline(failed)).toContain("No change of its status is planned.");
    expect(await page("/charges?q=a-1042")).toContain(failed);
    expect(await page("/charges?q=a-1042")).not.toContain(paid);
    expect(textOf(await page())).toMatch(/✗ 5 failing 5 webhooks not accepted by \S+ 500 answer /);
  });

  it("a charge paid after its expiry says so in its header, its cause and the list", async () => {
    const { charge, page, press } = await withReceiver();
    const id = await charge("ada@example.com");
    for (const to of ["EXPIRED", "COMPLETED"]) await press(`transitionCharge?charge_id=${id}&to=${to}`);
    expect(textOf(await page(`/charges/${id}`))).toMatch(
      /✓ COMPLETED paid late \(was EXPIRED\) Why: Paid late, after it had expired\. By hand on the dashboard; /,
    );
    const rows =
      /Timeline .* ✓ 200 createWhitelabel \+0 s ● PENDING by your app \+0 s ⚠ EXPIRED by hand \+0 s \S+ \S+ charge\.expired .* \+0 s ✓ COMPLETED by hand \+0 s ± payment .* charge\.completed /;
    expect(textOf(await page(`/charges/${id}`))).toMatch(rows);
    expect(textOf(await page("/charges"))).toMatch(
      /COMPLETED 5\.17 USD ada@example\.com paid late \(was EXPIRED\)/,
    );
  });

  it("a charge refunded in two parts at one instant shows both parts", async () => {
    const { charge, page, sandbox } = await openDashboard();
    const id = await charge("ada@example.com");
    await sandbox.advance("1d");
    for (const amount of ["1.00", "2.00"])
      await sandbox.control(`POST /_sandbox/charges/${id}/partial-refund`, { amount, reason: "broken" });
    expect(await page("/charges")).toContain("USD 3.00 of 5.17: ");
    expect(await page(`/charges/${id}`)).toContain("Amount or percentage, less than USD 2.17</span>");
    expect(textOf(await page(`/charges/${id}`))).toMatch(
      /PARTLY REFUNDED USD 3\.00 of 5\.17: USD 1\.00: broken; USD 2\.00: broken \(was COMPLETED\) .* PARTLY REFUNDED broken by hand \+\S+ d ± partial refund USD −0\.97 .* PARTLY REFUNDED broken by hand \+\S+ d ± partial refund USD −1\.9\d /,
    );
  });

  it("a charge that was charged back offers no refund", async () => {
    const { charge, page, sandbox } = await openDashboard();
    const id = await charge("ada@example.com");
    await sandbox.advance("1d");
    const offers = async () => {
      const own = await page(`/charges/${id}`);
      return ["refundPart?", "chargeBack?", "&amp;to=REFUNDED"].map((action) => own.includes(action));
    };
    expect(await offers()).toEqual([true, true, true]);
    const completed = await page(`/charges/${id}`);
    expect(completed).not.toContain("Change the status");
    expect(textOf(completed)).toMatch(/charge\.completed no receiver /);
    expect(completed).not.toContain("This status is final.");
    await sandbox.control(`POST /_sandbox/charges/${id}/chargeback`);
    expect(await offers()).toEqual([false, false, false]);
    expect(await page(`/charges/${id}`)).toContain("This status is final.");
  });
});

describe("the page of a payout", () => {
  it("the page of a payout shows its cause and history", async () => {
    const { page, press, sandbox } = await withReceiver();
    await press("fundBalance?mode=test", { currency: "KES", amount: "5000.00" });
    const client = Client.of(sandbox);
    const { withdrawal_id: id } = await client.withdraw({ currency: "KES", amount: "519.99" });
    const text = async () => textOf(await page(`/money/${id}`));
    expect(await text()).toMatch(
      /KES 519\.99 · withdrawal · mobile money …0001 ● PENDING Why: It was just created; .* Next: It becomes \w+ in .* Process wd_/,
    );
    for (const to of ["PROCESSING", "COMPLETED"])
      await press(`transitionWithdrawal?withdrawal_id=${id}&to=${to}`);
    expect(await text()).toMatch(/Why: By hand on the dashboard; it was PROCESSING\./);
    await press(`bounceWithdrawal?withdrawal_id=${id}`, { reason: "account_closed" });
    expect(await text()).toMatch(
      /✗ BOUNCED account_closed \(was COMPLETED\) Why: KES 519\.99 returned by hand .* ✓ 200 createWithdrawal \+0 s ● PENDING .* withdrawal KES −519\.99 available \+519\.99 in transit .* ✓ COMPLETED by hand \+0 s ± withdrawal completed KES .* ⚠ held withdrawal\.completed → :\d+\/hooks waits for the delivery before it \+0 s ✗ BOUNCED account_closed by hand \+0 s ± bounce KES \+519\.99 available /,
    );
    expect(await text()).toMatch(/ Destination mobile money …0001 · dst_\w+ Fee/);
    for (const path of ["", "/money"]) {
      const list = await page(path);
      expect([path, list.includes(`/money/${id}"`), list.includes("BOUNCED")]).toEqual([path, true, true]);
    }
  });

  it("the page of a failed payout names the scenario rule", async () => {
    const { page, put, press, sandbox } = await openDashboard();
    await press("fundBalance?mode=test", { currency: "KES", amount: "5000.00" });
    const timeline = [
      { after: "1s", to: "PROCESSING" },
      { after: "1s", to: "FAILED", reason: "closed" },
    ];
    await put("closed", JSON.stringify({ withdrawals: [{ match: { currency: "KES" }, timeline }] }));
    await press("activateScenario?name=closed");
    const { withdrawal_id: id } = await Client.of(sandbox).withdraw({ currency: "KES", amount: "519.99" });
    await sandbox.advance("5s");
    expect(textOf(await page(`/money/${id}`))).toContain(
      "Scenario closed , currency matches KES: FAILED (“closed”).",
    );
  });
});

/** Opens a sandbox and reads the sentence after "Why". */
async function openWithWhy() {
  const opened = await openDashboard();
  const why = async (id: string) =>
    /Why: (.*?\.) (?:Next:|Refund|Complete|More moves|This status is final)/.exec(
      textOf(await opened.page(`/charges/${id}`)),
    )?.[1];
  const checkout = async () => {
    const made = await createCheckout(opened.sandbox);
    return new CheckoutPage(opened.sandbox, made);
  };
  return { ...opened, why, checkout };
}

const CARD = { payment_method: "card", currency: "USD" };

describe("the cause of a charge's status", () => {
  it("names the scenario only if the app selected it", async () => {
    const { charge, sandbox, why } = await openWithWhy();
    const plain = await charge("ada@example.com");
    const named = await charge("ada@example.com", { metadata: { sandbox_scenario: "declined" } });
    const other = await charge("ada@example.com", {
      metadata: { sandbox_scenario: "webhook_twice_at_once" },
    });
    const stuck = await charge("ada@example.com", { metadata: { sandbox_scenario: "stuck" } });
    await sandbox.advance("10s");
    expect(await why(plain)).toMatch(/^Scenario default , the normal course: COMPLETED\.$/);
    expect(await why(named)).toMatch(
      /^Scenario declined , every charge: FAILED .*; the app asked for this scenario by name\.$/,
    );
    expect(await why(stuck)).toMatch(/by name\. Nothing more is planned\.$/);
    expect(await why(other)).toMatch(
      /^Scenario default .*; the app asked for webhook_twice_at_once, which plans no status of it\.$/,
    );
  });

  it("says that a hosted checkout waits for a payment method", async () => {
    const { checkout, why } = await openWithWhy();
    const page = await checkout();
    expect(await why(page.charge.charge_id)).toBe(
      "It was just created; a scenario plans what follows once a payment method is chosen.",
    );
    await page.post("method", CARD);
    expect(await why(page.charge.charge_id)).toBe(
      "A payment method was chosen; scenario default will bring it to COMPLETED.",
    );
  });

  it("names the dashboard or the control API as the origin of a change", async () => {
    const { charge, checkout, press, sandbox, why } = await openWithWhy();
    const page = await checkout();
    await page.post("outcome", { outcome: "complete", ...CARD });
    expect(await why(page.charge.charge_id)).toBe(
      "By hand in the checkout&#39;s sandbox bar; it was AWAITING_PAYMENT.",
    );
    const id = await charge("ada@example.com");
    await sandbox.advance("1s");
    await press(`transitionCharge?charge_id=${id}&to=COMPLETED`);
    expect(await why(id)).toBe("By hand on the dashboard; it was AWAITING_PAYMENT.");
    await sandbox.control(`POST /_sandbox/charges/${id}/transition`, { to: "REFUNDED", reason: "unwanted" });
    expect(await why(id)).toBe("By hand over the control API (“unwanted”); it was COMPLETED.");
  });
});

describe("the history of a hosted charge", () => {
  it("the history of a hosted charge explains tasks without effect", async () => {
    const { checkout, page, sandbox } = await openWithWhy();
    const hosted = await checkout();
    await hosted.post("method", CARD);
    await sandbox.advance("10s");
    const id = hosted.charge.charge_id;
    const note =
      "scenario default planned AWAITING_PAYMENT for now: reached when a payment method was chosen";
    const history = await sandbox.control<ChargeHistory>(`GET /_sandbox/charges/${id}/timeline`);
    expect(
      historyRows(history)
        .filter(({ item }) => item.kind === "note")
        .map(({ text }) => text),
    ).toEqual([note]);
    const text = textOf(await page(`/charges/${id}`));
    expect(text).toContain(note);
    expect(text).toContain("AWAITING_PAYMENT payment method chosen");
  });
});

/** Returns the statuses from PENDING to the given one. */
function pathTo(status: (typeof CHARGE_STATUSES)[number]): (typeof CHARGE_STATUSES)[number][] {
  const from = CHARGE_STATUS_TABLE[status].sample?.from;
  return from === undefined ? [] : [...pathTo(from), status];
}

describe.each(CHARGE_STATUSES)("a charge with status %s", (status) => {
  it("a charge with status %s renders on every page", async () => {
    const api = await openApi({ clock: "manual", scenario: ["stuck"] });
    const { checkout_id, charge_id } = await api.pay();
    for (const to of pathTo(status))
      await api.send("POST", `/_sandbox/charges/${charge_id}/transition`, JSON.stringify({ to }));
    const home = "/_sandbox/dashboard/default";
    for (const path of [
      `/checkout/${checkout_id}`,
      home,
      `${home}/charges`,
      `${home}/charges?status=${status}`,
      `${home}/charges/${charge_id}`,
      `${home}/money`,
    ]) {
      const page = await api.get(path);
      expect([path, page.status < 500, page.status === 404]).toEqual([path, true, false]);
    }
    const detail = await api.get(`${home}/charges/${charge_id}`);
    expect(detail.text).toContain(status);
  });
});
