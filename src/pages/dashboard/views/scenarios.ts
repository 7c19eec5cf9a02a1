import { effectText, limitText, matchText, webhookRuleText } from "../../../core/reports/rule-text.js";
import { isMishapScenario } from "../../../core/schema/scenario-rules.js";
import { conditionsText } from "../../../core/schema/text-format.js";
import { toYaml } from "../../../core/schema/write-yaml.js";
import type { Result } from "../../../server/http/page-host.js";
import { html, type Markup } from "../../html.js";
import { inline, renderMarkdown } from "../../markdown.js";
import * as ui from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { allScenarios } from "../rows.js";
import { cliCommand } from "../shell-commands.js";
import type { View } from "../view.js";

type Scenario = Result<"getScenario">;

export const SCENARIOS: View = {
  name: "scenarios",
  title: "Scenarios",
  list: scenariosView,
  record: ["scenario", scenarioView],
  count: async (context) => {
    const all = await allScenarios(context);
    return [all.filter(({ active }) => active).length, "active", "warn"];
  },
};

/** All scenarios by kind, and those that are active. */
async function scenariosView(context: PageContext): Promise<Markup> {
  const scenarios = await allScenarios(context);
  const active = scenarios.filter((scenario) => scenario.active).reverse();
  const all = [...scenarios].sort((a, b) => (a.name < b.name ? -1 : 1));
  const groups = {
    Outcomes: all.filter((scenario) => !isMishapScenario(scenario)),
    Mishaps: all.filter((scenario) => isMishapScenario(scenario)),
  };
  const none = html`<li data-key="none"
class="soft">Only the rules of “default”: turn on one of those below.</li>`;
  const items = active.map(
    (scenario) =>
      html`<li class="actions" data-key="${scenario.name}">${scenario.name}${activationButton(scenario)}</li>`,
  );
  return html`<h1>Scenarios</h1>
<p class="soft">A scenario decides the outcome of charges, withdrawals, webhooks and calls. An active one applies
to everything new; any other applies when a call requests it by name in the header <code>Sandbox-Scenario</code>.</p>
${ui.section({
  id: "on",
  title: `Active: ${active.length}`,
  body: html`<ul class="actions" data-list
aria-label="Active scenarios">${active.length === 0 ? none : items}</ul>`,
})}
${Object.entries(groups).map(([title, group]) =>
  ui.section({
    id: title.toLowerCase(),
    title: `${title}: ${group.length}`,
    body: ui.rowList(
      title,
      group.map((scenario) => scenarioRow(context, scenario)),
      "None.",
    ),
  }),
)}`;
}

function scenarioRow(context: PageContext, scenario: Scenario): Markup {
  const { name, active, applied, description = "" } = scenario;
  const times = Object.values(applied).reduce((sum, many) => sum + many, 0);
  const since = active ? " since turned on" : "";
  return ui.listRow(context, {
    key: name,
    title: html`${name} ${active && ui.badge("active", "warn")}`,
    to: viewUrl(context, "scenarios", name),
    subtitle: ui.joinWithDots([
      html`${inline(description.trim().split("\n\n")[0]!)}`,
      times > 0 && `applied ${ui.formatCount(times, "time")}${since}`,
    ]),
    rowButtons: html`${activationButton(scenario)}${ui.copyButton(
      "Copy command",
      cliCommand(context, `scenario use ${name}`),
    )}`,
  });
}

function activationButton({ name, active }: Scenario): Markup | false {
  const options = { to: name, isToggle: true };
  if (active) return ui.button({ does: ["deactivateScenario", { name }], label: "Turn off", ...options });
  return (
    name !== "default" && ui.button({ does: ["activateScenario", { name }], label: "Turn on", ...options })
  );
}

/** Rules in words; charges and withdrawals as timelines with the delays between their statuses. */
function ruleList({ charges = [], withdrawals = [], webhooks = [], faults = [] }: Scenario): Markup {
  const timelines = Object.entries({ charge: charges, withdrawal: withdrawals }).map(([noun, rules]) =>
    rules.map(({ match, timeline }) => {
      const subject = match === undefined ? `every ${noun}` : `${noun} with ${conditionsText(match)}`;
      const stops = timeline.map((entry) => {
        const after = "after" in entry ? entry.after : `expiry + ${entry.after_expiry}`;
        const reason = entry.reason !== undefined && html` <small>${entry.reason}</small>`;
        return html`<span class="gap">${after}</span><span
class="stop ${ui.statusTone(entry.to)}">${entry.to}${reason}</span>`;
      });
      const none = html`<span class="gap">nothing follows</span>`;
      return html`<p class="drawn"><span class="soft">${subject}:</span> <span
class="stop">PENDING</span>${stops.length === 0 ? none : stops}</p>`;
    }),
  );
  const lines = [
    ...webhooks.map((rule, index) => [`webhooks.${index}`, webhookRuleText(rule)]),
    ...faults.map((rule, index) => [
      `faults.${index}`,
      `${matchText(rule)} → ${effectText(rule)}${limitText(rule)}`,
    ]),
  ];
  return html`${timelines}${lines.map(([name, text]) => html`<p><code>${name}</code> ${text}</p>`)}`;
}

/** A scenario: its rules, drawn as timelines, and its file. */
async function scenarioView(context: PageContext, name: string): Promise<Markup> {
  const scenario = await context.ask("getScenario", { name });
  const { active, applied, ...rules } = scenario;
  const { source, description } = rules;
  const counts = Object.entries(applied).map(([rule, times]) => times > 0 && `${rule} applied ${times}×`);
  const none = counts.length === 0 ? "No rules: only steps." : "No rule has been applied yet.";
  return html`${ui.backLink(context, "Scenarios")}
<div class="object" data-part id="scenario"><h1>${name} ${active && ui.badge("active", "warn")}</h1>
${description !== undefined && renderMarkdown(description.trim())}
<div class="actions">${activationButton(scenario)}</div></div>
${ui.section({
  id: "rules",
  title: "Rules",
  body: html`${ruleList(scenario)}<p class="soft">${counts.filter(Boolean).join(", ") || none}</p>`,
})}
${ui.section({
  id: "yaml",
  title: "File",
  body: html`${ui.snippet(`${name}.yaml`, toYaml(source ?? rules))}${ui.snippet(
    "Turn it on",
    cliCommand(context, `scenario use ${name}`),
  )}${source !== undefined && ui.snippet("Run its steps", cliCommand(context, `run ${name}.yaml`))}`,
})}`;
}
