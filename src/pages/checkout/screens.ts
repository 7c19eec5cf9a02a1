import { NO_REAL_MONEY } from "../../core/domain/method-kinds.js";
import { subtract } from "../../core/domain/money.js";
import { CHARGE_STATUSES } from "../../core/schema/common.js";
import type { OutcomePage } from "../../core/schema/statuses.js";
import { isOpen, isPaid, isRefunded } from "../../core/schema/statuses.js";
import { moneyMarkup, sentenceCase } from "../format.js";
import { type Content, html, Markup } from "../html.js";
import { copyButton } from "../page-shell.js";
import { methodRadioButtons, selectedPrice } from "./method-form.js";
import type { PageDocument } from "./page-document.js";
import {
  type CheckoutPage,
  currencyName,
  currencyOf,
  displayUnit,
  isChargedBack,
  mayHaveSentMoney,
  methodOf,
  RETURNS,
} from "./page-model.js";
import {
  amountToPayMarkup,
  cancelButton,
  instant,
  pageTitle,
  paymentSummary,
  pollingAttributes,
  priceBreakdown,
} from "./payment-summary.js";
import { sandboxPanel } from "./sandbox-panel.js";

interface Screen extends Partial<Pick<PageDocument, "title" | "status" | "polling" | "refresh">> {
  readonly summary?: Markup;
  /** ARIA attribute that names the card. */
  readonly label: Markup;
  readonly card: Content;
}

/** The frame of all screens: the payment's summary, a card with its state or next step, and the price in detail. */
function frameScreen(
  page: CheckoutPage,
  {
    title = pageTitle(page),
    status = 200,
    summary = paymentSummary(page),
    label,
    card,
    ...reloading
  }: Screen,
): PageDocument {
  const { problem, isPanelProblem } = page;
  const main = html`<main class="two">
${summary}
<section class="card" ${label}>
${
  problem !== undefined &&
  !isPanelProblem &&
  html`<p class="notice" role="alert" tabindex="-1"
autofocus>${problem}</p>`
}
${card}
</section>
${priceBreakdown(page)}
</main>`;
  return { title, status, main, panel: sandboxPanel(page), ...reloading };
}

/** The customer picks a method and a currency. */
export function methodScreen(page: CheckoutPage): PageDocument {
  const hasOffers = page.offers.length > 0;
  return frameScreen(page, {
    summary: choiceSummary(page),
    label: html`aria-label="Payment method"`,
    card: html`<form id="method" method="post" action="${page.links.action("method")}">
${hasOffers ? methodRadioButtons(page) : html`<p>This amount is too small for any of the payment methods.</p>`}
${page.offers.length > 1 && html`<p class="small soft change">After Continue, the method is fixed.</p>`}
<div class="actions">${hasOffers && html`<button class="main">Continue</button>`}${cancelButton(page)}</div>
</form>`,
    polling: pollingAttributes(page, ["PENDING"]),
  });
}

/** With script, the total follows the selected option; without script, the total stays the price before fees. */
function choiceSummary(page: CheckoutPage): Markup {
  const selected = selectedPrice(page);
  if (selected === undefined || page.charge.settlement_amount !== null) return paymentSummary(page);
  const payUnit = displayUnit(page, selected.currency.code);
  return paymentSummary(
    page,
    html`<span class="scripted" id="total">${moneyMarkup(selected.price.amount, payUnit)}</span><span
class="plainly">${amountToPayMarkup(page)}</span>`,
    html`<p class="small soft"><span class="scripted">Price ${amountToPayMarkup(page)}, fees <span
id="total-fees">${moneyMarkup(selected.price.fees.total_fee, payUnit)}</span></span><span
class="plainly">plus the fees of the payment method</span></p>`,
  );
}

/** Payment instructions, with a button to confirm the payment. */
export function instructionsScreen(page: CheckoutPage): PageDocument {
  const { charge, checkout, links } = page;
  const method = methodOf(checkout, charge.payment_method);
  const isCard = method?.kind === "card";
  const currency = isWallet(page) ? currencyOf(checkout, charge.currency) : undefined;
  const name = currency === undefined ? method?.display_name : currencyName(currency);
  return frameScreen(page, {
    label: html`aria-labelledby="state"`,
    card: html`<h2 id="state" tabindex="-1"><bdi>${name ?? charge.payment_method}</bdi></h2>
${!isCard && transferDetails(page)}
<p class="small soft">${NO_REAL_MONEY}${
      checkout.offered_methods.length > 1 && " To pay with another method, cancel and order again."
    }</p>
<div class="actions"><form method="post" action="${links.action("paid")}"><button
class="main">${
      isCard ? html`Pay ${amountToPayMarkup(page)}` : "I have paid"
    }</button>${cancelButton(page)}</form></div>`,
    polling: pollingAttributes(page, CHARGE_STATUSES.filter(isOpen)),
  });
}

function isWallet({ charge }: CheckoutPage): boolean {
  return charge.payment_instructions?.type === "crypto";
}

/** Labels of the fields of the instructions whose names do not say enough. */
const LABELS: Record<string, string> = { bank_name: "Bank", provider: "Operator", phone_number: "Pay to" };
/** Fields of the instructions that the page shows elsewhere. */
const SHOWN_ELSEWHERE = ["type", "reference", "instructions", "amount", "currency"];

/** Where to send the money, and the reference that the customer quotes (specification: Whitelabel checkout result). */
function transferDetails(page: CheckoutPage): Markup {
  const { amount, payment_instructions, provider_reference: reference } = page.charge;
  const { phone_number } = page.checkout;
  const details = Object.entries(payment_instructions ?? {}).filter(
    ([name]) => !SHOWN_ELSEWHERE.includes(name),
  );
  return html`<dl class="facts">
${fact("Amount to pay", amountToPayMarkup(page), amount)}
${details.map(([name, value]) => fact(LABELS[name] ?? sentenceCase(name), value, value))}
${phone_number !== null && fact("Pay from", phone_number)}
</dl>
<div class="reference">
<p>${
    isWallet(page)
      ? "If you have a question, give the shop this reference:"
      : "Quote this reference, or your payment may be delayed or lost:"
  }</p>
<strong id="reference">${reference}</strong>${copyButton("reference")}
</div>`;
}

/** @param copied the text that a button copies; by default, there is no button */
function fact(label: string, value: Content, copied?: string): Markup {
  return html`<div><dt>${label}</dt><dd><bdi>${value}</bdi></dd>${
    copied !== undefined && html`<dd class="tool">${copyButton(label.toLowerCase(), copied)}</dd>`
  }</div>`;
}

/** Shown between the customer's confirmation and the end of the charge. Polls the status. */
export function waitingScreen(page: CheckoutPage): PageDocument {
  const { charge, checkout, links } = page;
  const isCard = methodOf(checkout, charge.payment_method)?.kind === "card";
  const [title, text] = !isOpen(charge.status)
    ? [
        "Your payment is being processed",
        "It has arrived and is being confirmed. This page continues by itself.",
      ]
    : isCard
      ? ["Confirming your card payment", "This page continues by itself. You can leave it open."]
      : ["Waiting for your payment", "This page continues as soon as it arrives. You can leave it open."];
  return frameScreen(page, {
    title: `${isOpen(charge.status) ? "Waiting" : "Processing"}… – ${checkout.merchant}`,
    label: html`aria-labelledby="state"`,
    card: html`${stateHeading(
      html`<span class="spinner"></span>`,
      html`<h2 id="state"
tabindex="-1">${title}</h2>`,
      text,
    )}
<dl class="facts receipt">${fact("Reference", html`<code>${charge.provider_reference}</code>`)}</dl>
<noscript><p><a href="${links.waiting}">Refresh</a></p></noscript>
${
  isOpen(charge.status) &&
  html`<div class="actions"><form method="post">${
    !isCard &&
    html`<a class="button plain"
href="${links.page}">Show how to pay</a>`
  }${cancelButton(page)}</form></div>`
}`,
    polling: pollingAttributes(page, [charge.status]),
    refresh: links.waiting,
  });
}

/** The outcome as its text differs by what happened before or since; the status of the charge stays. */
function outcomeOf(page: CheckoutPage, ended: OutcomePage): OutcomePage {
  const { charge } = page;
  const { returns } = page.checkout;
  if (isChargedBack(page))
    return {
      ...ended,
      mark: "",
      title: "Payment charged back",
      text: "The amount has been paid back to you.",
    };
  if (isPaid(charge.status) && returns.length > 0)
    return {
      ...ended,
      title: "Payment partly refunded",
      text: "Part of the amount has been paid back to you.",
    };
  const unpaid = "You have not been charged.";
  const sent = "If you have sent money, contact the shop with this reference.";
  const reason = charge.status === "FAILED" && charge.failure_reason;
  const title = reason ? `${ended.title}: ${reason.replaceAll("_", " ")}` : ended.title;
  const text = charge.status === "EXPIRED" ? `The time to pay has run out. ${unpaid}` : ended.text;
  return { ...ended, title, text: mayHaveSentMoney(page) ? ended.text.replace(unpaid, sent) : text };
}

/** The outcome of an ended charge with its receipt, and a link back to the shop. */
export function outcomeScreen(page: CheckoutPage, ended: OutcomePage): PageDocument {
  const outcome = outcomeOf(page, ended);
  const { charge, checkout, shop } = page;
  const { merchant, returns } = checkout;
  const method = methodOf(checkout, charge.payment_method);
  const { provider_reference, status_history } = charge;
  const reached = status_history.findLast(({ status }) => !isRefunded(status))!;
  const unit = displayUnit(page, charge.currency);
  const netPaid = returns.reduce((net, { amount }) => subtract(net, amount), charge.amount);
  return frameScreen(page, {
    status: outcome.httpStatus,
    title: `${outcome.title} – ${merchant}`,
    label: html`aria-labelledby="state"`,
    card: html`${stateHeading(
      icon(outcome.mark),
      html`<h2 id="state"
tabindex="-1">${outcome.title}</h2>`,
      outcome.text,
    )}
<dl class="facts receipt">
${fact("Reference", html`<code>${provider_reference}</code>`)}
${method !== undefined && fact("Method", method.display_name)}
${fact(`${sentenceCase(reached.status.toLowerCase())} at`, instant(reached.at))}
${returns.map(({ kind, amount, at }) =>
  fact(
    RETURNS[kind],
    html`${moneyMarkup(amount, unit)}<br><span
class="small soft">${instant(at)}</span>`,
  ),
)}
${isPaid(charge.status) && returns.length > 0 && fact("Net paid", moneyMarkup(netPaid, unit))}
</dl>
${
  shop === undefined
    ? html`<p class="soft">You can close this page.</p>`
    : html`<div class="actions"><a class="button main" href="${shop}">Back to the shop</a></div>`
}`,
    polling: pollingAttributes(page, [charge.status]),
  });
}

function stateHeading(mark: Markup, heading: Markup, text: string): Markup {
  return html`<div class="state">${mark}${heading}<p class="soft">${text}</p></div>`;
}

const STROKES = {
  good: "M5 12.5l5 5L19 7",
  bad: "M12 6v7M12 17.5v.5",
  "": "M7 12h10",
} as const;

function icon(mark: OutcomePage["mark"]): Markup {
  const svg = new Markup(`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${STROKES[mark]}"/></svg>`);
  return html`<span class="mark ${mark}">${svg}</span>`;
}

/** An error page: unknown checkout or refused request. */
export function errorDocument(status: number, title: string, text: string): PageDocument {
  return {
    status,
    title,
    main: html`<main>
<section class="card alone" aria-labelledby="state">
${stateHeading(icon("bad"), html`<h1 id="state">${title}</h1>`, text)}
</section>
</main>`,
  };
}
