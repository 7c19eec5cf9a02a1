import { CHARGE_STATUS_RULES, type Charge, firstExpiredMs } from "../../../core/domain/charge-transition.js";
import { isZero } from "../../../core/domain/money.js";
import { type StatusRules, simulateTimeline } from "../../../core/domain/timeline.js";
import { WITHDRAWAL_STATUS_RULES, type Withdrawal } from "../../../core/domain/withdrawal.js";
import type { Delivery, EventRecord, Task } from "../../../core/engine/records.js";
import type { RequestEntry } from "../../../core/namespace/request-journal.js";
import type { ShownStatus } from "../../../core/reports/shown-status.js";
import { deliveryState } from "../../../core/reports/trouble.js";
import { copyTexts } from "../../../core/schema/delivery-copies.js";
import { REVERSALS } from "../../../core/schema/event-types.js";
import { signedAmount } from "../../../core/schema/text-format.js";
import { iso } from "../../../core/schema/time.js";
import { requestsAbout } from "../../../server/control/charge-history.js";
import { isFailing } from "../../../server/control/record-views.js";
import { type Content, html, type Markup } from "../../html.js";
import { faultPart } from "../attention.js";
import * as ui from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { attemptButton, deliveryOutcome, reversalOf } from "./record-rows.js";

/** Shortest gap between two steps that the timeline shows as a row. */
const FOLDED_MS = 20_000;

const LANES = ["Your app", "State", "Money", "Webhooks to your app"] as const;

interface Line {
  readonly key: string;
  readonly at: string;
  readonly lane: 0 | 1 | 2 | 3;
  readonly body: Content;
  readonly isDue?: boolean;
  /** Status that the line is, or follows from. */
  readonly status?: string | undefined;
}

/** Status that causes a ledger entry of each kind. */
const POSTED_WITH: Readonly<Record<string, string>> = {
  payment: "COMPLETED",
  settlement: "COMPLETED",
  withdrawal: "PENDING",
  withdrawal_completed: "COMPLETED",
  partial_refund: REVERSALS.partial_refund.status,
};

/** Past and planned steps of a charge or payout: calls, statuses, money, and events with their deliveries. */
export function paymentTimeline(context: PageContext, id: string, record: Charge | Withdrawal): Markup {
  const lines = [...pastLines(context, id, record), ...dueLines(context, id, record)];
  const startMs = Date.parse(lines[0]?.at ?? record.created_at);
  const timeOf = (line: Line) => `+${ui.readableDuration(Date.parse(line.at) - startMs)}`;
  let previousMs = startMs;
  let hasNow = false;
  const list = ui
    .groupConsecutive(lines, (line) => `${line.isDue} ${timeOf(line)}`)
    .flatMap(rowsOf)
    .map((group) => {
      const first = group[0]!;
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
  return html`<div class="wide" tabindex="0" role="group" aria-label="History">
<table class="lanes"><thead><tr>${columns}</tr></thead><tbody>${list}</tbody></table></div>`;
}

/** Lines that show the same time are one row, or a row for each status; a line without a status joins the newest. */
function rowsOf(group: readonly Line[]): (readonly Line[])[] {
  const states = group.filter(({ lane, status }) => lane === 1 && status !== undefined);
  if (states.length < 2) return [group];
  const stateOf = ({ lane, status }: Line) =>
    lane === 0 ? states[0] : (states.find((state) => state.status === status) ?? states.at(-1));
  return states.map((state) => group.filter((line) => stateOf(line) === state));
}

function pastLines(context: PageContext, id: string, record: Charge | Withdrawal): Line[] {
  const { namespace } = context;
  const { state } = namespace.engine;
  const events = state.eventsOf(id).reverse();
  const told = new Set<string>();
  const lines = [
    ...requestsAbout(namespace, id).map((entry) => requestLine(context, entry)),
    ...record.status_history.map((_, index) => statusLine(record, index)),
    ...events.flatMap((event) => {
      const reversal = reversalOf(event);
      return reversal === undefined ? [] : stateLine(`state-${event.event_id}`, reversal, "by hand");
    }),
    ...record.notes.map(
      ({ at, note }, index): Line => ({
        key: `note-${index}`,
        at,
        lane: 1,
        body: html`<span class="soft">${note}</span>`,
      }),
    ),
    ...state.entriesOf(id).map(
      ({ at, entry_id, kind, currency, postings }): Line => ({
        key: entry_id,
        at,
        lane: 2,
        status: POSTED_WITH[kind],
        body: html`${kind.replaceAll("_", " ")} <span class="soft">${currency}</span><ul class="soft">${postings
          .filter(({ account, amount }) => account !== "outside" && !isZero(amount))
          .map(
            ({ account, amount }) => html`<li>${signedAmount(amount)} ${account.replace("_", " ")}</li>`,
          )}</ul>`,
      }),
    ),
    ...events.map((event) => eventLine(context, event, told)),
  ];
  return lines.sort((a, b) => (a.at === b.at ? a.lane - b.lane : a.at < b.at ? -1 : 1));
}

function requestLine(context: PageContext, entry: RequestEntry): Line {
  const { id, operation, status, atMs } = entry;
  return {
    key: `request-${id}`,
    at: iso(atMs),
    lane: 0,
    body: html`<a href="${viewUrl(context, "requests", String(id))}">${operation ?? ui.callText(entry)}</a>
${ui.badge(String(status ?? "dropped"), ui.httpTone(status))}
<span class="soft">${faultPart(entry)}</span>`,
  };
}

const ACTORS: Readonly<Record<string, string>> = {
  api: "by your app",
  clock: "expired",
  customer: "by the customer",
};

function statusLine({ status_history, actors, scenario }: Charge | Withdrawal, index: number): Line {
  const { status, at, reason } = status_history[index]!;
  const actor = actors[index]!;
  const cause =
    actor === "scenario"
      ? `scenario ${scenario}`
      : actor === "api" && index > 0
        ? "payment method chosen"
        : (ACTORS[actor] ?? "by hand");
  return stateLine(`state-${index}`, { word: status, at, reason }, cause);
}

function stateLine(key: string, { word, at, reason }: ShownStatus, cause: string): Line {
  const body = html`${ui.badge(word)} ${reason !== undefined && html`<bdi>${reason}</bdi>`} <span class="soft">${cause}</span>`;
  return { key, at, lane: 1, status: word, body };
}

/** @param told failures of each receiver that earlier lines describe */
function eventLine(context: PageContext, event: EventRecord, told: Set<string>): Line {
  const { event_id, type, at } = event;
  const deliveries = context.namespace.engine.state.deliveriesOf(event_id);
  const copies = copyTexts(deliveries);
  const list = deliveries
    .reverse()
    .map((delivery) => deliveryItem(context, delivery, copies.get(delivery.delivery_id), told));
  const status = reversalOf(event)?.word ?? type.split(".")[1]?.toUpperCase();
  return {
    key: event_id,
    at,
    lane: 3,
    status,
    body: html`<strong>${type}</strong>${list.length > 0 ? html`<ul>${list}</ul>` : html` <span class="soft">no receiver</span>`}`,
  };
}

/** A delivery with all its attempts in one line. */
function deliveryItem(
  context: PageContext,
  delivery: Delivery,
  copy: string | undefined,
  told: Set<string>,
): Markup {
  const { delivery_id, event_type, webhook_id, mishap, attempts } = delivery;
  const receiver = ui.receiverLabel(context.namespace.engine.state.get("endpoints", webhook_id));
  const state = deliveryState(delivery, context.namespace.findHold(delivery));
  const tone = ui.statusTone(state);
  const [result, due] = deliveryOutcome(context, delivery);
  const status = attempts.at(-1)?.status;
  const failure = `${webhook_id} ${result}`;
  const isTold = tone === "bad" && typeof status === "number" && told.has(failure);
  told.add(failure);
  const count = attempts.length > 1 && `${attempts.length} attempts`;
  return html`<li data-key="${delivery_id}"><span><a href="${viewUrl(context, "webhooks", delivery_id)}"><span class="mark ${tone}" aria-hidden="true">${ui.MARKS[tone]}</span>\u00a0${receiver}</a>
${copy !== undefined && html`<span class="tag">${copy}${mishap?.scenario !== undefined && mishap.scenario !== "" && ` (${mishap.scenario})`}</span>`}
<span class="${tone === "bad" ? "reason" : "soft"}">${state === "held" && "held: "}${isTold ? `${status}, same error` : result}</span>${[count, due].map((part) => part && html` <span class="soft">· ${part}</span>`)}</span>
${isFailing(delivery) && attemptButton(delivery, `${event_type} to ${receiver}`)}</li>`;
}

/** Due and planned steps of the charge or payout itself; a retry stands beside its delivery. */
function dueLines(context: PageContext, id: string, record: Charge | Withdrawal): Line[] {
  const lines: Line[] = [];
  const add = (key: string, dueMs: number, text: string, lane: Line["lane"] = 1) => {
    const at = iso(dueMs);
    const button =
      dueMs > context.nowMs && ui.button({ does: ["advanceTo", { to: at }], label: "Run to here", to: text });
    lines.push({ key, at, isDue: true, lane, body: html`${text} ${button}` });
  };
  const tasks = context.namespace.engine.state.tasksOf(id);
  for (const task of tasks)
    if (task.kind === "expire" || task.kind === "settle")
      add(`task-${task.task_id}`, task.due_ms, taskText(context, task), task.kind === "settle" ? 2 : 1);
  for (const [step, dueMs] of plannedSteps(record, tasks)) {
    const { to, reason = "" } = record.timeline[step]!;
    add(`step-${step}`, dueMs, `${to} ${reason}`.trim());
  }
  return lines.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
}

/** Timeline entries that are still to run, with their times, as if nobody set a status by hand. */
function* plannedSteps(
  record: Charge | Withdrawal,
  tasks: readonly Task[],
): Generator<[number, number], void> {
  const isCharge = "charge_id" in record;
  const rules: StatusRules<string> = isCharge ? CHARGE_STATUS_RULES : WITHDRAWAL_STATUS_RULES;
  const timeline = isCharge && record.overruled ? [] : record.timeline;
  const next = tasks.find(({ kind }) => kind === "timeline" || kind === "withdrawal");
  const standing = {
    status: record.status,
    expiredMs: isCharge ? firstExpiredMs(record) : undefined,
    expiryMs: tasks.find(({ kind }) => kind === "expire")?.due_ms,
    next: next && { step: next.step!, dueMs: next.due_ms },
  };
  let dueMs = 0;
  const timeOf = (ms: number) => (dueMs = ms);
  for (const { step } of simulateTimeline(rules, timeline, standing, timeOf))
    if (step !== null) yield [step, dueMs];
}

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
