import type { StoredFault } from "../../../core/engine/records.js";
import type { RequestEntry } from "../../../core/namespace/request-journal.js";
import { effectText, matchText } from "../../../core/reports/rule-text.js";
import { OPERATION_IDS } from "../../../core/schema/operation-ids.js";
import type { FaultRule } from "../../../core/schema/scenario-rules.js";
import { iso } from "../../../core/schema/time.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { linkTo, type PageContext, viewUrl } from "../page-context.js";
import { cliCommand, controlCurl } from "../shell-commands.js";

/** Common faults of one call, one button each. */
const PRESETS: readonly (readonly [label: string, rule: FaultRule])[] = [
  ["503 on the next call", { respond: { status: 503 } }],
  ["503 on the next two calls", { respond: { status: 503 }, times: 2 }],
  ["503 on the second call", { respond: { status: 503 }, skip: 1 }],
  ["429 on the next call", { respond: { status: 429, headers: { "retry-after": "2" } } }],
  ["Respond after 5 s", { delay: "5s" }],
  ["Never respond", { drop: "hang" }],
  ["Lose the request", { drop: "before" }],
  ["Lose the response", { drop: "after" }],
];

const CHECKOUTS = ["createWhitelabel", "createCheckout"];

/** The active faults with their hits, and forms for new ones. */
export function faultsView(context: PageContext): Markup {
  const { namespace } = context;
  const faults = [...namespace.engine.state.tables.faults.values()].sort((a, b) => b.seq - a.seq);
  const hits = lastHits(context);
  const chosen = context.query.get("operation") ?? "";
  const match = { operation: chosen === "" ? CHECKOUTS : chosen };
  const ruleOf = (rule: FaultRule): FaultRule => ({
    match,
    ...rule,
    times: rule.times ?? 1,
    per: "request",
  });
  return html`<h1>Faults</h1>
${ui.section({
  id: "faults",
  title: `Active: ${activeFaults(context).length}`,
  tools: faults.length > 0 && ui.button({ does: ["deleteFaults"], label: "Stop all" }),
  body: ui.rowList(
    "Active faults",
    faults.map((fault) => faultRow(context, fault, hits.get(fault.fault_id))),
    "None: every call gets its normal response. Start one below; a scenario may have faults of its own.",
  ),
})}
${ui.section({
  id: "new",
  title: "New fault",
  isForm: true,
  body: html`${ui.filterForm(
    context,
    ui.selectField(
      "operation",
      "Call",
      [["", "any new checkout"], ["*", "any call"], ...OPERATION_IDS],
      chosen,
    ),
    "Choose",
  )}
<div class="actions"><span class="soft">Start now:</span>${PRESETS.map(([label, rule]) =>
    ui.button({ does: ["createFault", { json: JSON.stringify(ruleOf(rule)) }], label }),
  )}</div>
<div data-key="json ${chosen}">${ui.actionForm(
    context,
    html`${ui.textField(
      "json",
      "Or as JSON",
      context.submitted?.get("json") ?? ui.toIndentedJson(ruleOf({ respond: { status: 503 } })),
      15,
    )}${ui.submitButton({ does: ["createFault"], label: "Start", kind: "main" })}<a
href="${linkTo(context, "/_sandbox/docs")}#createFault">All fields of a fault</a>`,
    "New fault",
  )}</div>`,
})}`;
}

/** The newest journal entry of each fault. */
function lastHits({ namespace }: PageContext): Map<string, RequestEntry> {
  const hits = new Map<string, RequestEntry>();
  for (const entry of namespace.journal.entries())
    if (entry.fault !== null && !hits.has(entry.fault)) hits.set(entry.fault, entry);
  return hits;
}

/** How often a fault applied. `times` is the total number of hits, if it has one: not with `per: customer`. */
function faultUse({ namespace }: PageContext, { fault_id, rule }: StoredFault) {
  const applied = namespace.faults.countApplied(fault_id);
  const times = rule.per === "request" ? rule.times : undefined;
  const isUsedUp = times !== undefined && applied >= times;
  const limited = isUsedUp ? "used up" : `${applied} of ${times} used`;
  return { applied, times, isUsedUp, text: times === undefined ? ui.formatCount(applied, "hit") : limited };
}

/** Faults that can still apply, with how often they did. */
export function activeFaults(context: PageContext) {
  const { faults } = context.namespace.engine.state.tables;
  return [...faults.values()].flatMap((fault) => {
    const { isUsedUp, text } = faultUse(context, fault);
    return isUsedUp ? [] : { ...fault, text };
  });
}

function faultRow(context: PageContext, fault: StoredFault, hit: RequestEntry | undefined): Markup {
  const { fault_id, rule } = fault;
  const { applied, times, isUsedUp, text } = faultUse(context, fault);
  const lastHit =
    hit === undefined
      ? "no hits yet"
      : html`last hit ${ui.timeTag(context, iso(hit.atMs))} <a
href="${viewUrl(context, "requests", String(hit.id))}">${ui.callText(hit)} ↗</a>`;
  return ui.listRow(context, {
    key: fault_id,
    status: ui.badge(text, isUsedUp ? "" : "warn"),
    title: `${matchText(rule)} → ${effectText(rule)}`,
    subtitle: html`${
      times !== undefined &&
      html`<progress max="${times}" value="${Math.min(applied, times)}"
aria-label="${text}"></progress> `
    }${lastHit}${limitText(rule, applied)}`,
    rowButtons: html`${ui.copyButton("Copy curl", controlCurl(context, "createFault", rule))}${ui.copyButton(
      "Copy command",
      cliCommand(context, `fault add '${JSON.stringify(rule)}'`),
    )}${!isUsedUp && ui.button({ does: ["deleteFault", { fault_id }], label: "Stop", to: fault_id })}`,
  });
}

export function limitText(
  { skip = 0, probability, times, per = "customer" }: FaultRule,
  applied = 0,
): string {
  const share = probability === undefined ? "" : ` · ${Math.round(Number(probability) * 100)} % of calls`;
  const scope = times !== undefined && per !== "request" ? ` · ${times} for each ${per}` : "";
  // Calls without a customer count together with all others; an order always has a count of its own.
  const usedUp = per === "customer" ? "used up for calls without a customer, " : "";
  const rest = scope !== "" && applied >= times! ? ` · ${usedUp}live for a new ${per}` : "";
  return `${scope}${rest}${skip > 0 ? ` · skips the first ${skip}` : ""}${share}`;
}
