import type { StoredScenario } from "../../../core/engine/records.js";
import { effectText, matchText, webhookRuleText } from "../../../core/reports/rule-text.js";
import { isMishapScenario, type Scenario } from "../../../core/schema/scenario-rules.js";
import { conditionsText } from "../../../core/schema/text-format.js";
import { toYaml } from "../../../core/schema/write-yaml.js";
import { html, type Markup } from "../../html.js";
import { renderMarkdown } from "../../reference/schema-markup.js";

import * as ui from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { cliCommand } from "../shell-commands.js";
import { limitText } from "./faults-view.js";

/** All scenarios, each drawn as a timeline. */
export function scenariosView(context: PageContext): Markup {
  const { state } = context.namespace.engine;
  const all = [...state.tables.scenarios.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const active = activeScenarios(context).sort((a, b) => a.activated - b.activated);
  const groups = {
    Outcomes: all.filter(({ scenario }) => !isMishapScenario(scenario)),
    Mishaps: all.filter(({ scenario }) => isMishapScenario(scenario)),
  };
  return html`<h1>Scenarios</h1>
<p class="soft">A scenario decides the outcome of charges, withdrawals, webhooks and calls. An active one applies
to everything new; any other applies when a call requests it by name in the header <code>Sandbox-Scenario</code>.</p>
${ui.section({
  id: "on",
  title: `Active: ${active.length}`,
  body: html`<ul class="actions" data-list
aria-label="Active scenarios">${
    active.length === 0
      ? html`<li data-key="none"
class="soft">Only the rules of “default”: turn on one of those below.</li>`
      : active.map(
          (stored) =>
            html`<li class="actions" data-key="${stored.name}"><a
href="#${stored.name}">${stored.name}</a>${activationButton(stored)}</li>`,
        )
  }</ul>`,
})}
${Object.entries(groups).map(([title, group]) =>
  ui.section({
    id: title.toLowerCase(),
    title: `${title}: ${group.length}`,
    body: html`<ul class="cards" data-list aria-label="${title}">${group.map((stored) => card(context, stored))}</ul>`,
  }),
)}`;
}

function card(context: PageContext, stored: StoredScenario): Markup {
  const { name, scenario, activated } = stored;
  const { appliedCounts } = context.namespace.engine;
  const applied = Object.values(appliedCounts.of(scenario)).reduce((sum, times) => sum + times, 0);
  const url = viewUrl(context, "scenarios", name);
  return html`<li id="${name}" class="card" data-key="${name}"><h3><a href="${viewUrl(context, "scenarios", name)}"
data-row>${name}</a> ${activated > 0 && ui.badge("active", "warn")}</h3>
${scenario.description !== undefined && renderMarkdown(scenario.description.trim())}
<details><summary>Rules<span class="unseen"> of ${name}</span> <span
class="soft">· applied ${ui.formatCount(applied, "time")}${
    activated > 0 && " since turned on"
  }</span></summary>${ruleList(scenario)}</details>
<div class="actions">${activationButton(stored)}
<a class="button" href="${url}#yaml">YAML<span class="unseen"> of ${name}</span></a>
${ui.copyButton("Copy command", cliCommand(context, `scenario use ${name}`))}</div></li>`;
}

function activationButton({ name, activated }: StoredScenario): Markup | false {
  const options = { to: name, isToggle: true };
  if (activated > 0)
    return ui.button({ does: ["deactivateScenario", { name }], label: "Turn off", ...options });
  return (
    name !== "default" && ui.button({ does: ["activateScenario", { name }], label: "Turn on", ...options })
  );
}

/** Rules in words; charges and withdrawals as timelines with the delays between their statuses. */
function ruleList({ charges = [], withdrawals = [], webhooks = [], faults = [] }: Scenario): Markup {
  const timelines = { charge: charges, withdrawal: withdrawals };
  return html`${Object.entries(timelines).map(([noun, rules]) =>
    rules.map(
      ({ match, timeline }) =>
        html`<p class="drawn"><span
class="soft">${match === undefined ? `every ${noun}` : `${noun} with ${conditionsText(match)}`}:</span> <span
class="stop">PENDING</span>${timeline.length === 0 && html`<span class="gap">nothing follows</span>`}${timeline.map(
          (entry) => {
            const after = "after" in entry ? entry.after : `expiry + ${entry.after_expiry}`;
            return html`<span class="gap">${after}</span><span
class="stop ${ui.statusTone(entry.to)}">${entry.to}${
              entry.reason !== undefined && html` <small>${entry.reason}</small>`
            }</span>`;
          },
        )}</p>`,
    ),
  )}${webhooks.map((rule, index) => html`<p><code>webhooks.${index}</code> ${webhookRuleText(rule)}</p>`)}${faults.map(
    (rule, index) =>
      html`<p><code>faults.${index}</code> ${matchText(rule)} → ${effectText(rule)}${limitText(rule)}</p>`,
  )}`;
}

/** A scenario: its rules and its file. */
export function scenarioDetailView(context: PageContext, name: string): Markup | undefined {
  const stored = context.namespace.engine.state.get("scenarios", name);
  if (stored === undefined) return undefined;
  const { scenario, activated } = stored;
  const { source } = scenario;
  const file = source ?? scenario;
  const applied = context.namespace.engine.appliedCounts.of(scenario);
  const ruleNames = Object.keys(applied);
  return html`${ui.backLink(context, "scenarios")}
<div class="object" data-part id="scenario"><h1>${name} ${activated > 0 && ui.badge("active", "warn")}</h1>
${scenario.description !== undefined && renderMarkdown(scenario.description.trim())}
<div class="actions">${activationButton(stored)}</div></div>
${ui.section({
  id: "rules",
  title: "Rules",
  body: html`${ruleList(scenario)}
<p class="soft">${
    Object.entries(applied)
      .filter(([, times]) => times > 0)
      .map(([rule, times]) => `${rule} applied ${times}×`)
      .join(", ") || (ruleNames.length === 0 ? "No rules: only steps." : "No rule has been applied yet.")
  }</p>`,
})}
${ui.section({
  id: "yaml",
  title: "File",
  body: html`${ui.snippet(`${name}.yaml`, toYaml(file))}${ui.snippet(
    "Turn it on",
    cliCommand(context, `scenario use ${name}`),
  )}${source !== undefined && ui.snippet("Run its steps", cliCommand(context, `run ${name}.yaml`))}`,
})}`;
}

/** The scenarios that apply to everything new. */
export function activeScenarios({ namespace }: PageContext): StoredScenario[] {
  const { scenarios } = namespace.engine.state.tables;
  return [...scenarios.values()].filter(({ activated }) => activated > 0);
}
