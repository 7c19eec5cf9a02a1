import type { StoredScenario } from "../../../core/engine/records.js";
import type { ChargeEntry, ChargeRule } from "../../../core/schema/scenario-rules.js";
import { html, type Markup } from "../../html.js";
import { badge, button, copyButton, plural, section, statusTone } from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { countAppSteps } from "../reports.js";
import { cliCommand } from "../shell-commands.js";

/** All scenarios, each drawn as a timeline. */
export function scenariosView(context: PageContext): Markup {
  const { state } = context.namespace.engine;
  const all = [...state.tables.scenarios.values()].sort(
    (a, b) => b.activated - a.activated || (a.name < b.name ? -1 : 1),
  );
  const active = all.filter(({ activated }) => activated > 0);
  const others = all.filter(({ activated }) => activated === 0);
  return html`<h1>Scenarios</h1>
<p class="soft">A scenario decides the outcome of charges, withdrawals, webhooks and calls. An active one applies to everything new; any other applies when a call requests it by name in the header <code>Sandbox-Scenario</code>.</p>
${section({ id: "on", title: `Active: ${active.length}`, body: html`<ul class="cards" data-list aria-label="Active scenarios">${active.length === 0 ? html`<li data-key="none" class="soft">Only the rules of “default”.</li>` : active.map((scenario) => card(context, scenario))}</ul>` })}
${section({ id: "library", title: `Library: ${others.length}`, body: html`<ul class="cards" data-list aria-label="Library">${others.map((scenario) => card(context, scenario))}</ul>` })}`;
}

function card(context: PageContext, stored: StoredScenario): Markup {
  const { name, scenario, activated } = stored;
  const { rules } = context.namespace.engine;
  const applied = Object.values(rules.of(scenario)).reduce((sum, times) => sum + times, 0);
  const { charges = [], withdrawals = [], webhooks = [], faults = [], source } = scenario;
  const url = viewUrl(context, "scenarios", name);
  return html`<li id="${name}" class="card" data-key="${name}"><h3><a href="${viewUrl(context, "scenarios", name)}" data-row>${name}</a> ${activated > 0 && badge("active", "warn")}</h3>
${scenario.description !== undefined && html`<p>${scenario.description.trim()}</p>`}
${ruleTimelines(charges.slice(0, 3))}${charges.length > 3 && html`<p class="soft">and ${plural(charges.length - 3, "more rule")}</p>`}
<p class="soft">${[
    withdrawals.length > 0 && `${plural(withdrawals.length, "rule")} for withdrawals`,
    webhooks.length > 0 && `webhooks: ${webhooks.map((rule) => ruleFields(rule)).join("; ")}`,
    faults.length > 0 && `faults: ${faults.map((rule) => ruleFields(rule)).join("; ")}`,
    `applied ${plural(applied, "time")}`,
  ]
    .filter(Boolean)
    .join(" · ")}</p>
<div class="actions">${activationButton(stored)}
${
  source !== undefined &&
  (countAppSteps(source.steps) > 0
    ? html`<a class="button" href="${url}">Run with your app…<span class="unseen"> ${name}</span></a>`
    : button({ does: `run ${name}`, label: "Run its steps", to: name, there: url }))
}
<a class="button" href="${url}#yaml">YAML<span class="unseen"> of ${name}</span></a>
<a class="button" href="${url}#save">Duplicate<span class="unseen"> ${name}</span></a>
${copyButton("Copy command", cliCommand(context, `scenario use ${name}`))}</div></li>`;
}

/** Button that activates or deactivates a scenario. */
export function activationButton({ name, activated }: StoredScenario): Markup | false {
  if (activated > 0) return button({ does: `deactivate ${name}`, label: "Turn off", to: name });
  return name !== "default" && button({ does: `activate ${name}`, label: "Turn on", to: name });
}

/** A rule's fields as text. */
export function ruleFields(rule: object): string {
  return Object.entries(rule)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
}

/** Charge rules, one timeline each. */
export function ruleTimelines(rules: readonly ChargeRule[]): Markup[] {
  return rules.map(({ match, timeline }) => timelineMarkup(match, timeline));
}

/** Draws a timeline with the delays between its statuses. */
function timelineMarkup(match: object | undefined, timeline: readonly ChargeEntry[]): Markup {
  return html`<p class="drawn"><span class="soft">${match === undefined ? "every charge" : ruleFields(match)}:</span> <span class="stop">PENDING</span>${timeline.length === 0 && html`<span class="gap">nothing follows</span>`}${timeline.map(
    (entry) => {
      const after = "after" in entry ? entry.after : `expiry + ${entry.after_expiry}`;
      return html`<span class="gap">${after}</span><span class="stop ${statusTone(entry.to)}">${entry.to}${entry.reason !== undefined && html` <small>${entry.reason}</small>`}</span>`;
    },
  )}</p>`;
}
