import { CHARGE_STATUS_RULES, type Charge, firstExpiredMs } from "../../../core/domain/charge-transition.js";
import type { Posting } from "../../../core/domain/ledger-postings.js";
import { isZero } from "../../../core/domain/money.js";
import { type StatusRules, simulateTimeline } from "../../../core/domain/timeline.js";
import { WITHDRAWAL_STATUS_RULES, type Withdrawal } from "../../../core/domain/withdrawal.js";
import type { Delivery, EventRecord, Task } from "../../../core/engine/records.js";
import type { RequestEntry } from "../../../core/namespace/request-journal.js";
import { isFailing } from "../../../core/reports/delivery-text.js";
import type { ShownStatus } from "../../../core/reports/shown-status.js";
import { copyTexts } from "../../../core/schema/delivery-copies.js";
import { REVERSALS } from "../../../core/schema/event-types.js";
import { signedAmount } from "../../../core/schema/text-format.js";
import { iso } from "../../../core/schema/time.js";
import { requestsAbout } from "../../../server/control/charge-history.js";

import { breakable } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import { reversalOf } from "../../payment-status.js";
import { faultPart } from "../call-failures.js";
import * as ui from "../components.js";
import { deliveryStateOf } from "../deliveries.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { attemptButton, deliveryOutcome, nextStepText } from "./record-rows.js";

/** Shortest gap between two steps that the timeline shows as a row. */
const FOLDED_MS = 20_000;

const LANES = ["Your app", "State", "Money", "Webhooks to your app"] as const;

interface Line {
  readonly key: string;
  readonly at: string;
  readonly lane: 0 | 1 | 2 | 3;
  readonly body: Content;
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

/**
 * What is due next, and what happened: calls, statuses, money, and events with their deliveries. The plan keeps its
 * height and the history grows at its end, so nothing moves while a payment runs.
 */
export function paymentTimeline(context: PageContext, id: string, record: Charge | Withdrawal): Markup {
  const lines = pastLines(context, id, record);
  const startMs = Date.parse(lines[0]?.at ?? record.created_at);
  const timeOf = (line: Line) => `+${ui.readableDuration(Date.parse(line.at) - startMs)}`;
  let previousMs = startMs;
  const rows = ui
    .groupConsecutive(lines, timeOf)
    .flatMap(rowsOf)
    .map((group) => {
      const first = group[0]!;
      const gapMs = Date.parse(first.at) - previousMs;
      previousMs = Date.parse(first.at);
      const fold =
        gapMs >= FOLDED_MS &&
        html`<tr class="fold"><td colspan="5">~ ${ui.readableDuration(gapMs)} ~</td></tr>`;
      const cells = LANES.map((name, lane) => {
        const own = group.filter((line) => line.lane === lane);
        return html`<td data-lane="${name}">${own.map(({ key, body }) => html`<div id="${key}">${body}</div>`)}</td>`;
      });
      return html`${fold}<tr><td class="at" title="${first.at}">${timeOf(first)}</td>${cells}</tr>`;
    });
  const columns = ["Time", ...LANES].map((name) => html`<th scope="col">${name}</th>`);
  return html`${planList(context, id, record)}<div class="wide" tabindex="0" role="group" aria-label="History">
<table class="lanes"><thead><tr>${columns}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Lines that show the same time are one row, or a row for each status; a line without a status joins the newest. */
function rowsOf(group: readonly Line[]): (readonly Line[])[] {
  const states = group.filter(({ lane, status }) => lane === 1 && status !== undefined);
  if (states.length < 2) return [group];
  const stateOf = (line: Line) => {
    if (line.lane === 0) return states[0];
    const own = states.filter(({ status }) => status === line.status);
    const alike = group.filter(({ lane, status }) => lane === line.lane && status === line.status);
    return own[Math.min(alike.indexOf(line), own.length - 1)] ?? states.at(-1);
  };
  return states.map((state) => group.filter((line) => stateOf(line) === state));
}

function pastLines(context: PageContext, id: string, record: Charge | Withdrawal): Line[] {
  const { namespace } = context;
  const { state } = namespace.engine;
  const events = state.eventsOf(id).reverse();
  const told = new Set<string>();
  const requests = requestsAbout(namespace, id);
  const lines = [
    ...requests.map((entry) => requestLine(context, entry)),
    ...record.status_history.map((_, index) => statusLine(record, index, requests[0]?.runner)),
    ...events.flatMap((event) => {
      const reversal = reversalOf(event);
      return reversal === undefined ? [] : stateLine(`state-${event.event_id}`, reversal, "by hand");
    }),
    ...record.notes.map(
      ({ at, note }, index): Line => ({
        key: `note-${index}`,
        at,
        lane: 1,
        body: html`<span class="soft">${breakable(note)}</span>`,
      }),
    ),
    ...state.entriesOf(id).map(
      ({ at, entry_id, kind, currency, postings }): Line => ({
        key: entry_id,
        at,
        lane: 2,
        status: POSTED_WITH[kind],
        body: moneyBody(kind, currency, postings),
      }),
    ),
    ...events.map((event) => eventLine(context, event, told)),
  ];
  return lines.sort((a, b) => (a.at === b.at ? a.lane - b.lane : a.at < b.at ? -1 : 1));
}

function moneyBody(kind: string, currency: string, postings: readonly Posting[]): Markup {
  const list = postings.filter(({ account, amount }) => account !== "outside" && !isZero(amount));
  return html`${kind.replaceAll("_", " ")} <span class="soft">${currency}</span><ul
class="soft">${list.map(
    ({ account, amount }) => html`<li>${signedAmount(amount)} ${account.replace("_", " ")}</li>`,
  )}</ul>`;
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

/** @param sender sent the request that created the record, if it was not the app */
function statusLine(record: Charge | Withdrawal, index: number, sender: string | null | undefined): Line {
  const { status, at, reason } = record.status_history[index]!;
  const causes: Readonly<Record<string, string>> = {
    scenario: `scenario ${record.scenario}`,
    api: index > 0 ? "payment method chosen" : `by ${sender ?? "your app"}`,
    clock: "expired",
    customer: "by the customer",
  };
  const cause = causes[record.actors[index]!] ?? "by hand";
  return stateLine(`state-${index}`, { word: status, at, reason }, cause);
}

function stateLine(key: string, { word, at, reason }: ShownStatus, cause: Content): Line {
  const body = html`${ui.badge(word)} ${reason !== undefined && html`<bdi>${breakable(reason)}</bdi>`} <span
class="soft">${cause}</span>`;
  return { key, at, lane: 1, status: word, body };
}

/** @param told failures of each receiver that earlier lines describe */
function eventLine(context: PageContext, event: EventRecord, told: Set<string>): Line {
  const { event_id, type, at } = event;
  const deliveries = context.namespace.engine.state.deliveriesOf(event_id);
  const copies = copyTexts(deliveries);
  const list = ui
    .groupConsecutive(deliveries.reverse(), (delivery) => outcomeKey(context, delivery))
    .map((alike) => deliveryItem(context, alike, copies, told));
  const status = reversalOf(event)?.word ?? type.split(".")[1]?.toUpperCase();
  return { key: event_id, at, lane: 3, status, body: webhooksBody(type, list) };
}

function webhooksBody(type: string, list: readonly Markup[]): Markup {
  return html`<strong>${type}</strong>${
    list.length > 0
      ? html`<ul>${list}</ul>`
      : html` <span
class="soft">no receiver</span>`
  }`;
}

/** Equal for deliveries that one item describes. */
function outcomeKey(context: PageContext, delivery: Delivery): string {
  const { webhook_id, status, attempts } = delivery;
  const result = status === "delivered" ? attempts.at(-1)?.status : deliveryOutcome(context, delivery).join();
  return `${webhook_id} ${status} ${attempts.length} ${result}`;
}

/** Deliveries of one event to one receiver with the same outcome, as two lines: receiver and result. */
function deliveryItem(
  context: PageContext,
  alike: readonly [Delivery, ...Delivery[]],
  copies: ReadonlyMap<string, string>,
  told: Set<string>,
): Markup {
  const [delivery] = alike;
  const { delivery_id, event_type, webhook_id, attempts } = delivery;
  const endpoint = context.namespace.engine.state.get("endpoints", webhook_id);
  const receiver = ui.receiverLabel(endpoint);
  const isGivenUp = isFailing(delivery) && delivery.status === "failed";
  const state = deliveryStateOf(context, delivery);
  const tone = ui.statusTone(state);
  const [result, due] = deliveryOutcome(context, delivery);
  const status = attempts.at(-1)?.status;
  const failure = `${webhook_id} ${result}`;
  const isTold = told.has(failure);
  told.add(failure);
  const same = tone === "bad" && typeof status === "number" && isTold && `${status}, same error`;
  const times = attempts.length > 1 && `${attempts.length} attempts`;
  const then =
    isGivenUp && !isTold
      ? [times ? `given up after ${times}` : due, nextStepText(delivery, endpoint)]
      : [due];
  const dotted = (parts: readonly Content[]) =>
    parts.map((part) => Boolean(part) && html`\u00a0· <span>${part}</span>`);
  return html`<li data-key="${delivery_id}"><span><a href="${viewUrl(context, "webhooks", delivery_id)}"><span
class="mark ${tone}" data-key="${tone}" aria-hidden="true">${ui.MARKS[tone]}\u00a0</span>${receiver}</a>${copyTags(
    alike,
    copies,
  )}<span class="soft">${
    alike.length > 1 && ` ×${alike.length}`
  }${dotted([!isGivenUp && times])}</span></span>
<span><span class="${tone === "bad" ? "reason" : "soft"}">${state === "held" && "held: "}${same || result}</span>${
    then.some(Boolean) && html`<span class="soft">${dotted(then)}</span>`
  }</span>
${isFailing(delivery) && attemptButton(delivery, `${event_type} to ${receiver}`)}</li>`;
}

/** Kinds of the copies among deliveries; the title attribute names the scenario. */
function copyTags(alike: readonly Delivery[], copies: ReadonlyMap<string, string>): Markup[] {
  const kinds = new Map(alike.map(({ delivery_id, mishap }) => [copies.get(delivery_id), mishap?.scenario]));
  return [...kinds].flatMap(([kind, scenario]) =>
    kind === undefined
      ? []
      : html` <span class="tag"${Boolean(scenario) && html` title="scenario ${scenario}"`}>${kind}</span>`,
  );
}

/** Due and planned steps of the charge or payout; a retry stands beside its delivery. */
function planList(context: PageContext, id: string, record: Charge | Withdrawal): Markup {
  const tasks = context.namespace.engine.state.tasksOf(id);
  const steps = [...plannedSteps(record, tasks)].map(([step, dueMs]) => ({
    dueMs,
    word: record.timeline[step]!.to,
  }));
  const words: Readonly<Record<string, string>> = { expire: "EXPIRED if unpaid", settle: "settlement" };
  const others = tasks.flatMap(({ kind, due_ms: dueMs }) => {
    const word = words[kind];
    return word === undefined ? [] : [{ dueMs, word }];
  });
  const due = [...steps, ...others].sort((a, b) => a.dueMs - b.dueMs);
  const items = due.map(({ dueMs, word }) => {
    const inMs = Math.max(0, dueMs - context.nowMs);
    const run = ui.button({ does: ["advanceClock", { to: iso(dueMs) }], label: "Run to here", to: word });
    const when = inMs === 0 ? "now" : html`in ${ui.readableDuration(inMs)} ${run}`;
    return html`<li data-key="${dueMs} ${word}">${word} <span class="soft">${when}</span></li>`;
  });
  const none = html`<li data-key="none" class="soft">Nothing is planned.</li>`;
  return html`<ol class="plan" tabindex="0" aria-label="Planned">${items.length === 0 ? none : items}</ol>`;
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
      const [host] = ui.receiverLabel(state.get("endpoints", delivery?.webhook_id ?? "")).split("/");
      return `${(delivery?.attempts.length ?? 0) > 0 ? "retry " : ""}${delivery?.event_type ?? ""} → ${host}`;
    }
  }
}
