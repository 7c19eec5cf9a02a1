import type { Charge } from "../../../core/domain/charge-transition.js";
import { diffRecordFields, type FieldChange } from "../../../core/namespace/saved-states.js";
import { html, type Markup } from "../../html.js";
import { filterForm, foldedSection, selectField, timeTag } from "../components.js";
import type { PageContext } from "../page-context.js";

/** Compares two payloads of a charge: by default the last two. */
export function payloadDiffSection(context: PageContext, charge: Charge): Markup | false {
  const events = context.namespace.engine.state.eventsOf(charge.charge_id);
  if (events.length < 2) return false;
  const selected = (name: string) => events.find(({ event_id }) => event_id === context.query.get(name));
  const newest = events.reduce((a, b) => (b.seq > a.seq ? b : a));
  const after = selected("after") ?? newest;
  const older = events.filter(({ seq }) => seq < after.seq);
  const before =
    selected("before") ?? (older.length === 0 ? newest : older.reduce((a, b) => (b.seq > a.seq ? b : a)));
  const options = [...events]
    .sort((a, b) => a.seq - b.seq)
    .map(({ event_id, type, at }): [string, string] => [event_id, `${at.slice(11, 19)} ${type}`]);
  return foldedSection({
    id: "compare",
    isOpen: context.query.has("before") || context.query.has("after"),
    title: "Compare payloads",
    body: html`${filterForm(context, html`${selectField("before", "From", options, before.event_id)}${selectField("after", "To", options, after.event_id)}`, "Compare", "#compare")}
<p class="soft">${before.type}, ${timeTag(context, before.at)} → ${after.type}, ${timeTag(context, after.at)}</p>
${diffMarkup(before.body, after.body)}`,
  });
}

/** Compares two JSON bodies field by field. */
export function diffMarkup(left: string, right: string): Markup {
  const changes = diffRecordFields(JSON.parse(left), JSON.parse(right));
  return changes.length === 0 ? html`<p class="soft">No differences.</p>` : changeList(changes);
}

export function changeList(changes: readonly FieldChange[]): Markup {
  return html`<dl class="diff">${changes.map(({ path, before, after }) => html`<div><dt><code>${path}</code></dt><dd>${before !== undefined && html`<del>${before}</del>`} ${after !== undefined && html`<ins>${after}</ins>`}</dd></div>`)}</dl>`;
}
