import { effectText, limitText, matchText } from "../../../core/reports/rule-text.js";
import type { RequestView } from "../../../core/schema/control-log-responses.js";
import { OPERATION_IDS } from "../../../core/schema/operation-ids.js";
import type { FaultRule } from "../../../core/schema/scenario-rules.js";
import type { Result } from "../../../server/http/page-host.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { linkTo, type PageContext, viewUrl } from "../page-context.js";
import { LONGEST_PAGE } from "../rows.js";
import { cliCommand, controlCurl } from "../shell-commands.js";
import type { View } from "../view.js";

type Fault = Result<"getFault">;

export const FAULTS: View = {
  name: "faults",
  title: "Faults",
  list: faultsView,
  count: async ({ ask }) => {
    const { items } = await ask("listFaults", { limit: LONGEST_PAGE });
    return [items.filter(ui.canStillApply).length, "active", "warn"];
  },
};

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

/** The faults with their hits, and forms for new ones. */
async function faultsView(context: PageContext): Promise<Markup> {
  const { ask, query, submitted } = context;
  const { items } = await ask("listFaults", { limit: LONGEST_PAGE });
  const requests = await ask("listRequests", { limit: LONGEST_PAGE });
  const row = (fault: Fault) => {
    const hit = requests.items.find((request) => request.fault === fault.fault_id);
    return faultRow(context, fault, hit);
  };
  const active = items.filter(ui.canStillApply);
  const used = items.filter((fault) => !ui.canStillApply(fault));
  const chosen = query.get("operation") ?? "";
  const match = { operation: chosen === "" ? CHECKOUTS : chosen };
  const ruleOf = (rule: FaultRule): FaultRule => ({ match, ...rule, times: rule.times ?? 1, per: "request" });
  const json = submitted?.get("json") ?? ui.toIndentedJson(ruleOf({ respond: { status: 503 } }));
  const calls: ui.Options = [["", "any new checkout"], ["*", "any call"], ...OPERATION_IDS];
  return html`<h1>Faults</h1>
${ui.section({
  id: "faults",
  title: `Active: ${active.length}`,
  tools: active.length > 0 && ui.button({ does: ["deleteFaults"], label: "Stop all" }),
  body: ui.rowList(
    "Active faults",
    active.map(row),
    "None: every call gets its normal response. Start one below; a scenario may have faults of its own.",
  ),
})}
${
  used.length > 0 &&
  ui.section({
    id: "used",
    title: `Used up: ${used.length}`,
    body: ui.rowList("Faults that are used up", used.map(row), ""),
  })
}
${ui.section({
  id: "new",
  title: "New fault",
  isForm: true,
  body: html`${ui.filterForm(context, ui.selectField("operation", "Call", calls, chosen), "Choose")}
<div class="actions"><span class="soft">Start now:</span>${PRESETS.map(([label, rule]) =>
    ui.button({ does: ["createFault", { json: JSON.stringify(ruleOf(rule)) }], label }),
  )}</div>
<div data-key="json ${chosen}">${ui.actionForm(
    context,
    html`${ui.textField("json", "Or as JSON", json, 15)}${ui.submitButton({
      does: ["createFault"],
      label: "Start",
      kind: "main",
    })}<a href="${linkTo(context, "/_sandbox/docs")}#createFault">All fields of a fault</a>`,
    "New fault",
  )}</div>`,
})}`;
}

function faultRow(context: PageContext, fault: Fault, hit: RequestView | undefined): Markup {
  const { fault_id, applied, ...rule } = fault;
  const isActive = ui.canStillApply(fault);
  // With `per: customer` there is no total number of hits.
  const times = rule.per === "request" ? rule.times : undefined;
  const limited = isActive ? `${applied} of ${times} used` : "used up";
  const text = times === undefined ? ui.formatCount(applied, "hit") : limited;
  const progress = html`<progress max="${times}" value="${Math.min(applied, times ?? 0)}"
aria-label="${text}"></progress> `;
  const lastHit =
    hit === undefined
      ? applied === 0 && "no hits yet"
      : html`last hit ${ui.timeTag(context, hit.at)} <a
href="${viewUrl(context, "requests", String(hit.request_id))}">${ui.callText(hit)} ↗</a>`;
  return ui.listRow(context, {
    key: fault_id,
    status: ui.badge(text, isActive ? "warn" : ""),
    title: `${matchText(rule)} → ${effectText(rule)}`,
    subtitle: html`${times !== undefined && progress}${lastHit}${limitText(rule, applied)}`,
    rowButtons: html`${ui.copyButton("Copy curl", controlCurl(context, "createFault", rule))}${ui.copyButton(
      "Copy command",
      cliCommand(context, `fault add '${JSON.stringify(rule)}'`),
    )}${isActive && ui.button({ does: ["deleteFault", { fault_id }], label: "Stop", to: fault_id })}`,
  });
}
