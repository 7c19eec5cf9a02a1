import { matches } from "../../../../domain/scenario.js";
import { isRefusal } from "../../../../schema/errors.js";
import { type FaultRule, faultRuleSchema } from "../../../../schema/scenario.js";
import { subjectOfEntry } from "../../../service/fault-subject.js";
import { OPERATIONS } from "../../../service/operations.js";
import { html, type Markup } from "../../html.js";
import { command, controlCurl } from "../curl.js";
import { DEFAULTS, EFFECTS, faultIn, MATCHERS, READY } from "../fault-form.js";
import { button, choice, copy, form, input, json, many, part } from "../parts.js";
import { href, type Scene } from "../scene.js";

/** What a rule would have met is said of so many calls. */
const LOOKED_AT = 100;
const SHOWN = 5;
const PER = [
  ["request", "all calls together"],
  ["customer", "each customer's calls"],
  ["charge", "each charge's calls"],
] as const;
const FIELDS = Object.keys(faultRuleSchema.shape.match.def.innerType.shape).map((name) =>
  name === "metadata" ? "metadata.order_id" : name,
);

/** A new fault, filled in; the address keeps what is, so that it can be looked at and sent to a colleague. */
export function faultBuilder(scene: Scene): Markup {
  const asked = scene.typed ?? scene.query;
  const said = (name: string) => asked.get(name) ?? DEFAULTS[name] ?? "";
  const operations = OPERATIONS.map(({ id, method, path }): [string, string] => [
    id,
    `${id} (${method} ${path})`,
  ]);
  const effect = /^\d{3}$/.test(said("effect")) ? "respond" : said("effect");
  return html`${part({
    id: "new",
    title: "New fault",
    body: html`<div class="actions">${READY.map(([name, label]) => button({ does: `fault-ready ${name}`, label }))}</div>${form(
      scene,
      html`${scene.mode !== undefined && html`<input type="hidden" name="mode" value="${scene.mode}">`}
${choice("operation", "When", [["*", "any call"], ...operations], said("operation"))}
${MATCHERS.map((place) => html`${input({ name: `field${place}`, label: place === 1 ? "has the field" : "and the field", value: said(`field${place}`), hint: place === 1 ? "customer_email" : "metadata.order_id", list: "fault-fields" })}${input({ name: `value${place}`, label: "like", value: said(`value${place}`), hint: place === 1 ? "*@shop.test" : "A-10*" })}`)}
<datalist id="fault-fields" data-preview>${FIELDS.map((name) => html`<option value="${name}"></option>`)}</datalist>
${choice("effect", "Then", EFFECTS, effect)}
${input({ name: "status", label: "Status", value: said("status"), type: "number", min: 400, max: 599 })}
${input({ name: "code", label: "Code", value: said("code"), hint: "the usual one" })}
${input({ name: "delay", label: "Wait", value: said("delay"), hint: "300ms" })}
${input({ name: "times", label: "Times", value: said("times"), type: "number", min: 1, hint: "ever" })}
${input({ name: "skip", label: "After letting pass", value: said("skip"), type: "number", min: 0 })}
${input({ name: "probability", label: "Probability", value: said("probability"), hint: "1" })}
${choice("per", "Counting", PER, said("per"))}
<button name="do" value="fault" class="main">Start</button><noscript><button formmethod="get" formaction="${href(scene, "faults")}">See what it matches</button></noscript>`,
      "New fault",
    )}`,
  })}
${part({ id: "preview", title: "What it would meet", body: preview(scene, asked) })}`;
}

function preview(scene: Scene, asked: URLSearchParams): Markup {
  const rule = faultIn(asked);
  if (isRefusal(rule))
    return html`<p class="why">${
      Object.entries(rule.details ?? {})
        .map(([field, why]) => `${field} ${why}`)
        .join("; ") || rule.message
    }</p>`;
  const { total, met } = metBy(scene, rule);
  return html`<p><strong>Matches ${met.length} of your last ${many(total, "request")}.</strong> ${met.slice(0, SHOWN).map((entry) => html`<a href="${href(scene, "requests", String(entry.id))}">${entry.method} ${entry.path}</a> `)}</p>
<pre tabindex="0" aria-label="The rule as JSON">${json(rule)}</pre>
<div class="actions">${copy("Copy JSON", json(rule))}${copy("Copy CLI", command(scene, `fault add '${JSON.stringify(rule).replaceAll("'", "'\\''")}'`))}${copy("Copy curl", controlCurl(scene, "POST /_sandbox/faults", rule), "c")}</div>`;
}

function metBy({ namespace }: Scene, rule: FaultRule) {
  const calls = namespace.journal.entries().filter(({ operation }) => operation !== null);
  const last = calls.slice(0, LOOKED_AT);
  return {
    total: last.length,
    met: last.filter((entry) => matches(rule.match, subjectOfEntry(namespace, entry))),
  };
}
