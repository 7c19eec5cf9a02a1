import type { FaultRule } from "../../../../schema/scenario.js";
import { OPERATIONS } from "../../../service/operations.js";
import { html, type Markup } from "../../html.js";
import { command, controlCurl } from "../curl.js";
import { badge, button, choice, copy, form, input, part, row, rows, wanted } from "../parts.js";
import { href, type Scene } from "../scene.js";

/** What goes wrong at the API: set one, see how often it has, stop it. */
export function faultsView(scene: Scene): Markup {
  const { engine } = scene.namespace;
  const faults = [...engine.state.tables.faults.values()].sort((a, b) => b.seq - a.seq);
  return html`<h1>Faults</h1>
${part({
  id: "new",
  title: "New fault",
  body: form(
    scene,
    html`${choice("operation", "When", [["*", "any call"], ...OPERATIONS.map(({ id, method, path }): [string, string] => [id, `${id} (${method} ${path})`])], scene.query.get("operation") ?? "createWhitelabel")}
${choice(
  "effect",
  "Then",
  [
    ["503", "answer 503"],
    ["500", "answer 500"],
    ["429", "answer 429"],
    ["502", "answer 502"],
    ["slow", "answer 3 s later"],
    ["before", "drop the connection before the work"],
    ["after", "drop the connection after the work"],
    ["hang", "never answer"],
  ],
  "503",
)}
${input({ name: "times", label: "Times", value: "1", type: "number" })}${input({ name: "skip", label: "After letting pass", value: "0", type: "number" })}
<button name="do" value="fault" class="main">Start</button>`,
    "New fault",
  ),
})}
${part({
  id: "faults",
  title: `Active: ${faults.length}`,
  tools: faults.length > 0 && button({ does: "faults-off", label: "Stop all" }),
  body: rows(
    "Active faults",
    faults.map(({ fault_id, rule }) => {
      const applied = scene.namespace.faults.applied(fault_id);
      const hit = scene.namespace.journal.entries().find((one) => one.fault === fault_id);
      const left = rule.times === undefined ? undefined : rule.times - applied;
      return row(scene, {
        key: fault_id,
        status: badge(
          left === undefined ? `${applied} hits` : left <= 0 ? "used up" : `${applied} of ${rule.times} used`,
          left !== undefined && left <= 0 ? "" : "warn",
        ),
        title: `${wanted(rule.match?.operation ?? "any call")} → ${effectOf(rule)}`,
        sub: html`${left !== undefined && html`<progress max="${rule.times ?? 1}" value="${Math.min(applied, rule.times ?? 1)}" aria-label="${applied} of ${rule.times} used"></progress> `}${hit === undefined ? "no call has met it yet" : html`last hit by <a href="${href(scene, "requests", String(hit.id))}">${hit.method} ${hit.path}</a>`}${(rule.skip ?? 0) > 0 && ` · lets ${rule.skip} pass first`}`,
        acts: html`${copy("Copy curl", controlCurl(scene, "POST /_sandbox/faults", rule))}${copy("Copy command", command(scene, `fault add '${JSON.stringify(rule)}'`))}${button({ does: `fault-off ${fault_id}`, label: "Stop", to: fault_id })}`,
      });
    }),
    "None: every call is answered as it should be. A scenario may have faults of its own.",
  ),
})}`;
}

function effectOf(rule: FaultRule): string {
  const { respond, delay, delay_answer, drop, hold, stale } = rule;
  return [
    respond !== undefined &&
      `answer ${respond.status}${respond.code === undefined ? "" : ` ${respond.code}`}`,
    delay !== undefined && `${delay} before the work`,
    delay_answer !== undefined && `${delay_answer} after the work`,
    drop !== undefined && (drop === "hang" ? "never answer" : `drop the connection ${drop} the work`),
    hold !== undefined && `hold the answer until ${hold}`,
    stale !== undefined && `reads as of ${stale} ago`,
  ]
    .filter(Boolean)
    .join(", ");
}
