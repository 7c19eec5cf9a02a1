import { html } from "../html.js";
import type { Document } from "../layout.js";

/** A page for what is no checkout, or no request of ours: it says so and leads nowhere. */
export function refusedDocument(title: string, text: string): Document {
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
