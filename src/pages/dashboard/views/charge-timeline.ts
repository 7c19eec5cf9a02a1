import type { Charge } from "../../../core/domain/charge-transition.js";
import { comesBefore } from "../../../core/engine/task-queue.js";
import type { ChargeHistoryItem } from "../../../core/schema/control-responses.js";
import { isSuccessStatus } from "../../../core/schema/http-response.js";
import { iso } from "../../../core/schema/time.js";
import { collectChargeHistory } from "../../../server/control/charge-history.js";
import { receiverName } from "../../../server/control/record-views.js";
import { groupDigits } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { currentUrl, type PageContext, viewUrl } from "../page-context.js";
import { taskText } from "./due-tasks.js";
import { attemptButton } from "./record-rows.js";

/** Shortest gap between two steps that the timeline shows as a row. */
const FOLDED_MS = 20_000;

const LANES = ["Your app", "Charge", "Money", "Webhooks to your app"] as const;
type Lane = 0 | 1 | 2 | 3;

interface Line {
  readonly key: string;
  readonly at: string;
  readonly lane: Lane;
  readonly body: Content;
  readonly isDue?: boolean;
  /** True for failures and for retries after a failure. */
  readonly isProblem?: boolean;
}

/** Past and planned steps of a charge in four lanes: app, charge, money and webhooks. */
export function chargeTimeline(context: PageContext, charge: Charge): Markup {
  const all = [...pastLines(context, charge), ...dueLines(context, charge)];
  const lines = showsProblemsOnly(context) ? all.filter(({ isProblem }) => isProblem) : all;
  const startMs = Date.parse(all[0]?.at ?? charge.created_at);
  const timeOf = (line: Line) => `+${ui.readableDuration(Date.parse(line.at) - startMs)}`;
  let previousMs = startMs;
  let hasNow = false;
  // Lines that show the same time are one row.
  const list = ui
    .groupConsecutive(lines, (line) => `${line.isDue} ${timeOf(line)}`)
    .map((group) => {
      const [first] = group;
      const { at, isDue } = first;
      const gap = Date.parse(at) - previousMs;
      previousMs = Date.parse(at);
      const fold =
        gap >= FOLDED_MS && html`<tr class="fold"><td colspan="5">~ ${ui.readableDuration(gap)} ~</td></tr>`;
      const nowLine = isDue && !hasNow && html`<tr class="now"><td colspan="5">now · due below</td></tr>`;
      hasNow ||= isDue === true;
      return html`${nowLine}${fold}<tr class="${isDue ? "due" : ""}"><td class="at" title="${at}">${timeOf(first)}</td>${LANES.map((name, lane) => html`<td data-lane="${name}">${group.filter((line) => line.lane === lane).map(({ key, body }) => html`<div id="${key}">${body}</div>`)}</td>`)}</tr>`;
    });
  const columns = ["Time", ...LANES].map((name) => html`<th scope="col">${name}</th>`);
  const none = html`<tr><td colspan="5" class="soft">No problems: no call was refused and no webhook failed.</td></tr>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="History">
<table class="lanes"><thead><tr>${columns}</tr></thead><tbody>${list.length === 0 ? none : list}</tbody></table></div>`;
}

/** Links that switch between all lines and problems only. */
export function timelineSwitch(context: PageContext): Markup {
  const link = (label: string, only: string | undefined) =>
    html`<a href="${currentUrl(context, { only })}#timeline"${showsProblemsOnly(context) === (only !== undefined) && html` aria-current="true"`}>${label}</a>`;
  return html`<span class="modes" role="group" aria-label="Shown">${link("All", undefined)}${link("Only problems", "problems")}</span>`;
}

function showsProblemsOnly({ query }: PageContext): boolean {
  return query.get("only") === "problems";
}

function pastLines(context: PageContext, charge: Charge): Line[] {
  return collectChargeHistory(context.namespace, charge).items.map((item, index) =>
    lineOf(context, item, index),
  );
}

function lineOf(context: PageContext, item: ChargeHistoryItem, index: number): Line {
  const { at } = item;
  switch (item.kind) {
    case "request": {
      const { method, path, status, request_id, operation, fault, in_flight } = item;
      return {
        key: `request-${request_id}`,
        at,
        isProblem: fault !== null || (!in_flight && (status ?? 500) >= 400),
        lane: 0,
        body: html`<a href="${viewUrl(context, "requests", String(request_id))}">${method} ${operation ?? path}</a>
${ui.badge(String(status ?? "dropped"), ui.httpTone(status))}
${fault !== null && html`<span class="soft">fault ${fault}</span>`}`,
      };
    }
    case "transition": {
      const { status, reason, by } = item;
      const cause =
        by.actor === "scenario"
          ? `scenario ${by.scenario}${by.rule === null ? "" : `, ${by.rule}`}`
          : by.actor === "api" && status !== "PENDING"
            ? "payment method chosen"
            : ACTORS[by.actor];
      return {
        key: `state-${index}`,
        at,
        isProblem: ["bad", "warn"].includes(ui.statusTone(status)),
        lane: 1,
        body: html`${ui.badge(status, ui.statusTone(status))}
${reason !== undefined && html`<bdi>${reason}</bdi>`}
<span class="soft">${cause}</span>`,
      };
    }
    case "ledger":
      return {
        key: item.entry_id,
        at,
        lane: 2,
        body: html`<a href="#money">${item.posting}</a>
<span class="soft">${item.currency} ${postingText(item.postings)}</span>`,
      };
    case "event":
      return { key: item.event_id, at, lane: 3, body: html`<strong>${item.type}</strong>` };
    case "note":
      return { key: `note-${index}`, at, lane: 1, body: html`<span class="soft">${item.note}</span>` };
    case "attempt":
      return attemptLine(context, item);
    case "hold":
      return {
        key: `${item.delivery_id}-hold`,
        at,
        isProblem: true,
        lane: 3,
        body: html`${receiverLink(context, item)} ${ui.badge("held", "warn")} <span class="soft">${item.reason}</span>`,
      };
  }
}

function attemptLine(context: PageContext, item: Extract<ChargeHistoryItem, { kind: "attempt" }>): Line {
  const { delivery_id, attempt, status, error, response_body, duration_ms, at } = item;
  const delivery = context.namespace.engine.state.get("deliveries", delivery_id);
  const isLast = delivery?.attempts.length === attempt;
  const isProblem = !isSuccessStatus(status);
  const response = ui.badge(status === null ? "no response" : String(status), ui.httpTone(status));
  const body = html`${receiverLink(context, item, `#attempt-${attempt}`)} ${response}
<span class="soft">${Math.round(duration_ms)} ms${attempt > 1 && html`, attempt ${attempt}`}</span>
${isProblem && html`<br><q>${ui.responseLine(response_body ?? error)}</q>`}
${isProblem && isLast && delivery !== undefined && attemptButton(delivery, delivery.event_type)}`;
  return { key: `${delivery_id}-${attempt}`, at, isProblem, lane: 3, body };
}

/** Link to a delivery, with the receiver's name and, if only problems are shown, the event type. */
function receiverLink(
  context: PageContext,
  { delivery_id, type, receiver }: Extract<ChargeHistoryItem, { kind: "attempt" | "hold" }>,
  anchor = "",
): Markup {
  const link = html`<a href="${viewUrl(context, "webhooks", delivery_id)}${anchor}">${receiver}</a>`;
  return html`└ ${showsProblemsOnly(context) && html`${type} → `}${link}`;
}

const ACTORS: Readonly<Record<string, string>> = {
  api: "by your app",
  clock: "expired",
  customer: "by the customer",
  control: "by hand",
};

function postingText(postings: readonly { readonly account: string; readonly amount: string }[]): string {
  const to = postings.find(
    ({ account, amount }) => account !== "outside" && account !== "fees" && !amount.startsWith("-"),
  );
  return to === undefined ? "" : `${groupDigits(to.amount)} → ${to.account.replace("_", " ")}`;
}

function dueLines(context: PageContext, charge: Charge): Line[] {
  const { state } = context.namespace.engine;
  const ids = [
    charge.charge_id,
    ...state
      .eventsOf(charge.charge_id)
      .flatMap(({ event_id }) => state.deliveriesOf(event_id).map((delivery) => delivery.delivery_id)),
  ];
  return ids
    .flatMap((id) => state.tasksOf(id))
    .sort((a, b) => (comesBefore(a, b) ? -1 : 1))
    .slice(0, 20)
    .map((task): Line => {
      const at = iso(task.due_ms);
      const delivery = task.kind === "attempt" ? state.get("deliveries", task.ref) : undefined;
      return {
        key: `task-${task.task_id}`,
        at,
        isDue: true,
        isProblem: (delivery?.attempts.length ?? 0) > 0,
        lane: task.kind === "attempt" ? 3 : task.kind === "settle" ? 2 : 1,
        body: html`${taskText(context, task)}${delivery !== undefined && html` → ${receiverName(state.get("endpoints", delivery.webhook_id))}`} ${task.due_ms > context.nowMs && ui.button({ does: ["advanceTo", { to: at }], label: "Run to here", to: taskText(context, task) })}`,
      };
    });
}
