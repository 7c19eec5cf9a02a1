import { html, type Markup } from "../../html.js";
import { command } from "../curl.js";
import { badge, copy, form, many, part, snippet, when } from "../parts.js";
import { type Explored, reportsOf } from "../reports.js";
import type { Scene } from "../scene.js";

type Finding = Explored["report"]["findings"][number];

/** What `explore` has found, from its report. */
export function exploredPart(scene: Scene): Markup {
  const { explored } = reportsOf(scene.namespace);
  const explore = command(scene, "explore flow.yaml --app http://localhost:3000 --save findings --json");
  return part({
    id: "explored",
    title: "What explore found",
    tools: copy("Copy command", explore),
    body: html`${
      explored === undefined
        ? html`<p>From one happy flow, <code>explore</code> finds which order of webhooks, duplicate or lost response makes your app go wrong. Paste what its <code>--json</code> printed, or choose the file.</p>`
        : html`<p>${explored.report.findings.length === 0 ? badge("nothing found", "good") : badge(many(explored.report.findings.length, "finding"), "bad")} ${explored.report.sentence} <span class="soft">Read at ${when(scene, explored.at)}.</span></p>
<ul class="findings">${explored.report.findings.map((one) => finding(scene, one))}</ul>`
    }
${form(
  scene,
  html`<label class="field whole"><span>Report</span><textarea name="report" rows="2" spellcheck="false"></textarea></label>
<label class="field"><span>or a file</span><input type="file" name="file" accept=".json,.jsonl,.txt,text/plain"></label>
<button name="do" value="explored">Show</button>`,
  "Show a report of explore",
  "multipart/form-data",
)}`,
  });
}

function finding(scene: Scene, { oracle, message, deviations, story, file }: Finding): Markup {
  return html`<li>${badge(oracle, "bad")} <strong>${message}</strong>${deviations.length > 0 && html`<br><span class="soft">It takes ${deviations.map(({ kind, at }) => `${kind} at ${at}`).join(", ")}.</span>`}
${story !== undefined && html`<details><summary>A plain run, and this one</summary><pre tabindex="0" aria-label="A plain run">${story.plain.join("\n")}</pre><pre tabindex="0" aria-label="The run that failed">${story.failing.join("\n")}</pre></details>`}
${file !== undefined && snippet("See it again", command(scene, `run ${file} --app http://localhost:3000`))}</li>`;
}
