import { html } from "../html.js";
import { methodChoices } from "./method-choices.js";
import { cancelForm, live, notice, pageTitle, summary } from "./parts.js";
import { sandboxPanel } from "./sandbox-panel.js";
import type { View } from "./view.js";

/** The customer picks a method and a currency, each with what it comes to. */
export const chooseView: View = (page) => ({
  status: 200,
  document: {
    title: pageTitle(page),
    main: html`<main class="two">
${summary(page)}
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
