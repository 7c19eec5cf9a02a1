import { diffRecordFields, type FieldChange } from "../../../core/namespace/saved-states.js";
import { html, type Markup } from "../../html.js";

/** Compares two JSON bodies field by field. */
export function diffMarkup(left: string, right: string): Markup {
  const changes = diffRecordFields(JSON.parse(left), JSON.parse(right));
  return changes.length === 0 ? html`<p class="soft">No differences.</p>` : changeList(changes);
}

export function changeList(changes: readonly FieldChange[]): Markup {
  return html`<dl class="diff">${changes.map(({ path, before, after }) => html`<div><dt><code>${path}</code></dt><dd>${before !== undefined && html`<del>${before}</del>`} ${after !== undefined && html`<ins>${after}</ins>`}</dd></div>`)}</dl>`;
}
