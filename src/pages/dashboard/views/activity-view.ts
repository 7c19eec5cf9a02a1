import { appEnvironment } from "../../../core/client/control-client.js";
import type { Charge } from "../../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../../core/domain/withdrawal.js";
import type { Delivery, Task } from "../../../core/engine/records.js";
import type { RequestEntry } from "../../../core/namespace/request-journal.js";
import { getOwn } from "../../../core/schema/json-objects.js";
import { iso } from "../../../core/schema/time.js";
import { isFailing } from "../../../server/control/record-views.js";
import { sentenceCase } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import { statusOf } from "../../payment-status.js";
import { attentionItems, deliveryFailureText, dueTasks, isOpenFailure } from "../attention.js";
import * as ui from "../components.js";
import { currentUrl, isInMode, type PageContext, viewUrl } from "../page-context.js";
import { cliCommand, controlCurl } from "../shell-commands.js";
import { taskText } from "./payment-timeline.js";
import {
  chargeRow,
  deliveryRow,
  isRequestInMode,
  objectText,
  requestRow,
  withdrawalRow,
} from "./record-rows.js";

const MAX_ROWS = 30;
/** Deliveries read, before those that fail alike are folded. */
const MAX_FOLDED = 200;
const DUE_ROWS = 8;
const MAX_DUE_ROWS = 200;
const FILTERS = ["all", "charges", "webhooks", "requests", "errors"];

/** Entries that need attention, and recent activity. */
export function activityView(context: PageContext): Markup {
  const { state } = context.namespace.engine;
  const isNew = state.tables.charges.size === 0 && context.namespace.journal.entries().length === 0;
  if (isNew) return setupView(context);
  const show = context.query.get("show") ?? "all";
  const tabs = html`<nav class="tabs" aria-label="Filter">${FILTERS.map((name) => html`<a href="${currentUrl(context, { show: name === "all" ? undefined : name })}"${name === show && html` aria-current="true"`}>${sentenceCase(name)}</a>`)}</nav>`;
  return html`<h1 class="unseen">Activity</h1>
${ui.section({
  id: "attention",
  title: "Needs attention",
  body: html`${ui.rowList(
    "Needs attention",
    attentionItems(context).map((item) => ui.listRow(context, item)),
    "Nothing: no open refused calls, no failed or held webhooks, no active scenario or fault.",
  )}${state.endpoints().length === 0 && html`<p class="none">No receiver of webhooks yet: <a href="${viewUrl(context, "webhooks")}">add one</a>.</p>`}`,
})}
${dueSection(context, "soon", 3)}
${ui.section({ id: "activity", title: "Activity", tools: tabs, body: ui.rowList("Activity", activityRows(context, show), show === "errors" ? "No errors." : "Nothing yet: calls, charges and payouts of your app appear here.") })}`;
}

type TimedRow = readonly [at: string, row: Markup];

function activityRows(context: PageContext, show: string): Markup[] {
  const { namespace } = context;
  const { state } = namespace.engine;
  const isErrors = show === "errors";
  const payments = (): TimedRow[] => {
    const matches = (record: Charge | Withdrawal) =>
      isInMode(context, record) && (!isErrors || record.status === "FAILED");
    const charges = state.pageOfKinds("charges", matches, 0, MAX_ROWS).items;
    const payouts = state.pageOfKinds("withdrawals", matches, 0, 10).items;
    return [...charges, ...payouts].map((record) => {
      const options = { at: statusOf(context.namespace, record).at, withoutId: true };
      const isCharge = "charge_id" in record;
      return [
        options.at,
        isCharge ? chargeRow(context, record, options) : withdrawalRow(context, record, options),
      ];
    });
  };
  const deliveries = (): TimedRow[] => {
    const matches = (delivery: Delivery) =>
      isInMode(context, delivery) && (!isErrors || isOpenFailure(context, delivery));
    const { items } = state.pageOfKinds("deliveries", matches, 0, MAX_FOLDED);
    return ui
      .groupConsecutive(items, failureKey)
      .slice(0, MAX_ROWS)
      .map(([newest, ...others]) => {
        const at = newest.attempts.at(-1)?.at ?? newest.created_at;
        return [at, deliveryRow(context, newest, { at, withoutId: true }, others.length + 1)];
      });
  };
  const requests = (): TimedRow[] => {
    const isShown = (request: RequestEntry) =>
      (request.status ?? 500) >= 400 ||
      show === "requests" ||
      (!isErrors &&
        (!CHARGE_OPERATIONS.has(request.operation ?? "") || (request.tolerated ?? []).length > 0));
    const matches = (request: RequestEntry) => isRequestInMode(context, request) && isShown(request);
    const items = namespace.journal.entries().slice(0, MAX_FOLDED).filter(matches);
    return ui
      .groupConsecutive(items, outcomeKey)
      .slice(0, MAX_ROWS)
      .map(([newest, ...others]) => [iso(newest.atMs), requestRow(context, newest, others)]);
  };
  const all: Record<string, () => TimedRow[]> = {
    all: () => [...payments(), ...requests()],
    charges: payments,
    webhooks: deliveries,
    requests,
    errors: () => [...payments(), ...deliveries(), ...requests()],
  };
  return (getOwn(all, show) ?? all.all!)()
    .sort(([a], [b]) => (a < b ? 1 : a > b ? -1 : 0))
    .slice(0, MAX_ROWS)
    .map(([, row]) => row);
}

/** Deliveries that fail alike at one receiver have one key. */
function failureKey(delivery: Delivery): string {
  return isFailing(delivery)
    ? `${delivery.webhook_id} ${deliveryFailureText(delivery)}`
    : delivery.delivery_id;
}

function outcomeKey({ method, path, status, inFlight, fault, responseBody }: RequestEntry): string {
  return [method, path, status, inFlight, fault, (status ?? 500) >= 400 && responseBody].join(" ");
}

/** Calls already visible in the charge's row. */
const CHARGE_OPERATIONS = new Set(["createQuote", "createWhitelabel", "createCheckout", "getCharge"]);

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
<li data-part id="step-2"><h2>2. Make a charge</h2><p>Let your app pay for something, or ${ui.button({ does: ["make"], label: "Make one for me", kind: "main" })}</p>${ui.snippet("On the command line", cliCommand(context, "charge create"))}</li>
<li data-part id="step-3"><h2>3. Receive its webhook ${receivers > 0 && ui.badge("done", "good")}</h2>${ui.actionForm(context, html`${ui.input({ name: "url", label: "Your receiver's URL", hint: "http://localhost:3000/webhooks", required: true })}${ui.submitButton({ does: ["createWebhookEndpoint"], label: "Save" })}`, "Add a receiver")}
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
  const more = html`<li data-key="more"><span class="at"></span>${maxRows === MAX_DUE_ROWS ? `${hidden} more` : html`<a href="${all}#next">${hidden} more</a>`}</li>`;
  const title = id === "next" ? "Up next" : "Up next: the nearest";
  const items = due.length === 0 ? html`<li data-key="none" class="none">Nothing is due.</li>` : due;
  const body = html`<ul class="small" data-list aria-label="${title}">${items}${hidden > 0 && more}</ul>`;
  return ui.section({ id, title, body });
}

/** Order or payout reference, else the id, of the charge or payout that a task is about; then its customer or `more`. */
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

/** Tasks that do the same at the same time, with a button that advances time to them; names and links the first. */
function taskItem(context: PageContext, tasks: readonly Task[]): Markup {
  const task = tasks[0]!;
  const { ref, kind, task_id, due_ms } = task;
  const view = kind === "attempt" ? "webhooks" : kind === "withdrawal" ? "money" : "charges";
  const inMs = due_ms - context.nowMs;
  const text = taskText(context, task);
  const go = { does: ["advanceTo", { to: iso(due_ms) }], label: "Go", to: `to ${ref} ${text}` } as const;
  return html`<li data-key="task-${task_id}"><span class="at">${inMs <= 0 ? "now" : `+${ui.readableDuration(inMs)}`}</span>
<a class="what" href="${viewUrl(context, view, ref)}"><span>${text}</span> <span class="soft">${subjectText(context, task, tasks.length - 1)}</span></a>
${inMs > 0 && ui.button(go)}</li>`;
}
