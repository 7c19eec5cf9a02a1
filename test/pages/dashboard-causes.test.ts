import { describe, expect, it } from "vitest";
import { historyRows } from "../../src/core/reports/charge-history-text.js";
import type { ChargeHistory } from "../../src/core/reports/namespace-export.js";
import { CheckoutPage, createCheckout } from "./support/checkouts.js";
import { said, started } from "./support/dashboard.js";

/** A sandbox, and the sentence after "Why" on the page of a charge. */
async function startedWithWhy() {
  const opened = await started();
  const why = async (id: string) =>
    /Why: (.*?\.) (?:This status is final|Process|Refund|Complete)/.exec(
      said(await opened.page(`/charges/${id}`)),
    )?.[1];
  const checkout = async () => {
    const made = await createCheckout(opened.sandbox);
    return new CheckoutPage(opened.sandbox, made);
  };
  return { ...opened, why, checkout };
}

const CARD = { payment_method: "card", currency: "USD" };

describe("the cause of a charge's status", () => {
  it("is the named scenario only if the app named the scenario that planned the status", async () => {
    const { charge, sandbox, why } = await startedWithWhy();
    const plain = await charge("ada@example.com");
    const named = await charge("ada@example.com", { metadata: { sandbox_scenario: "declined" } });
    const other = await charge("ada@example.com", {
      metadata: { sandbox_scenario: "webhook_twice_at_once" },
    });
    await sandbox.advance("10s");
    expect(await why(plain)).toMatch(/^scenario default , .* planned COMPLETED at 09:00:05 \.$/);
    expect(await why(named)).toMatch(/planned FAILED .* ; the app asked for this scenario by name\.$/);
    expect(await why(other)).toMatch(
      /^scenario default .* ; the app asked for webhook_twice_at_once, which plans no status of it\.$/,
    );
  });

  it("waits for the payment method of a hosted checkout", async () => {
    const { checkout, why } = await startedWithWhy();
    const page = await checkout();
    expect(await why(page.charge.charge_id)).toBe(
      "it was just created; a scenario plans what follows once a payment method is chosen.",
    );
    await page.post("method", CARD);
    expect(await why(page.charge.charge_id)).toBe(
      "a payment method was chosen at 09:00:00 ; scenario default plans AWAITING_PAYMENT → PROCESSING → COMPLETED.",
    );
  });

  it("is an action of the checkout's sandbox bar, of the dashboard, or of the control API", async () => {
    const { charge, checkout, press, sandbox, why } = await startedWithWhy();
    const page = await checkout();
    await page.post("outcome", { outcome: "complete", ...CARD });
    expect(await why(page.charge.charge_id)).toBe(
      "changed by hand, in the checkout&#39;s sandbox bar, on the dashboard or over the control API, at 09:00:00 , from AWAITING_PAYMENT.",
    );
    const id = await charge("ada@example.com");
    await sandbox.advance("1s");
    await press(`transitionCharge?charge_id=${id}&to=COMPLETED`);
    expect(await why(id)).toBe(
      "changed by hand, on the dashboard or over the control API, at 09:00:01 (“from the dashboard”), from AWAITING_PAYMENT, to which scenario default had brought it.",
    );
  });
});

describe("the history of a hosted charge", () => {
  it("lists planned tasks that changed nothing, and why", async () => {
    const { checkout, page, sandbox } = await startedWithWhy();
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
    const text = said(await page(`/charges/${id}`));
    expect(text).toContain(note);
    expect(text).toContain("AWAITING_PAYMENT payment method chosen");
  });
});
