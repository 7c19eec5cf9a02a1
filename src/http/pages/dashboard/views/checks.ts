import { coverageOf } from "../../../control/insight.js";
import { html, type Markup } from "../../html.js";
import { placeOf } from "../attention.js";
import { command } from "../curl.js";
import { badge, part, row, rows, snippet } from "../parts.js";
import { href, type Scene } from "../scene.js";

const NAMES = {
  operations: "Calls",
  statuses: "Statuses",
  events: "Events",
  error_codes: "Error codes",
  mishaps: "What goes wrong on the way",
} as const;

/** What the app has met, what it does against the service's advice, and how to try its receiver. */
export function checksView(scene: Scene): Markup {
  const { namespace } = scene;
  const coverage = coverageOf(namespace.counters);
  const advice = namespace.advisor.log.items();
  const urls = namespace.engine.state.endpoints().filter(({ url }) => url !== null);
  return html`<h1>Checks</h1>
${part({
  id: "advice",
  title: `Advice: ${advice.length}`,
  body: rows(
    "Advice",
    advice.map((one) =>
      row(scene, {
        key: one.id,
        status: badge(`${one.times}×`, "warn"),
        title: one.advice,
        sub: html`${one.why}. Last: <bdi>${one.example}</bdi>`,
        side: html`<code>${one.id}</code>`,
      }),
    ),
    "None: your app does nothing that the service advises against.",
  ),
})}
${(Object.entries(NAMES) as [keyof typeof NAMES, string][]).map(([kind, title]) => {
  const { met, not_met } = coverage[kind];
  const names = [...Object.keys(met), ...not_met].sort();
  return part({
    id: `coverage-${kind}`,
    title: `${title}: ${Object.keys(met).length} of ${names.length} met`,
    body: html`<ul class="chips" aria-label="${title}">${names.map((name) => html`<li class="${name in met ? "good" : ""}"><span aria-hidden="true">${name in met ? "✓" : "○"}</span> ${name}${name in met ? html` <small>${met[name]}×</small>` : html`<span class="unseen"> not met</span>`}</li>`)}</ul>`,
  });
})}
${part({
  id: "doctor",
  title: "Check your receiver",
  body:
    urls.length === 0
      ? html`<p class="soft">No receiver is registered. <a href="${href(scene, "webhooks")}">Add one</a></p>`
      : html`<p>Sends it genuine, duplicate, forged, stale and broken events, and says what a good receiver would have done.</p>${urls.map((one) => snippet(placeOf(one), command(scene, `check-webhook ${one.url}`)))}`,
})}`;
}
