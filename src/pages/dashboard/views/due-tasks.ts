import type { Task } from "../../../core/engine/records.js";
import { iso } from "../../../core/schema/time.js";
import { type Content, html, type Markup } from "../../html.js";
import { button, readableDuration, shortIdMarkup } from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";

/** Describes what a task will do. */
export function taskText({ namespace }: PageContext, { kind, ref, step = 0 }: Task): string {
  const { state } = namespace.engine;
  switch (kind) {
    case "expire":
      return "EXPIRED, if unpaid";
    case "timeline":
      return state.get("charges", ref)?.timeline[step]?.to ?? "next step";
    case "withdrawal":
      return state.get("withdrawals", ref)?.timeline[step]?.to ?? "next step";
    case "settle":
      return "settlement";
    case "attempt": {
      const delivery = state.get("deliveries", ref);
      return `${(delivery?.attempts.length ?? 0) > 0 ? "retry " : ""}${delivery?.event_type ?? "webhook"}`;
    }
  }
}

/** Customer, payout reference or id of the charge or payout that a task is about. */
function subjectText({ namespace }: PageContext, { ref }: Task): Content {
  const { state } = namespace.engine;
  const id = state.get("deliveries", ref)?.object_id ?? ref;
  const name = state.get("charges", id)?.customer_email ?? state.get("withdrawals", id)?.reference;
  return name ?? shortIdMarkup(id);
}

/** Attempts of one type of event that are due at the same time have one key. */
export function dueKey(context: PageContext, task: Task): string {
  return task.kind === "attempt" ? `${task.due_ms} ${taskText(context, task)}` : String(task.task_id);
}

/** `count` tasks that do the same at the same time, with a button that advances time to them; links to the first. */
export function taskItem(context: PageContext, task: Task, count: number): Markup {
  const { ref, kind, task_id, due_ms } = task;
  const view = kind === "attempt" ? "webhooks" : kind === "withdrawal" ? "money" : "charges";
  const inMs = due_ms - context.nowMs;
  return html`<li data-key="task-${task_id}"><span class="at">${inMs <= 0 ? "now" : `+${readableDuration(inMs)}`}</span>
<a href="${viewUrl(context, view, ref)}"><span>${count > 1 && `${count} × `}${taskText(context, task)}</span> <span class="soft">${subjectText(context, task)}</span></a>
${inMs > 0 && button({ does: ["advanceTo", { to: iso(due_ms) }], label: "Go", to: `to ${ref} ${taskText(context, task)}` })}</li>`;
}
