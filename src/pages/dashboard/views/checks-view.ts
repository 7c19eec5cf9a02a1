import { receiverName } from "../../../core/engine/log-responses.js";
import { html, type Markup } from "../../html.js";
import { badge, copyButton, form, plural, row, rowList, section, snippet, timeTag } from "../components.js";
import type { PageContext } from "../page-context.js";
import { type ExploreReport, reportsOf } from "../reports.js";
import { cliCommand } from "../shell-commands.js";
import { recordsSection } from "./app-records.js";
import { coverageSections } from "./coverage.js";
import { probesSection, receiverCheckSection } from "./receiver-check-view.js";

/** Advice, receiver check, record comparison, explore report and coverage. */
export function checksView(context: PageContext): Markup {
  const advice = context.namespace.advisor.log.items();
  return html`<h1>Checks</h1>
${section({
  id: "advice",
  title: `Advice: ${advice.length}`,
  body: rowList(
    "Advice",
    advice.map((item) =>
      row(context, {
        key: item.id,
        status: badge(`${item.times}×`, "warn"),
        title: item.advice,
        sub: html`${item.why}. Last: <bdi>${withReceiverNames(context, item.example)}</bdi>`,
        side: html`<code>${item.docs}</code>`,
      }),
    ),
    "None: your app does nothing that the service advises against.",
  ),
})}
${receiverCheckSection(context)}
${probesSection(context)}
${recordsSection(context)}
${exploredPart(context)}
${coverageSections(context)}`;
}

/** Replaces receiver ids by their URLs. */
function withReceiverNames({ namespace }: PageContext, text: string): string {
  return text.replace(/we_[0-9a-f]+/g, (id) => receiverName(namespace.engine.state.get("endpoints", id)));
}

type Finding = ExploreReport["report"]["findings"][number];

/** A pasted `explore` report. */
function exploredPart(context: PageContext): Markup {
  const { explored } = reportsOf(context.namespace);
  const explore = cliCommand(context, "explore flow.yaml --app http://localhost:3000 --save findings --json");
  return section({
    id: "explored",
    title: "What explore found",
    tools: copyButton("Copy command", explore),
    body: html`${
      explored === undefined
        ? html`<p>From one happy flow, <code>explore</code> finds which order of webhooks, duplicate or lost response makes your app go wrong. Paste what its <code>--json</code> printed, or choose the file.</p>`
        : html`<p>${explored.report.findings.length === 0 ? badge("nothing found", "good") : badge(plural(explored.report.findings.length, "finding"), "bad")} ${explored.report.sentence} <span class="soft">Read at ${timeTag(context, explored.at)}.</span></p>
<ul class="findings">${explored.report.findings.map((item) => findingItem(context, item))}</ul>`
    }
${form(
  context,
  html`<label class="field whole"><span>Report</span><textarea name="report" rows="2" spellcheck="false"></textarea></label>
<label class="field"><span>or a file</span><input type="file" name="file" accept=".json,.jsonl,.txt,text/plain"></label>
<button name="do" value="explored">Show</button>`,
  "Show a report of explore",
  "multipart/form-data",
)}`,
  });
}

function findingItem(context: PageContext, { oracle, message, deviations, story, file }: Finding): Markup {
  return html`<li>${badge(oracle, "bad")} <strong>${message}</strong>${deviations.length > 0 && html`<br><span class="soft">It takes ${deviations.map(({ kind, at }) => `${kind} at ${at}`).join(", ")}.</span>`}
${story !== undefined && html`<details><summary>Baseline and failing run</summary><pre tabindex="0" aria-label="Baseline">${story.plain.join("\n")}</pre><pre tabindex="0" aria-label="Failing run">${story.failing.join("\n")}</pre></details>`}
${file !== undefined && snippet("Reproduce", cliCommand(context, `run ${file} --app http://localhost:3000`))}</li>`;
}
