import type { RecordChange, StateChanges } from "../../../core/engine/state-changes.js";
import { isRefusal, type Refusal } from "../../../core/schema/errors.js";
import { html, type Markup } from "../../html.js";
import { controlCurl } from "../curl.js";
import { badge, button, choice, form, input, part, row, rows, snippet, wideTable } from "../parts.js";
import { here, href, type Scene } from "../scene.js";

const SHOWN = 100;
const FIELDS_SHOWN = 12;
/** Compares with the current state; no snapshot has this name. */
const NOW = "";

/** Snapshots, and the differences between two of them or since one. */
export function snapshotsParts(scene: Scene): Markup {
  const snapshots = scene.namespace.snapshots.list();
  const names = snapshots.map(({ name }) => name);
  const from = names.find((name) => name === scene.query.get("diff"));
  return html`${part({
    id: "snapshots",
    title: `Snapshots: ${snapshots.length}`,
    body: html`${rows(
      "Snapshots",
      snapshots.map((one) =>
        row(scene, {
          key: one.name,
          at: one.at,
          title: one.name,
          acts: html`<a class="button" href="${here(scene, { diff: one.name, with: undefined })}#diff">Compare<span class="unseen"> ${one.name} with now</span></a>
${button({ does: `restore ${one.name}`, label: "Restore", to: one.name })}${button({ does: `forget ${one.name}`, label: "Delete", to: one.name })}`,
        }),
      ),
      "None. Save one, try something, and restore it.",
    )}${form(scene, html`${input({ name: "name", label: "Name", hint: "before-the-refund", required: true })}<button name="do" value="save">Save a snapshot</button>`, "Save a snapshot")}
${snippet("Export the whole state", `${controlCurl(scene, "GET /_sandbox/state")} > state.json`)}
${snippet("Put it back, here or elsewhere", `${controlCurl(scene, "PUT /_sandbox/state")} -d @state.json`)}`,
  })}
${from !== undefined && comparison(scene, from, names)}`;
}

function comparison(scene: Scene, from: string, names: readonly string[]): Markup {
  const to = names.find((name) => name === scene.query.get("with")) ?? NOW;
  const changes = scene.namespace.snapshots.changes(from, to === NOW ? undefined : to, SHOWN);
  const list = (extra: readonly (readonly [string, string])[]) => [
    ...extra,
    ...names.map((name): [string, string] => [name, name]),
  ];
  return part({
    id: "diff",
    title: `From ${from} to ${to === NOW ? "now" : to}`,
    body: html`<form class="fields" method="get" action="${href(scene, "world")}#diff" aria-label="Compare">${choice("diff", "From", list([]), from)}${choice("with", "To", list([[NOW, "now"]]), to)}<button>Compare</button></form>
${isRefusal(changes) ? html`<p class="why">${(changes as Refusal).message}</p>` : changesView(changes)}`,
  });
}

function changesView({ counts, records }: StateChanges): Markup {
  const all = counts.reduce((sum, { added, removed, changed }) => sum + added + removed + changed, 0);
  if (all === 0) return html`<p class="soft">Nothing differs.</p>`;
  return html`${wideTable(
    "How many records differ",
    [["Records"], ["Added", "number"], ["Changed", "number"], ["Removed", "number"]],
    counts.map(
      ({ collection, ...count }) =>
        html`<tr><td>${collection}</td>
<td class="number">${count.added}</td><td class="number">${count.changed}</td><td class="number">${count.removed}</td></tr>`,
    ),
  )}
<ul class="attempts" aria-label="Records that differ">${records.map(recordView)}</ul>
${all > records.length && html`<p class="soft">${all - records.length} more are not shown.</p>`}`;
}

const TONES = { added: "good", changed: "warn", removed: "bad" } as const;

function recordView({ collection, id, is, fields }: RecordChange): Markup {
  const shown = fields.slice(0, FIELDS_SHOWN);
  const changes = shown.map(({ path, before, after }) => {
    const value = html`${before !== undefined && html`<del>${before}</del>`} ${after !== undefined && html`<ins>${after}</ins>`}`;
    return html`<div><dt><code>${path}</code></dt><dd>${value}</dd></div>`;
  });
  return html`<li>${badge(is, TONES[is])} ${collection} <code>${id}</code>
${shown.length > 0 && html`<dl class="diff">${changes}</dl>`}
${fields.length > shown.length && html`<p class="soft">and ${fields.length - shown.length} more fields</p>`}</li>`;
}
