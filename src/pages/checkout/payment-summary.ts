import type { ChargeStatus } from "../../core/schema/common.js";
import { hasEnded, isOpen, isPaid } from "../../core/schema/statuses.js";
import { groupDigits, moneyMarkup, moneyText, readableInstant } from "../format.js";
import { type Content, html, type Markup } from "../html.js";
import { remainingTimeText, SOON_MS } from "../time-left.js";
import { type CheckoutPage, displayUnit, isChargedBack, mayHaveSentMoney, sameScreen } from "./page-model.js";

/** Amount to pay. It includes the method's fees once the customer has chosen a method. */
export function amountToPayMarkup(page: CheckoutPage): Markup {
  const { charge } = page;
  return moneyMarkup(charge.amount, displayUnit(page, charge.currency));
}

export function pageTitle(page: CheckoutPage): string {
  const error = page.problem !== undefined || Object.keys(page.errors).length > 0 ? "Error: " : "";
  const { charge, checkout } = page;
  return `${error}Pay ${checkout.merchant} – ${moneyText(charge.amount, displayUnit(page, charge.currency))}`;
}

/** Merchant, total and time left. */
export function paymentSummary(
  page: CheckoutPage,
  total: Content = amountToPayMarkup(page),
  about: Content = feesLine(page),
): Markup {
  const { charge } = page;
  const isUnpaid = isChargedBack(page) || (hasEnded(charge.status) && !isPaid(charge.status));
  const untilMs = Date.parse(charge.expires_at);
  const leftMs = untilMs - page.nowMs;
  return html`<section class="summary${hasEnded(charge.status) && " ended"}" aria-labelledby="title">
<h1 id="title">${isOpen(charge.status) ? "Pay" : "Payment to"} <bdi>${page.checkout.merchant}</bdi></h1>
<p class="total${isUnpaid && " soft"}">${total}</p>
${about}
${
  // The script counts down to data-until at the speed of sandbox time.
  isOpen(charge.status) &&
  html`<p class="left${leftMs < SOON_MS && " soon"}"><span id="left">Time left<span
class="hurry">, expires soon</span></span>
<strong role="timer" aria-labelledby="left"
data-until="${untilMs}">${remainingTimeText(leftMs)}</strong></p>`
}
</section>`;
}

/** Only on a narrow screen, where the breakdown is far below. Keeps the height of the method screen's summary. */
function feesLine(page: CheckoutPage): Markup | false {
  const { charge, checkout } = page;
  const { fees, currency } = charge;
  const { pricing } = checkout;
  if (fees === null || hasEnded(charge.status)) return false;
  const price = moneyMarkup(pricing.amount, displayUnit(page, pricing.base_currency));
  return html`<p class="small soft brief">Price ${price}, fees ${moneyMarkup(
    fees.total_fee,
    displayUnit(page, currency),
  )}</p>`;
}

/** Price, fees, customer and expiry. */
export function priceBreakdown(page: CheckoutPage): Markup | false {
  const { charge, checkout } = page;
  const { fees, settlement_amount, customer_name, customer_email } = charge;
  const { pricing } = checkout;
  const payUnit = displayUnit(page, charge.currency);
  const rows: [string, Content][] = [];
  if (fees !== null && settlement_amount !== null) {
    rows.push(["Price", moneyMarkup(pricing.amount, displayUnit(page, pricing.base_currency))]);
    if (charge.currency !== pricing.base_currency) {
      rows.push([`Price in ${payUnit}`, moneyMarkup(settlement_amount, payUnit)]);
      rows.push(["Exchange rate", rateText(page, charge.currency, charge.exchange_rate)]);
    }
    const { platform_fee, gateway_fee } = fees.fee_breakdown;
    rows.push(
      ["Platform fee", moneyMarkup(platform_fee, payUnit)],
      ["Gateway fee", moneyMarkup(gateway_fee, payUnit)],
      ["FAILED", "CANCELLED", "EXPIRED"].includes(charge.status)
        ? [mayHaveSentMoney(page) ? "Total" : "Total, not charged", amountToPayMarkup(page)]
        : ["Total", html`<strong>${amountToPayMarkup(page)}</strong>`],
    );
  }
  if (customer_name !== null) rows.push(["Customer", html`<bdi>${customer_name}</bdi>`]);
  if (customer_email !== null) rows.push(["E-mail", html`<bdi>${customer_email}</bdi>`]);
  if (isOpen(charge.status)) rows.push(["Expires", instant(charge.expires_at)]);
  if (rows.length === 0) return false;
  return html`<dl class="lines">${rows.map(
    ([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

export function instant(at: string): Markup {
  return html`<time datetime="${at}">${readableInstant(at)}</time>`;
}

/** The exchange rate of a currency, or "set by the shop" if the shop gave a price in that currency. */
export function rateText(page: CheckoutPage, currency: string, rate: string | null): string {
  const { base_currency, local_pricing } = page.checkout.pricing;
  if (local_pricing !== undefined && Object.hasOwn(local_pricing, currency)) return "set by the shop";
  const [baseUnit, payUnit] = [displayUnit(page, base_currency), displayUnit(page, currency)];
  const units = Number(rate ?? "1");
  // Inverted below 1, because 0.000645161290323 is unreadable.
  return units < 1
    ? `1 ${payUnit} = ${sixDigits(1 / units)} ${baseUnit}`
    : `1 ${baseUnit} = ${sixDigits(units)} ${payUnit}`;
}

/** Rounds a rate to six significant digits. The page also shows the exact amount. */
function sixDigits(units: number): string {
  const text = units.toPrecision(6);
  if (text.includes("e")) return groupDigits(String(Math.round(units)));
  return groupDigits(text.includes(".") ? text.replace(/\.?0+$/, "") : text);
}

/** Button of any form of the page that cancels the payment instead, once the customer has confirmed it. */
export function cancelButton(page: CheckoutPage): Markup {
  // Browsers without commands open the dialog as a popover.
  return html`<button type="button" class="plain" commandfor="cancel" command="show-modal"
popovertarget="cancel">Cancel</button>
<dialog popover closedby="any" id="cancel" aria-labelledby="sure"><p><strong
id="sure">Cancel the payment?</strong> ${
    mayHaveSentMoney(page)
      ? "If you have sent the money, do not cancel."
      : "To pay later, order again in the shop."
  }</p>
<button type="button" class="main" commandfor="cancel" command="close"
popovertarget="cancel">Keep paying</button><button class="plain"
formaction="${page.links.action("cancel")}">Cancel payment</button></dialog>`;
}

/**
 * Body attributes that configure the script's polling. The script polls until the charge's status is not in `stay`, or
 * money is returned. It then loads the checkout page, which redirects to the shop if the charge has ended meanwhile.
 */
export function pollingAttributes(page: CheckoutPage, stay: readonly ChargeStatus[]): Markup {
  const { links, speed, nowMs, checkout } = page;
  const clock = html` data-speed="${speed}" data-now="${nowMs}" data-returns="${checkout.returns.length}"`;
  const urls = html` data-page="${links.page}${sameScreen(page)}" data-status-url="${links.status}"`;
  return html`${urls} data-stay="${stay.join(" ")}"${clock}`;
}
