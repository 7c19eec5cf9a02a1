import { flat } from "../../../core/engine/state-changes.js";
import { html, type Markup } from "../../html.js";

/** What one body has otherwise than another, field by field. */
export function differenceOf(one: string, other: string): Markup {
  const [before, after] = [flat(JSON.parse(one)), flat(JSON.parse(other))];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  if (names.length === 0) return html`<p class="soft">They say the same.</p>`;
  return html`<dl class="diff">${names.map((name) => html`<div><dt><code>${name}</code></dt><dd>${before.has(name) && html`<del>${before.get(name)}</del>`} ${after.has(name) && html`<ins>${after.get(name)}</ins>`}</dd></div>`)}</dl>`;
}
