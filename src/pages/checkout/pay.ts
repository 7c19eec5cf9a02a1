import { writtenInstructions } from "../../core/domain/charge.js";
import { grouped, sentence } from "../format.js";
import { type Content, html, type Markup } from "../html.js";
import type { Page } from "../model.js";
import { cancelForm, copyButton, dueAmount, live, notice, pageTitle, summary } from "./parts.js";
import { sandboxPanel } from "./sandbox-panel.js";
import type { View } from "./view.js";

/** The customer is told how to pay, and says when it is done. */
export const payView: View = (page) => ({
  status: 200,
  document: {
    title: pageTitle(page),
    main: html`<main class="two">
${summary(page)}
<section class="card" aria-labelledby="how">
${notice(page)}
${instructions(page)}
<div class="actions row">
<form method="post" action="${page.links.action("paid")}"><button class="main">${isCard(page) ? html`Pay ${dueAmount(page)}` : "I have paid"}</button></form>
${cancelForm(page)}
</div>
</section>
</main>`,
    panel: sandboxPanel(page),
    live: live(page, ["PENDING", "AWAITING_PAYMENT"], "page"),
  },
});

function isCard({ charge, catalogue }: Page): boolean {
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
/** These have a place of their own on the page. */
const SHOWN_APART = ["type", "reference", "instructions", "amount", "currency"];

function instructions(page: Page): Markup {
  const { charge, catalogue } = page;
  const method = catalogue.method(charge.payment_method ?? "");
  const given = writtenInstructions(charge.payment_instructions) ?? { type: "" };
  const details = Object.entries(given).filter(([name]) => !SHOWN_APART.includes(name));
  return html`<h2 id="how"><bdi>${method?.display_name ?? charge.payment_method}</bdi></h2>
<dl class="facts">
${fact("Amount to pay", dueAmount(page), "due", charge.amount)}
${details.map(([name, value]) => fact(LABELS[name] ?? sentence(name), value, `fact-${name}`, value))}
</dl>
${isCard(page) ? cardForm : referenceBox(page)}
${given.instructions !== undefined && html`<p dir="auto">${given.instructions.replace(charge.amount, grouped(charge.amount))}</p>`}`;
}

/** Where the real page takes the card. Nobody is to type one in here, so it is filled in and cannot be changed. */
const cardForm = html`<fieldset class="cardform" disabled>
<legend>Your card <span class="soft small">(example: nothing to fill in)</span></legend>
<div class="field"><label for="card-number">Card number</label><input id="card-number" value="4242 4242 4242 4242"></div>
<div class="field"><label for="card-expiry">Expiry date</label><input id="card-expiry" value="12 / 34"></div>
<div class="field"><label for="card-code">Security code</label><input id="card-code" value="123"></div>
</fieldset>`;

function fact(label: string, value: Content, id: string, copied: string): Markup {
  return html`<div><dt>${label}</dt><dd><bdi id="${id}">${value}</bdi></dd><dd class="tool">${copyButton(label.toLowerCase(), copied, id)}</dd></div>`;
}

/** Without the reference a payment may be delayed or lost (specification: Whitelabel checkout result). */
function referenceBox({ charge }: Page): Markup {
  const reference = charge.provider_reference;
  return html`<div class="reference">
<p>Quote this reference, or your payment may be delayed or lost:</p>
<strong id="reference">${reference}</strong>${copyButton("reference", reference, "reference")}
</div>`;
}
