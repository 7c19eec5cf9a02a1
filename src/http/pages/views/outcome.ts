import type { ChargeStatus } from "../../../schema/common.js";
import { sentence } from "../format.js";
import { html, Markup } from "../html.js";
import { breakdown, dueAmount, notice } from "./parts.js";
import { sandboxPanel } from "./sandbox-panel.js";
import type { View } from "./view.js";

interface Words {
  /** A checkout that came to nothing is gone; one that was decided can still be looked at. */
  readonly status: 200 | 410;
  readonly mark: "good" | "bad" | "";
  readonly title: string;
  readonly text: string;
}

const OVER: Readonly<Partial<Record<ChargeStatus, Words>>> = {
  COMPLETED: {
    status: 200,
    mark: "good",
    title: "Payment complete",
    text: "Thank you. The payment has arrived.",
  },
  REFUNDED: {
    status: 200,
    mark: "",
    title: "Payment refunded",
    text: "The whole amount has been paid back.",
  },
  FAILED: {
    status: 200,
    mark: "bad",
    title: "Payment failed",
    text: "You have not been charged. Go back to the shop to try again.",
  },
  CANCELLED: {
    status: 410,
    mark: "",
    title: "Payment cancelled",
    text: "You have not been charged.",
  },
  EXPIRED: {
    status: 410,
    mark: "bad",
    title: "This checkout has expired",
    text: "The time to pay has run out. If you have paid already, the merchant will still be notified.",
  },
};

/** It is over: what came of it, and the way back to the shop. */
export const outcomeView: View = (page) => {
  const { charge, shop } = page;
  const words = OVER[charge.status]!;
  const asked = charge.status === "FAILED" ? charge.failure_reason : null;
  return {
    status: words.status,
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
};

const STROKES = {
  good: "M5 12.5l5 5L19 7",
  bad: "M12 6v7M12 17.5v.5",
  "": "M7 12h10",
} as const;

function icon(mark: Words["mark"]): Markup {
  return new Markup(`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${STROKES[mark]}"/></svg>`);
}
