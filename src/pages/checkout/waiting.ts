import { html } from "../html.js";
import { cancelForm, live, notice, pageTitle, summary } from "./parts.js";
import { sandboxPanel } from "./sandbox-panel.js";
import type { View } from "./view.js";

/** The customer has paid, or says so; the page looks again until it is settled one way or the other. */
export const waitingView: View = (page) => {
  const { charge, links } = page;
  const isPaid = charge.status === "PROCESSING";
  return {
    status: 200,
    document: {
      title: pageTitle(page),
      main: html`<main class="two">
${summary(page)}
<section class="card" aria-labelledby="wait">
${notice(page)}
<div class="waiting">
<div class="spinner"></div>
<h2 id="wait">${isPaid ? "Your payment is being processed" : "Waiting for your payment"}</h2>
<p class="soft">${
        isPaid
          ? "It has arrived and is being confirmed."
          : "As soon as it arrives, this page takes you on. You can leave it open."
      }</p>
<p>Reference <code>${charge.provider_reference}</code></p>
<noscript><p><a href="${links.waiting}">Look again</a></p></noscript>
</div>
${
  !isPaid &&
  html`<div class="actions">
<a class="button plain" href="${links.page}">Show how to pay</a>
${cancelForm(page)}
</div>`
}
</section>
</main>`,
      panel: sandboxPanel(page),
      live: live(page, [charge.status], "shop"),
      refresh: links.waiting,
    },
  };
};
