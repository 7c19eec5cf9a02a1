import { appEnvironment } from "../../../core/client/control-client.js";
import type { Charge } from "../../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../../core/domain/withdrawal.js";
import type { Task } from "../../../core/engine/records.js";
import type { RequestEntry } from "../../../core/namespace/request-journal.js";
import { effectText, matchText } from "../../../core/reports/rule-text.js";
import { iso } from "../../../core/schema/time.js";
import { type Content, html, type Markup } from "../../html.js";
import { statusOf } from "../../payment-status.js";
import * as ui from "../components.js";
import { dueTasks } from "../deliveries.js";
import { currentUrl, isInMode, type PageContext, viewUrl } from "../page-context.js";
import { cliCommand, controlCurl } from "../shell-commands.js";
import { attentionRows } from "./attention-rows.js";
import { activeFaults } from "./faults-view.js";
import { taskText } from "./payment-timeline.js";
import { chargeRow, isRequestInMode, objectText, requestRow, withdrawalRow } from "./record-rows.js";
import { activeScenarios } from "./scenarios-view.js";

const MAX_ROWS = 30;
const MAX_PAYOUTS = 10;
/** Calls read, before those that end alike are folded. */
const MAX_FOLDED = 200;
const DUE_ROWS = 8;
const MAX_DUE_ROWS = 200;

/** Entries that need attention, and recent activity. */
export function activityView(context: PageContext): Markup {
  const { state } = context.namespace.engine;
  const isNew = state.tables.charges.size === 0 && context.namespace.journal.entries().length === 0;
  if (isNew) return setupView(context);
  return html`<h1 class="unseen">Activity</h1>
${ui.section({
  id: "attention",
  title: "Needs attention",
  body: html`${ui.rowList(
    "Needs attention",
    attentionRows(context),
    "Nothing is wrong.",
  )}${inEffect(context)}${
    state.endpoints().length === 0 &&
    html`<p class="none">No receiver of webhooks yet: <a
href="${viewUrl(context, "webhooks")}">add one</a>.</p>`
  }`,
})}
${dueSection(context, "soon", 3)}
${ui.section({
  id: "activity",
  title: "Activity",
  body: ui.rowList(
    "Activity",
    activityRows(context),
    "Nothing yet: calls, charges and payouts of your app appear here.",
  ),
})}`;
}

/** Scenarios and faults that apply to what comes. */
function inEffect(context: PageContext): Markup | false {
  const rules = [
    ...activeScenarios(context).map(
      ({ name }) => html`scenario <a href="${viewUrl(context, "scenarios")}#${name}">${name}</a>`,
    ),
    ...activeFaults(context).map(
      ({ rule }) =>
        html`<a href="${viewUrl(context, "faults")}">fault ${matchText(rule)} → ${effectText(rule)}</a>`,
    ),
  ];
  return rules.length > 0 && html`<p class="none">In effect: ${ui.joinWithDots(rules)}</p>`;
}

type TimedRow = readonly [at: string, row: Markup];

/** Charges, payouts, and the calls that no row of them tells of. */
function activityRows(context: PageContext): Markup[] {
  const { state } = context.namespace.engine;
  const matches = (record: Charge | Withdrawal) => isInMode(context, record);
  const charges = state.pageOfKinds("charges", matches, 0, MAX_ROWS).items;
  const payouts = state.pageOfKinds("withdrawals", matches, 0, MAX_PAYOUTS).items;
  const payments = [...charges, ...payouts].map((record): TimedRow => {
    const { at } = statusOf(context.namespace, record);
    const isCharge = "charge_id" in record;
    return [at, isCharge ? chargeRow(context, record, at) : withdrawalRow(context, record, at)];
  });
  const requests = ui
    .groupConsecutive(
      context.namespace.journal
        .entries()
        .slice(0, MAX_FOLDED)
        .filter((request) => isRequestInMode(context, request) && isTold(request)),
      outcomeKey,
    )
    .slice(0, MAX_ROWS)
    .map(([newest, ...others]): TimedRow => [iso(newest.atMs), requestRow(context, newest, others)]);
  return [...payments, ...requests]
    .sort(([a], [b]) => (a < b ? 1 : a > b ? -1 : 0))
    .slice(0, MAX_ROWS)
    .map(([, row]) => row);
}

/** Calls already visible in the charge's row. */
const CHARGE_OPERATIONS = new Set(["createQuote", "createWhitelabel", "createCheckout", "getCharge"]);

function isTold({ status, operation, tolerated = [] }: RequestEntry): boolean {
  return (status ?? 500) >= 400 || !CHARGE_OPERATIONS.has(operation ?? "") || tolerated.length > 0;
}

function outcomeKey({ method, path, status, inFlight, fault, responseBody }: RequestEntry): string {
  return [method, path, status, inFlight, fault, (status ?? 500) >= 400 && responseBody].join(" ");
}

/** Setup instructions for an empty namespace. */
function setupView(context: PageContext): Markup {
  const { namespace, origin } = context;
  const { apiKey, webhookSecret } = namespace.info;
  const receivers = namespace.engine.state.endpoints().length;
  const env = Object.entries(appEnvironment({ url: origin, apiKey, webhookSecret }))
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
  return html`<h1>Three steps to your first payment</h1>
<ol class="steps">
<li data-part id="step-1"><h2>1. Point your app here</h2>${ui.snippet(".env", env)}</li>
<li data-part id="step-2"><h2>2. Make a charge</h2><p>Let your app pay for something, or ${ui.button({
    does: ["make"],
    label: "Make one for me",
    kind: "main",
  })}</p>${ui.snippet("On the command line", cliCommand(context, "charge create"))}</li>
<li data-part id="step-3"><h2>3. Receive its webhook ${receivers > 0 && ui.badge("done", "good")}</h2>${ui.actionForm(
    context,
    html`${ui.input({
      name: "url",
      label: "Your receiver's URL",
      hint: "http://localhost:3000/webhooks",
      required: true,
    })}${ui.submitButton({ does: ["createWebhookEndpoint"], label: "Save" })}`,
    "Add a receiver",
  )}
${ui.snippet("As curl", controlCurl(context, "createWebhookEndpoint", { url: "http://localhost:3000/webhooks" }))}</li>
</ol>`;
}

/** Due tasks, beside the page's lists. */
export function asideView(context: PageContext): Markup {
  return dueSection(context, "next", context.query.get("due") === "all" ? MAX_DUE_ROWS : DUE_ROWS);
}

/** The nearest due tasks. Narrow screens, which have the aside below, show the nearest above Activity too. */
function dueSection(context: PageContext, id: "next" | "soon", maxRows: number): Markup {
  const { state } = context.namespace.engine;
  const groups = new Map<string, Task[]>();
  let read = 0;
  for (const task of dueTasks(context)) {
    const key = dueKey(context, task);
    groups.set(key, [...(groups.get(key) ?? []), task]);
    if (++read === MAX_DUE_ROWS) break;
  }
  const shown = [...groups.values()].slice(0, maxRows);
  const due = shown.map((tasks) => taskItem(context, tasks));
  const total = read < MAX_DUE_ROWS ? read : state.tables.tasks.size - state.tasks.inFlightCount;
  const hidden = total - shown.flat().length;
  const all = currentUrl(context, { due: "all" });
  const more = html`<li data-key="more"><span
class="at"></span>${maxRows === MAX_DUE_ROWS ? `${hidden} more` : html`<a href="${all}#next">${hidden} more</a>`}</li>`;
  const title = id === "next" ? "Up next" : "Up next: the nearest";
  const items = due.length === 0 ? html`<li data-key="none" class="none">Nothing is due.</li>` : due;
  const body = html`<ul class="small" data-list aria-label="${title}">${items}${hidden > 0 && more}</ul>`;
  return ui.section({ id, title, body });
}

/** Order, reference or id of the charge or payout that a task is about; then its customer or `more`. */
function subjectText(context: PageContext, { ref }: Task, more: number): Content {
  const { state } = context.namespace.engine;
  const id = state.get("deliveries", ref)?.object_id ?? ref;
  const subject = objectText(context, id, true);
  if (more > 0) return html`${subject} and ${more} more`;
  return ui.joinWithDots([...subject, state.get("charges", id)?.customer_email]);
}

/** Attempts of one type of event at one receiver that are due at the same time have one key. */
function dueKey(context: PageContext, task: Task): string {
  if (task.kind !== "attempt") return String(task.task_id);
  const { webhook_id } = context.namespace.engine.state.get("deliveries", task.ref) ?? {};
  return `${task.due_ms} ${webhook_id} ${taskText(context, task)}`;
}

/** Tasks that do the same at the same time; names and links the first. */
function taskItem(context: PageContext, tasks: readonly Task[]): Markup {
  const task = tasks[0]!;
  const { ref, kind, task_id, due_ms } = task;
  const view = kind === "attempt" ? "webhooks" : kind === "withdrawal" ? "money" : "charges";
  const inMs = due_ms - context.nowMs;
  const text = taskText(context, task);
  return html`<li data-key="task-${task_id}"><span
class="at">${inMs <= 0 ? "now" : `+${ui.readableDuration(inMs)}`}</span>
<a class="what" href="${viewUrl(context, view, ref)}"><span>${text}</span> <span
class="soft">${subjectText(context, task, tasks.length - 1)}</span></a></li>`;
}
