import { appEnvironment } from "../../../app-environment.js";
import { html, type Markup } from "../../html.js";
import {
  badge,
  button,
  factList,
  form,
  input,
  plural,
  row,
  rowList,
  section,
  snippet,
} from "../components.js";
import { dashboardUrl, type PageContext } from "../page-context.js";
import { cliCommand } from "../shell-commands.js";
import { snapshotSections } from "./snapshots.js";

/** Keys and environment, namespaces, snapshots and reset. */
export function namespaceView(context: PageContext): Markup {
  const { namespace, namespaces, origin } = context;
  const { apiKey, liveApiKey, webhookSecret, seed } = namespace.info;
  const { tables } = namespace.engine.state;
  const env = Object.entries(appEnvironment({ url: origin, apiKey, webhookSecret }));
  const all = namespaces.list();
  return html`<h1>Namespace</h1>
${section({
  id: "keys",
  title: "Keys and environment",
  body: html`${factList([
    ["API key", html`<code>${apiKey}</code>`],
    ["Live API key", html`<code>${liveApiKey}</code>`],
    ["Webhook secret", html`<code>${webhookSecret}</code>`],
    ["Seed", html`<code>${seed}</code>`],
    ["Version", namespaces.options.base.version],
  ])}${snippet(".env", env.map(([name, value]) => `${name}=${value}`).join("\n"))}${snippet("Shell", env.map(([name, value]) => `export ${name}=${value}`).join("\n"))}`,
})}
${snapshotSections(context)}
${section({
  id: "namespaces",
  title: `Namespaces: ${all.length}`,
  body: html`${rowList(
    "Namespaces",
    all.slice(0, 200).map((info) =>
      row(context, {
        key: info.name,
        status: info.name === namespace.name ? badge("current", "good") : false,
        title: info.name,
        to: dashboardUrl(info.name),
        sub: html`key <code>${info.api_key}</code>`,
        side: plural(info.charges, "charge"),
      }),
    ),
    "None.",
  )}${form(context, html`${input({ name: "name", label: "Name", hint: "my-branch", required: true })}<button name="do" value="namespace">Create a namespace</button>`, "Create a namespace")}
${snippet("Use a namespace", cliCommand(context, "status"))}`,
})}
${section({
  id: "reset",
  title: "Reset",
  body: html`<details><summary>Reset everything…</summary>
<p>This removes ${plural(tables.charges.size, "charge")}, ${plural(tables.withdrawals.size, "withdrawal")}, ${plural(tables.events.size, "event")} and every balance of the namespace ${namespace.name}. Receivers, keys and snapshots stay. A snapshot is taken first, so that it can be undone.</p>
<div class="actions">${button({ does: `reset ${namespace.name}`, label: `Reset ${namespace.name}`, kind: "danger" })}</div></details>`,
})}`;
}
