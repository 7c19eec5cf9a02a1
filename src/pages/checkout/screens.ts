import { CHARGE_STATUSES } from "../../core/schema/common.js";
import type { OutcomePage } from "../../core/schema/statuses.js";
import { isOpen } from "../../core/schema/statuses.js";
import { groupDigits, moneyMarkup, sentenceCase } from "../format.js";
import { type Content, html, Markup } from "../html.js";
import { methodRadioButtons, selectedPrice } from "./method-choices.js";
import type { PageDocument } from "./page-document.js";
import { type CheckoutPage, displayUnit } from "./page-model.js";
import {
  amountToPayMarkup,
  cancelForm,
  copyButton,
  errorNotice,
  pageTitle,
  paymentSummary,
  pollingAttributes,
  priceBreakdown,
} from "./payment-summary.js";
import { sandboxPanel } from "./sandbox-panel.js";

/** Renders a screen of the checkout. `status` is the HTTP status of the page unless a form is refused. */
export type ScreenRenderer = (page: CheckoutPage) => {
  readonly document: PageDocument;
  readonly status: number;
};

interface PayingScreen extends Pick<PageDocument, "polling" | "refresh"> {
  readonly summary?: Markup;
  /** ARIA attribute that names the card. */
  readonly label: Markup;
  readonly card: Content;
}

/** A screen of an open payment: its summary, a card with the next step, and the price in detail. */
function payingScreen(
  page: CheckoutPage,
  { summary = paymentSummary(page), label, card, ...reloading }: PayingScreen,
): ReturnType<ScreenRenderer> {
  const main = html`<main class="two">
${summary}
<section class="card" ${label}>
${errorNotice(page)}
${card}
</section>
${priceBreakdown(page)}
</main>`;
  return { status: 200, document: { title: pageTitle(page), main, panel: sandboxPanel(page), ...reloading } };
}

/** The customer picks a method and a currency. */
export const methodScreen: ScreenRenderer = (page) =>
  payingScreen(page, {
    summary: choiceSummary(page),
    label: html`aria-label="Payment method"`,
    card: html`<form id="method" class="actions" method="post" action="${page.links.action("method")}">
${
  page.offers.length > 0
    ? html`${methodRadioButtons(page)}
<button class="main">Continue</button>`
    : html`<p>This amount is too small for any of the payment methods.</p>`
}
</form>
${cancelForm(page)}`,
    polling: pollingAttributes(page, ["PENDING"], "page"),
  });

/** With script, the total follows the selected option; without script, the total stays the price before fees. */
function choiceSummary(page: CheckoutPage): Markup {
  const selected = selectedPrice(page);
  if (selected === undefined || page.charge.settlement_amount !== null) return paymentSummary(page);
  const payUnit = displayUnit(page.catalogue, selected.currency.code);
  return paymentSummary(
    page,
    html`<span class="scripted" id="total">${moneyMarkup(selected.price.amount, payUnit)}</span><span class="plainly">${amountToPayMarkup(page)}</span>`,
    html`<p class="small soft"><span class="scripted">Price ${amountToPayMarkup(page)} + <span id="total-fees">${moneyMarkup(selected.price.fees.total_fee, payUnit)}</span> fees</span><span class="plainly">plus the fees of the payment method</span></p>`,
  );
}

/** Payment instructions, with a button to confirm the payment. */
export const instructionsScreen: ScreenRenderer = (page) =>
  payingScreen(page, {
    label: html`aria-labelledby="how"`,
    card: html`${instructions(page)}
<div class="actions row">
<form method="post" action="${page.links.action("paid")}"><button class="main">${isCard(page) ? html`Pay ${amountToPayMarkup(page)}` : "I have paid"}</button></form>
${cancelForm(page)}
</div>`,
    polling: pollingAttributes(page, CHARGE_STATUSES.filter(isOpen), "page"),
  });

function isCard({ charge, catalogue }: CheckoutPage): boolean {
  return catalogue.method(charge.payment_method ?? "")?.kind === "card";
}

const LABELS: Readonly<Record<string, string>> = {
  bank_name: "Bank",
  account_number: "Account number",
  account_name: "Account name",
  provider: "Operator",
  phone_number: "Pay to number",
  network: "Network",
  wallet_address: "Wallet address",
};
/** Fields of the instructions that the page shows elsewhere. */
const SHOWN_ELSEWHERE = ["type", "reference", "instructions", "amount", "currency"];

function instructions(page: CheckoutPage): Markup {
  const { charge, catalogue } = page;
  const method = catalogue.method(charge.payment_method ?? "");
  const fields = charge.payment_instructions ?? { type: "" };
  const details = Object.entries(fields).filter(([name]) => !SHOWN_ELSEWHERE.includes(name));
  return html`<h2 id="how"><bdi>${method?.display_name ?? charge.payment_method}</bdi></h2>
<dl class="facts">
${fact("Amount to pay", amountToPayMarkup(page), "due", charge.amount)}
${details.map(([name, value]) => fact(LABELS[name] ?? sentenceCase(name), value, `fact-${name}`, value))}
</dl>
${isCard(page) ? cardForm : referenceBox(page)}
${fields.instructions !== undefined && html`<p dir="auto">${fields.instructions.replace(charge.amount, groupDigits(charge.amount))}</p>`}`;
}

/** An example card. Disabled, so a real card number cannot be typed into a test page. */
const cardForm = html`<fieldset class="cardform" disabled>
<legend>Your card <span class="soft small">(example: nothing to fill in)</span></legend>
<div class="field"><label for="card-number">Card number</label><input id="card-number" value="4242 4242 4242 4242"></div>
<div class="field"><label for="card-expiry">Expiry date</label><input id="card-expiry" value="12 / 34"></div>
<div class="field"><label for="card-code">Security code</label><input id="card-code" value="123"></div>
</fieldset>`;

function fact(label: string, value: Content, id: string, text: string): Markup {
  return html`<div><dt>${label}</dt><dd><bdi id="${id}">${value}</bdi></dd><dd class="tool">${copyButton(label.toLowerCase(), text, id)}</dd></div>`;
}

/** The reference that the customer quotes (specification: Whitelabel checkout result). */
function referenceBox({ charge }: CheckoutPage): Markup {
  const reference = charge.provider_reference;
  return html`<div class="reference">
<p>Quote this reference, or your payment may be delayed or lost:</p>
<strong id="reference">${reference}</strong>${copyButton("reference", reference, "reference")}
</div>`;
}

/** Shown between the customer's confirmation and the end of the charge. Polls the status. */
export const waitingScreen: ScreenRenderer = (page) => {
  const { charge, links } = page;
  const hasArrived = !isOpen(charge.status);
  return payingScreen(page, {
    label: html`aria-labelledby="wait"`,
    card: html`<div class="waiting">
<div class="spinner"></div>
<h2 id="wait">${hasArrived ? "Your payment is being processed" : "Waiting for your payment"}</h2>
<p class="soft">${hasArrived ? "It has arrived and is being confirmed." : "This page continues as soon as it arrives. You can leave it open."}</p>
<p>Reference <code>${charge.provider_reference}</code></p>
<noscript><p><a href="${links.waiting}">Refresh</a></p></noscript>
</div>
${
  !hasArrived &&
  html`<div class="actions">
<a class="button plain" href="${links.page}">Show how to pay</a>
${cancelForm(page)}
</div>`
}`,
    polling: pollingAttributes(page, [charge.status], "shop"),
    refresh: links.waiting,
  });
};

/** The outcome of an ended charge, with a link back to the shop. */
export function outcomeScreen(page: CheckoutPage, outcome: OutcomePage): ReturnType<ScreenRenderer> {
  const { charge, shop } = page;
  const reason = charge.status === "FAILED" ? charge.failure_reason : null;
  return {
    status: outcome.httpStatus,
    document: {
      title: `${outcome.title} – ${page.merchant}`,
      main: html`<main>
<section class="card alone outcome" aria-labelledby="title">
${errorNotice(page)}
<span class="mark ${outcome.mark}">${icon(outcome.mark)}</span>
<h1 id="title">${outcome.title}</h1>
<p class="total">${amountToPayMarkup(page)}</p>
<p>to <bdi>${page.merchant}</bdi></p>
${reason !== null && html`<p>Reason: <bdi>${sentenceCase(reason)}</bdi></p>`}
<p class="soft">${outcome.text}</p>
${priceBreakdown(page)}
${
  shop === undefined
    ? html`<p class="soft">You can close this page.</p>`
    : html`<a class="button main" href="${shop}">Back to the shop</a>`
}
</section>
</main>`,
      panel: sandboxPanel(page),
    },
  };
}

const STROKES = {
  good: "M5 12.5l5 5L19 7",
  bad: "M12 6v7M12 17.5v.5",
  "": "M7 12h10",
} as const;

function icon(mark: OutcomePage["mark"]): Markup {
  return new Markup(`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${STROKES[mark]}"/></svg>`);
}

/** An error page: unknown checkout or refused request. */
export function errorDocument(title: string, text: string): PageDocument {
  return {
    title,
    main: html`<main>
<section class="card alone outcome" aria-labelledby="title">
<h1 id="title">${title}</h1>
<p class="soft">${text}</p>
</section>
</main>`,
  };
}
