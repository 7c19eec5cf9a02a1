import type { StoredScenario } from "../../../core/engine/records.js";
import type { RunStep } from "../../../core/namespace/injected-tools.js";
import { writeYaml } from "../../../core/schema/write-yaml.js";
import { html, type Markup } from "../../html.js";
import {
  badge,
  button,
  form,
  input,
  jsonField,
  plural,
  row,
  rowList,
  section,
  snippet,
  type Tone,
  timeTag,
  toJson,
} from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { countAppSteps, reportsOf, type ScenarioRun } from "../reports.js";
import { cliCommand } from "../shell-commands.js";
import { activationButton, ruleFields, ruleTimelines } from "./scenarios-view.js";

const TONES: Readonly<Record<RunStep["outcome"], Tone>> = {
  passed: "good",
  failed: "bad",
  error: "bad",
  not_run: "",
};

/** A scenario: its rules, a run of its steps, its file, and a form to duplicate it. */
export function scenarioView(context: PageContext, stored: StoredScenario): Markup {
  const { name, scenario, activated } = stored;
  const { source, webhooks = [], faults = [], withdrawals = [] } = scenario;
  const file = source ?? scenario;
  const { run } = reportsOf(context.namespace);
  const applied = context.namespace.engine.rules.of(scenario);
  const ruleNames = Object.keys(applied);
  const calls = countAppSteps(source?.steps);
  const callsApp = calls > 0;
  const ownRun = run?.name === name ? run : undefined;
  const runUrl = `${viewUrl(context, "scenarios", name)}#run`;
  return html`<p class="back"><a href="${viewUrl(context, "scenarios")}">← Scenarios</a></p>
<div class="object" data-part id="scenario"><h1>${name} ${activated > 0 && badge("active", "warn")}</h1>
${scenario.description !== undefined && html`<p>${scenario.description.trim()}</p>`}
<div class="actions">${activationButton(stored)}${source !== undefined && !callsApp && button({ does: `run ${name}`, label: "Run its steps", to: name, kind: "main", there: runUrl })}<a class="button" href="#save">Duplicate</a></div>
${
  callsApp &&
  form(
    context,
    html`${input({ name: "app", label: "Your app's URL", value: context.submitted?.get("app") ?? (ownRun?.app || ""), hint: "http://localhost:3000", required: true })}
<button name="do" value="run ${name}" class="main" data-there="${runUrl}">Run its steps</button>
<p class="soft">${plural(calls, "step")} of it ${calls === 1 ? "calls" : "call"} your app, so a run needs its URL. On the command line: <code>${cliCommand(context, `run ${name}.yaml --app URL`)}</code></p>`,
    "Run its steps",
  )
}</div>
${section({
  id: "rules",
  title: "Rules",
  body: html`${ruleTimelines(scenario.charges ?? [])}${[
    ["withdrawals", withdrawals],
    ["webhooks", webhooks],
    ["faults", faults],
  ].map(([kind, list]) =>
    (list as readonly object[]).map(
      (rule, index) => html`<p><code>${kind as string}.${index}</code> ${ruleFields(rule)}</p>`,
    ),
  )}
<p class="soft">${
    Object.entries(applied)
      .filter(([, times]) => times > 0)
      .map(([rule, times]) => `${rule} applied ${times}×`)
      .join(", ") || (ruleNames.length === 0 ? "No rules: only steps." : "No rule has been applied yet.")
  }</p>`,
})}
${source !== undefined && section({ id: "run", grows: true, title: runTitle(run, name), body: ownRun === undefined ? html`<p class="soft">Its steps have not been run from this page.</p>` : stepList(context, ownRun) })}
${section({ id: "yaml", title: "File", body: html`${snippet(`${name}.yaml`, writeYaml(file), "c")}${snippet("Command line", cliCommand(context, `scenario use ${name}`))}` })}
${section({
  id: "save",
  title: "Duplicate",
  body: form(
    context,
    html`${input({ name: "name", label: "Name", value: `${name}_2`, required: true })}
<label class="field"><span>Replace an existing scenario</span><input type="checkbox" name="replace"></label>
${jsonField("scenario", "Scenario (JSON)", toJson(file), { rows: 12, kind: "object" })}
<button name="do" value="duplicate ${name}">Save</button>`,
    "Duplicate",
  ),
})}`;
}

function runTitle(run: ScenarioRun | undefined, name: string): string {
  if (run?.name !== name) return "Run";
  if (run.report === undefined) return `Run: step ${run.steps.length + 1} of ${run.of || "…"}`;
  return `Run: ${run.report.outcome}`;
}

/** Finished steps, the running step, and the number left. */
function stepList(context: PageContext, { at, of, current, steps: finished, report }: ScenarioRun): Markup {
  const left = of - finished.length - (current === undefined ? 0 : 1);
  return html`<p class="soft">${timeTag(context, at)}${report !== undefined && html`, ${Math.round(report.duration_ms)} ms`}</p>
${report?.error !== undefined && html`<p class="why"><strong>Why:</strong> ${report.error}</p>`}
${rowList(
  "Steps",
  [
    ...finished.map((step) => stepRow(context, step)),
    ...(current === undefined
      ? []
      : [
          row(context, {
            key: `step-${finished.length + 1}`,
            status: badge("running", "warn"),
            title: current,
          }),
        ]),
    ...(report === undefined && left > 0
      ? [row(context, { key: "left", status: badge("waiting", ""), title: plural(left, "more step") })]
      : []),
  ],
  "Starting.",
)}
${(report?.never_happened.length ?? 0) > 0 && html`<p>${badge("never happened", "warn")} ${report!.never_happened.join(", ")}: the cases they cover were not tested.</p>`}`;
}

function stepRow(context: PageContext, { number, title, outcome, duration_ms, failure }: RunStep): Markup {
  return row(context, {
    key: `step-${number}`,
    status: badge(outcome.replace("_", " "), TONES[outcome]),
    title: `${number}. ${title}`,
    sub: failure?.message,
    side: outcome !== "not_run" && `${Math.round(duration_ms)} ms`,
    tone: TONES[outcome] === "bad" ? "bad" : "",
  });
}
