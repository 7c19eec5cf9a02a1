import { receiverName } from "../../../core/engine/log-views.js";
import { html, type Markup } from "../../html.js";
import { command } from "../curl.js";
import { badge, copy, form, many, part, row, rows, snippet, when } from "../parts.js";
import { type Explored, reportsOf } from "../reports.js";
import type { Scene } from "../scene.js";
import { booksPart } from "./books.js";
import { coverageParts } from "./coverage.js";
import { doctorPart, probesPart } from "./receiver-check.js";

/** Advice, receiver check, record comparison, explore report and coverage. */
export function checksView(context: Scene): Markup {
  const advice = context.namespace.advisor.log.items();
  return html`<h1>Checks</h1>
${part({
  id: "advice",
  title: `Advice: ${advice.length}`,
  body: rows(
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
${doctorPart(context)}
${probesPart(context)}
${booksPart(context)}
${exploredPart(context)}
${coverageParts(context)}`;
}

/** Replaces receiver ids by their URLs. */
function withReceiverNames({ namespace }: Scene, text: string): string {
  return text.replace(/we_[0-9a-f]+/g, (id) => receiverName(namespace.engine.state.get("endpoints", id)));
}

type Finding = Explored["report"]["findings"][number];

/** A pasted `explore` report. */
function exploredPart(context: Scene): Markup {
  const { explored } = reportsOf(context.namespace);
  const explore = command(context, "explore flow.yaml --app http://localhost:3000 --save findings --json");
  return part({
    id: "explored",
    title: "What explore found",
    tools: copy("Copy command", explore),
    body: html`${
      explored === undefined
        ? html`<p>From one happy flow, <code>explore</code> finds which order of webhooks, duplicate or lost response makes your app go wrong. Paste what its <code>--json</code> printed, or choose the file.</p>`
        : html`<p>${explored.report.findings.length === 0 ? badge("nothing found", "good") : badge(many(explored.report.findings.length, "finding"), "bad")} ${explored.report.sentence} <span class="soft">Read at ${when(context, explored.at)}.</span></p>
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

function findingItem(context: Scene, { oracle, message, deviations, story, file }: Finding): Markup {
  return html`<li>${badge(oracle, "bad")} <strong>${message}</strong>${deviations.length > 0 && html`<br><span class="soft">It takes ${deviations.map(({ kind, at }) => `${kind} at ${at}`).join(", ")}.</span>`}
${story !== undefined && html`<details><summary>Baseline and failing run</summary><pre tabindex="0" aria-label="Baseline">${story.plain.join("\n")}</pre><pre tabindex="0" aria-label="Failing run">${story.failing.join("\n")}</pre></details>`}
${file !== undefined && snippet("Reproduce", command(context, `run ${file} --app http://localhost:3000`))}</li>`;
}
