import type { OutcomePage } from "../../core/schema/statuses.js";
import { sentence } from "../format.js";
import { html, Markup } from "../html.js";
import type { Page } from "../model.js";
import { breakdown, dueAmount, notice } from "./parts.js";
import { sandboxPanel } from "./sandbox-panel.js";
import type { View } from "./view.js";

/** The outcome of an ended charge, and the way back to the shop. */
export function outcomeView(page: Page, words: OutcomePage): ReturnType<View> {
  const { charge, shop } = page;
  const asked = charge.status === "FAILED" ? charge.failure_reason : null;
  return {
    status: words.httpStatus,
    document: {
      title: `${words.title} – ${page.merchant}`,
      main: html`<main>
<section class="card alone outcome" aria-labelledby="title">
${notice(page)}
<span class="mark ${words.mark}">${icon(words.mark)}</span>
<h1 id="title">${words.title}</h1>
<p class="total">${dueAmount(page)}</p>
<p>to <bdi>${page.merchant}</bdi></p>
${asked !== null && html`<p>Reason: <bdi>${sentence(asked)}</bdi></p>`}
<p class="soft">${words.text}</p>
${breakdown(page)}
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
