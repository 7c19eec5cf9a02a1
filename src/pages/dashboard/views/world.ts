import { appEnvironment } from "../../../app-environment.js";
import { html, type Markup } from "../../html.js";
import { command } from "../curl.js";
import { badge, button, facts, form, input, many, part, row, rows, snippet } from "../parts.js";
import { homeOf, type Scene } from "../scene.js";
import { snapshotsParts } from "./snapshots.js";

/** Keys and environment, namespaces, snapshots and reset. */
export function worldView(context: Scene): Markup {
  const { namespace, namespaces, origin } = context;
  const { apiKey, liveApiKey, webhookSecret, seed } = namespace.info;
  const { tables } = namespace.engine.state;
  const env = Object.entries(appEnvironment({ url: origin, apiKey, webhookSecret }));
  const all = namespaces.list();
  return html`<h1>Namespace</h1>
${part({
  id: "keys",
  title: "Keys and environment",
  body: html`${facts([
    ["API key", html`<code>${apiKey}</code>`],
    ["Live API key", html`<code>${liveApiKey}</code>`],
    ["Webhook secret", html`<code>${webhookSecret}</code>`],
    ["Seed", html`<code>${seed}</code>`],
    ["Version", namespaces.version],
  ])}${snippet(".env", env.map(([name, value]) => `${name}=${value}`).join("\n"))}${snippet("Shell", env.map(([name, value]) => `export ${name}=${value}`).join("\n"))}`,
})}
${snapshotsParts(context)}
${part({
  id: "namespaces",
  title: `Namespaces: ${all.length}`,
  body: html`${rows(
    "Namespaces",
    all.slice(0, 200).map((info) =>
      row(context, {
        key: info.name,
        status: info.name === namespace.name ? badge("current", "good") : false,
        title: info.name,
        to: homeOf(info.name),
        sub: html`key <code>${info.api_key}</code>`,
        side: many(info.charges, "charge"),
      }),
    ),
    "None.",
  )}${form(context, html`${input({ name: "name", label: "Name", hint: "my-branch", required: true })}<button name="do" value="namespace">Create a namespace</button>`, "Create a namespace")}
${snippet("Use a namespace", command(context, "status"))}`,
})}
${part({
  id: "reset",
  title: "Reset",
  body: html`<details><summary>Reset everything…</summary>
<p>This removes ${many(tables.charges.size, "charge")}, ${many(tables.withdrawals.size, "withdrawal")}, ${many(tables.events.size, "event")} and every balance of the namespace ${namespace.name}. Receivers, keys and snapshots stay. A snapshot is taken first, so that it can be undone.</p>
<div class="actions">${button({ does: `reset ${namespace.name}`, label: `Reset ${namespace.name}`, kind: "danger" })}</div></details>`,
})}`;
}
