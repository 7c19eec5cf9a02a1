import { appEnvironment } from "../../../core/client/control-client.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { dashboardPath, linkTo, type PageContext } from "../page-context.js";
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
  ])}${ui.snippet(".env", env.map(([name, value]) => `${name}=${value}`).join("\n"))}`,
})}
${snapshotSection(context)}
${namespacesSection(context)}
${ui.section({
  id: "reset",
  title: "Reset",
  body: html`<details><summary>Reset everything…</summary>
<p>This removes ${ui.formatCount(tables.charges.size, "charge")}, ${ui.formatCount(
    tables.withdrawals.size,
    "withdrawal",
  )}, ${ui.formatCount(
    tables.events.size,
    "event",
  )} and every balance of the namespace ${namespace.name}. Receivers, keys and snapshots stay. A snapshot is taken
first, so that it can be undone.</p>
<div class="actions">${ui.button({
    does: ["reset", { name: namespace.name }],
    label: `Reset ${namespace.name}`,
    kind: "danger",
  })}</div></details>`,
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
          subtitle: html`${ui.formatCount(info.charges, "charge")} · key <code>${info.api_key}</code>`,
        }),
      ),
      "None.",
    )}${ui.actionForm(
      context,
      html`${ui.input({
        name: "name",
        label: "Name",
        hint: "my-branch",
        required: true,
      })}${ui.submitButton({ does: ["createNamespace"], label: "Create a namespace" })}`,
      "Create a namespace",
    )}`,
  });
}

/** Snapshots of the whole state. */
function snapshotSection(context: PageContext): Markup {
  const snapshots = context.namespace.snapshots.list();
  return ui.section({
    id: "snapshots",
    title: `Snapshots: ${snapshots.length}`,
    body: html`${ui.rowList(
      "Snapshots",
      snapshots.map((snapshot) =>
        ui.listRow(context, {
          key: snapshot.name,
          at: snapshot.at,
          title: snapshot.name,
          rowButtons: html`${ui.button({
            does: ["restoreSnapshot", { name: snapshot.name }],
            label: "Restore",
            to: snapshot.name,
          })}${ui.button({ does: ["deleteSnapshot", { name: snapshot.name }], label: "Delete", to: snapshot.name })}`,
        }),
      ),
      "None. Save one, try something, and restore it.",
    )}${ui.actionForm(
      context,
      html`${ui.input({
        name: "name",
        label: "Name",
        hint: "before-the-refund",
        required: true,
      })}${ui.submitButton({ does: ["createSnapshot"], label: "Save a snapshot" })}`,
      "Save a snapshot",
    )}
${ui.snippet("Export the whole state", `${controlCurl(context, "getState")} > state.json`)}
${ui.snippet("Import it, here or elsewhere", `${controlCurl(context, "putState")} -d @state.json`)}`,
  });
}
