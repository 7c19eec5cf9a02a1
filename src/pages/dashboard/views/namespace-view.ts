import { appEnvironment } from "../../../core/client/control-client.js";
import type { RecordChange, StateChanges } from "../../../core/namespace/saved-states.js";
import { isRefusal, type Refusal } from "../../../core/schema/refusals.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { currentUrl, dashboardPath, linkTo, type PageContext, viewUrl } from "../page-context.js";
import { controlCurl } from "../shell-commands.js";

/** Keys and environment, namespaces, snapshots and reset. */
export function namespaceView(context: PageContext): Markup {
  const { namespace, namespaces, origin } = context;
  const { apiKey, liveApiKey, webhookSecret, seed } = namespace.info;
  const { tables } = namespace.engine.state;
  const env = Object.entries(appEnvironment({ url: origin, apiKey, webhookSecret }));
  return html`<h1>Namespace</h1>
${ui.section({
  id: "keys",
  title: "Keys and environment",
  body: html`${ui.factList([
    ["API key", html`<code>${apiKey}</code>`],
    ["Live API key", html`<code>${liveApiKey}</code>`],
    ["Webhook secret", html`<code>${webhookSecret}</code>`],
    ["Seed", html`<code>${seed}</code>`],
    ["Version", namespaces.options.base.version],
  ])}${ui.snippet(".env", env.map(([name, value]) => `${name}=${value}`).join("\n"))}${ui.snippet("Shell", env.map(([name, value]) => `export ${name}=${value}`).join("\n"))}`,
})}
${snapshotSections(context)}
${namespacesSection(context)}
${ui.section({
  id: "reset",
  title: "Reset",
  body: html`<details><summary>Reset everything…</summary>
<p>This removes ${ui.formatCount(tables.charges.size, "charge")}, ${ui.formatCount(tables.withdrawals.size, "withdrawal")}, ${ui.formatCount(tables.events.size, "event")} and every balance of the namespace ${namespace.name}. Receivers, keys and snapshots stay. A snapshot is taken first, so that it can be undone.</p>
<div class="actions">${ui.button({ does: ["reset", { namespace: namespace.name }], label: `Reset ${namespace.name}`, kind: "danger" })}</div></details>`,
})}`;
}

export function namespacesSection(context: PageContext): Markup {
  const { namespace, namespaces } = context;
  const all = namespaces.list();
  return ui.section({
    id: "namespaces",
    title: `Namespaces: ${all.length}`,
    body: html`${ui.rowList(
      "Namespaces",
      all.slice(0, 200).map((info) =>
        ui.listRow(context, {
          key: info.name,
          status: info.name === namespace.name ? ui.badge("current", "good") : false,
          title: info.name,
          to: linkTo(context, dashboardPath(info.name)),
          subtitle: html`key <code>${info.api_key}</code>`,
          side: ui.formatCount(info.charges, "charge"),
        }),
      ),
      "None.",
    )}${ui.actionForm(context, html`${ui.input({ name: "name", label: "Name", hint: "my-branch", required: true })}${ui.submitButton({ does: ["createNamespace"], label: "Create a namespace" })}`, "Create a namespace")}`,
  });
}

const MAX_RECORDS = 100;
const MAX_FIELDS = 12;
/** Stands for the current state; no snapshot has this name. */
const NOW = "";

/** Snapshots, and the differences between two snapshots or since a snapshot. */
function snapshotSections(context: PageContext): Markup {
  const snapshots = context.namespace.snapshots.list();
  const names = snapshots.map(({ name }) => name);
  const from = names.find((name) => name === context.query.get("diff"));
  return html`${ui.section({
    id: "snapshots",
    title: `Snapshots: ${snapshots.length}`,
    body: html`${ui.rowList(
      "Snapshots",
      snapshots.map((snapshot) =>
        ui.listRow(context, {
          key: snapshot.name,
          at: snapshot.at,
          title: snapshot.name,
          rowButtons: html`<a class="button" href="${currentUrl(context, { diff: snapshot.name, with: undefined })}#diff">Compare<span class="unseen"> ${snapshot.name} with now</span></a>
${ui.button({ does: ["restoreSnapshot", { name: snapshot.name }], label: "Restore", to: snapshot.name })}${ui.button({ does: ["deleteSnapshot", { name: snapshot.name }], label: "Delete", to: snapshot.name })}`,
        }),
      ),
      "None. Save one, try something, and restore it.",
    )}${ui.actionForm(context, html`${ui.input({ name: "name", label: "Name", hint: "before-the-refund", required: true })}${ui.submitButton({ does: ["createSnapshot"], label: "Save a snapshot" })}`, "Save a snapshot")}
${ui.snippet("Export the whole state", `${controlCurl(context, "getState")} > state.json`)}
${ui.snippet("Import it, here or elsewhere", `${controlCurl(context, "putState")} -d @state.json`)}`,
  })}
${from !== undefined && comparison(context, from, names)}`;
}

function comparison(context: PageContext, from: string, names: readonly string[]): Markup {
  const to = names.find((name) => name === context.query.get("with")) ?? NOW;
  const changes = context.namespace.snapshots.changes(from, to === NOW ? undefined : to, MAX_RECORDS);
  return ui.section({
    id: "diff",
    title: `From ${from} to ${to === NOW ? "now" : to}`,
    body: html`<form class="fields" method="get" action="${viewUrl(context, "namespace")}#diff" aria-label="Compare">${ui.selectField("diff", "From", names, from)}${ui.selectField("with", "To", [[NOW, "now"], ...names], to)}<button>Compare</button></form>
${isRefusal(changes) ? html`<p class="why">${(changes as Refusal).message}</p>` : changesView(changes)}`,
  });
}

function changesView({ counts, records }: StateChanges): Markup {
  const all = counts.reduce((sum, { added, removed, changed }) => sum + added + removed + changed, 0);
  if (all === 0) return html`<p class="soft">Nothing differs.</p>`;
  return html`${ui.table(
    "How many records differ",
    ["Records"],
    ["Added", "Changed", "Removed"],
    counts.map(({ collection: key, added, changed, removed }) => ({
      key,
      cells: [key, added, changed, removed],
    })),
  )}
<ul class="attempts" aria-label="Records that differ">${records.map(recordView)}</ul>
${all > records.length && html`<p class="soft">${all - records.length} more are not shown.</p>`}`;
}

const TONES = { added: "good", changed: "warn", removed: "bad" } as const;

function recordView({ collection, id, changeKind: change, fields }: RecordChange): Markup {
  const visible = fields.slice(0, MAX_FIELDS);
  return html`<li>${ui.badge(change, TONES[change])} ${collection} <code>${id}</code>
${visible.length > 0 && ui.changeList(visible)}
${fields.length > visible.length && html`<p class="soft">and ${fields.length - visible.length} more fields</p>`}</li>`;
}
