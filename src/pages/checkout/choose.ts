import { money } from "../format.js";
import { html, type Markup } from "../html.js";
import { type Page, unit } from "../model.js";
import { chosenPrice, methodChoices } from "./method-choices.js";
import { cancelForm, dueAmount, live, notice, pageTitle, summary } from "./parts.js";
import { sandboxPanel } from "./sandbox-panel.js";
import type { View } from "./view.js";

/** The customer picks a method and a currency, each with what it comes to. */
export const chooseView: View = (page) => ({
  status: 200,
  document: {
    title: pageTitle(page),
    main: html`<main class="two">
${choiceSummary(page)}
<section class="card" aria-label="Payment method">
${notice(page)}
<form id="method" class="actions" method="post" action="${page.links.action("method")}">
${
  page.offers.length > 0
    ? html`${methodChoices(page)}
<button class="main">Continue</button>`
    : html`<p>This amount is too small for any of the payment methods.</p>`
}
</form>
${cancelForm(page)}
</section>
</main>`,
    panel: sandboxPanel(page),
    live: live(page, ["PENDING"], "page"),
  },
});

/**
 * With a script the total is that of the option chosen below, and follows it. Without one it cannot follow: there it
 * stays the price, and the options say what they come to.
 */
function choiceSummary(page: Page): Markup {
  const chosen = chosenPrice(page);
  if (chosen === undefined) return summary(page, dueAmount(page));
  const paid = unit(page.catalogue, chosen.currency.code);
  return summary(
    page,
    html`<span class="scripted" id="total">${money(chosen.price.amount, paid)}</span><span class="plainly">${dueAmount(page)}</span>`,
    html`<p class="small soft"><span class="scripted">Price ${dueAmount(page)} + <span id="total-fees">${money(chosen.price.fees.total_fee, paid)}</span> fees</span><span class="plainly">plus the fees of the payment method</span></p>`,
  );
}
