import { appEnvironment } from "../../../core/client/control-client.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { dashboardPath, linkTo, type PageContext } from "../page-context.js";
import { LONGEST_PAGE } from "../rows.js";
import { controlCurl } from "../shell-commands.js";
import type { View } from "../view.js";

export const NAMESPACE: View = { name: "namespace", title: "Namespace", list: namespaceView };

/** Keys and environment, namespaces, snapshots and reset. */
async function namespaceView(context: PageContext): Promise<Markup> {
  const { sandbox, namespace, origin } = context;
  const { api_key: apiKey, live_api_key, webhook_secret: webhookSecret, seed, version, counts } = sandbox;
  const env = Object.entries(appEnvironment({ url: origin, apiKey, webhookSecret }));
  const { charges, withdrawals, events } = counts;
  const all = [
    ui.formatCount(charges, "charge"),
    ui.formatCount(withdrawals, "withdrawal"),
    ui.formatCount(events, "event"),
  ];
  return html`<h1>Namespace</h1>
${ui.section({
  id: "keys",
  title: "Keys and environment",
  body: html`${ui.factList([
    ["API key", html`<code>${apiKey}</code>`],
    ["Live API key", html`<code>${live_api_key}</code>`],
    ["Webhook secret", html`<code>${webhookSecret}</code>`],
    ["Seed", html`<code>${seed}</code>`],
    ["Version", version],
  ])}${ui.snippet(".env", env.map(([name, value]) => `${name}=${value}`).join("\n"))}`,
})}
${await snapshotSection(context)}
${await namespacesSection(context)}
${ui.section({
  id: "reset",
  title: "Reset",
  body: html`<details><summary>Reset everything…</summary>
<p>This removes ${all.join(", ")} and every balance of the namespace ${namespace}. Receivers, keys and snapshots stay.
A snapshot is taken first, so that it can be undone.</p>
<div class="actions">${ui.button({
    does: ["reset", { name: namespace }],
    label: `Reset ${namespace}`,
    kind: "danger",
  })}</div></details>`,
})}`;
}

/** Snapshots of the whole state. */
async function snapshotSection(context: PageContext): Promise<Markup> {
  const { total, items } = await context.ask("listSnapshots", { limit: LONGEST_PAGE });
  return ui.section({
    id: "snapshots",
    title: `Snapshots: ${total}`,
    body: html`${ui.rowList(
      "Snapshots",
      items.map(({ name, at }) =>
        ui.listRow(context, {
          key: name,
          at,
          title: name,
          rowButtons: html`${ui.button({ does: ["restoreSnapshot", { name }], label: "Restore", to: name })}${ui.button(
            { does: ["deleteSnapshot", { name }], label: "Delete", to: name },
          )}`,
        }),
      ),
      "None. Save one, try something, and restore it.",
    )}${nameForm(context, "before-the-refund", ["createSnapshot"], "Save a snapshot")}
${ui.snippet("Export the whole state", `${controlCurl(context, "getState")} > state.json`)}
${ui.snippet("Import it, here or elsewhere", `${controlCurl(context, "putState")} -d @state.json`)}`,
  });
}

async function namespacesSection(context: PageContext): Promise<Markup> {
  const { total, items } = await context.ask("listNamespaces", { limit: LONGEST_PAGE });
  return ui.section({
    id: "namespaces",
    title: `Namespaces: ${total}`,
    body: html`${ui.rowList(
      "Namespaces",
      items.map(({ name, charges, api_key }) =>
        ui.listRow(context, {
          key: name,
          status: name === context.namespace && ui.badge("current", "good"),
          title: name,
          to: linkTo(context, dashboardPath(name)),
          subtitle: html`${ui.formatCount(charges, "charge")} · key <code>${api_key}</code>`,
        }),
      ),
      "None.",
    )}${nameForm(context, "my-branch", ["createNamespace"], "Create a namespace")}`,
  });
}

/** A form that makes something with a name. */
function nameForm(context: PageContext, hint: string, does: ui.Press, label: string): Markup {
  const name = ui.input({ name: "name", label: "Name", hint, required: true });
  return ui.actionForm(context, html`${name}${ui.submitButton({ does, label })}`, label);
}
