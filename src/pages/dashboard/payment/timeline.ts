import { isZero } from "../../../core/domain/money.js";
import { isFailing, receiverName } from "../../../core/reports/delivery-text.js";
import { type ShownStatus, shownStatus } from "../../../core/reports/shown-status.js";
import type { DeliveryView } from "../../../core/schema/control-log-responses.js";
import type { ChargeHistoryItem } from "../../../core/schema/control-responses.js";
import { copyTexts } from "../../../core/schema/delivery-copies.js";
import { REVERSALS } from "../../../core/schema/event-types.js";
import { signedAmount } from "../../../core/schema/text-format.js";
import { breakable } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import {
  attemptButton,
  deliveryOutcome,
  deliveryStateText,
  idOf,
  nextStepText,
  type Payment,
  type Receivers,
  receiversOf,
  requestBadge,
} from "../rows.js";

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
 * The timeline of a payment, with what is due next: calls, statuses, money, and events with their deliveries. The plan
 * keeps its height and the history grows at its end, so nothing moves while a payment runs.
 */
export async function paymentTimeline(context: PageContext, payment: Payment): Promise<Markup> {
  const lines = await pastLines(context, payment);
  const startMs = Date.parse(lines[0]?.at ?? payment.created_at);
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
      const cells = LANES.map((_name, lane) => {
        const own = group.filter((line) => line.lane === lane);
        return html`<td>${own.map(({ key, body }) => html`<div id="${key}">${body}</div>`)}</td>`;
      });
      return html`${fold}<tr><td class="at" title="${first.at}">${timeOf(first)}</td>${cells}</tr>`;
    });
  const columns = ["Time", ...LANES].map((name) => html`<th scope="col">${name}</th>`);
  return html`${await planList(context, payment)}<div class="wide" tabindex="0" role="group" aria-label="History">
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

async function pastLines(context: PageContext, payment: Payment): Promise<Line[]> {
  const { ask, client } = context;
  const id = idOf(payment);
  const { items } =
    "charge_id" in payment
      ? await ask("getChargeTimeline", { charge_id: id })
      : await ask("getWithdrawalTimeline", { withdrawal_id: id });
  const deliveries: DeliveryView[] = [];
  for await (const page of client.pages<DeliveryView>("listDeliveries", { charge_id: id }))
    deliveries.push(...page);
  const webhooks = new WebhookLines(context, await receiversOf(context), deliveries);
  const reversals = payment.reversals.map((reversal, index) => {
    const shown = shownStatus({ status: "COMPLETED", updated_at: reversal.at, reversals: [reversal] });
    return stateLine(`reversal-${index}`, shown, "by hand");
  });
  const lines = items.flatMap(
    (item, index) => pastLine(context, payment, items, item, index, webhooks) ?? [],
  );
  return [...lines, ...reversals.reverse()].sort((a, b) =>
    a.at === b.at ? a.lane - b.lane : a.at < b.at ? -1 : 1,
  );
}

function pastLine(
  context: PageContext,
  { sandbox }: Payment,
  items: readonly ChargeHistoryItem[],
  item: ChargeHistoryItem,
  index: number,
  webhooks: WebhookLines,
): Line | undefined {
  const { at } = item;
  switch (item.kind) {
    case "request": {
      const { request_id: id, operation, why } = item;
      const link = html`<a href="${viewUrl(context, "requests", String(id))}">${operation ?? ui.callText(item)}</a>`;
      const byFault = item.fault !== null && why;
      const body = html`${link}\n${requestBadge(item)}\n<span class="soft">${byFault}</span>`;
      return { key: `request-${id}`, at, lane: 0, body };
    }
    case "transition": {
      const isFirst = items.find(({ kind }) => kind === "transition") === item;
      const maker = items.find((one) => one.kind === "request");
      const causes: Readonly<Record<string, string>> = {
        scenario: `scenario ${sandbox.scenario}`,
        api: isFirst ? `by ${maker?.runner ?? "your app"}` : "payment method chosen",
        clock: "expired",
        customer: "by the customer",
      };
      const shown = { word: item.status, at, reason: item.reason };
      return stateLine(`state-${index}`, shown, causes[item.by.actor] ?? "by hand");
    }
    case "note":
      return {
        key: `note-${index}`,
        at,
        lane: 1,
        body: html`<span class="soft">${breakable(item.note)}</span>`,
      };
    case "ledger": {
      const { entry_id, posting, currency, postings } = item;
      const list = postings.filter(({ account, amount }) => account !== "outside" && !isZero(amount));
      const body = html`${posting.replaceAll("_", " ")} <span class="soft">${currency}</span><ul
class="soft">${list.map(
        ({ account, amount }) => html`<li>${signedAmount(amount)} ${account.replace("_", " ")}</li>`,
      )}</ul>`;
      return { key: entry_id, at, lane: 2, status: POSTED_WITH[posting], body };
    }
    case "event": {
      const reversal = Object.values(REVERSALS).find(({ event }) => event === item.type);
      const status = reversal?.status ?? item.type.split(".")[1]?.toUpperCase();
      return { key: item.event_id, at, lane: 3, status, body: webhooks.bodyOf(item) };
    }
    default:
      return undefined;
  }
}

function stateLine(key: string, { word, at, reason }: ShownStatus, cause: Content): Line {
  const body = html`${ui.badge(word)} ${reason !== undefined && html`<bdi>${breakable(reason)}</bdi>`} <span
class="soft">${cause}</span>`;
  return { key, at, lane: 1, status: word, body };
}

/** Events with their deliveries. A failure that an earlier line describes is not repeated. */
class WebhookLines {
  readonly #context: PageContext;
  readonly #receivers: Receivers;
  /** Newest first. */
  readonly #deliveries: readonly DeliveryView[];
  readonly #copies: ReadonlyMap<string, string>;
  readonly #told = new Set<string>();

  constructor(context: PageContext, receivers: Receivers, deliveries: readonly DeliveryView[]) {
    this.#context = context;
    this.#receivers = receivers;
    this.#deliveries = deliveries;
    this.#copies = copyTexts(deliveries);
  }

  bodyOf({ event_id, type }: { event_id: string; type: string }): Markup {
    const own = this.#deliveries.filter((delivery) => delivery.event_id === event_id).reverse();
    const list = ui
      .groupConsecutive(own, (delivery) => this.#outcomeKey(delivery))
      .map((alike) => this.#item(alike));
    const none = html` <span class="soft">no receiver</span>`;
    return html`<strong>${type}</strong>${list.length > 0 ? html`<ul>${list}</ul>` : none}`;
  }

  /** Equal for deliveries that one item describes. */
  #outcomeKey(delivery: DeliveryView): string {
    const { webhook_id, status, attempts } = delivery;
    const outcome = deliveryOutcome(this.#context, delivery, this.#receivers.get(webhook_id));
    const result = status === "delivered" ? attempts.at(-1)?.status : outcome.join();
    return `${webhook_id} ${status} ${attempts.length} ${result}`;
  }

  /** Deliveries of one event to one receiver with the same outcome, as two lines: receiver and result. */
  #item(alike: readonly [DeliveryView, ...DeliveryView[]]): Markup {
    const [delivery] = alike;
    const { delivery_id, type, webhook_id, attempts } = delivery;
    const endpoint = this.#receivers.get(webhook_id);
    const receiver = ui.receiverLabel(receiverName(endpoint));
    const isGivenUp = isFailing(delivery) && delivery.status === "failed";
    const state = deliveryStateText(delivery);
    const tone = ui.statusTone(state);
    const [result, due] = deliveryOutcome(this.#context, delivery, endpoint);
    const status = attempts.at(-1)?.status;
    const failure = `${webhook_id} ${result}`;
    const isTold = this.#told.has(failure);
    this.#told.add(failure);
    const same = tone === "bad" && typeof status === "number" && isTold && `${status}, same error`;
    const times = attempts.length > 1 && `${attempts.length} attempts`;
    const then =
      isGivenUp && !isTold
        ? [times ? `given up after ${times}` : due, nextStepText(delivery, endpoint)]
        : [due];
    const dotted = (parts: readonly Content[]) =>
      parts.map((part) => Boolean(part) && html`\u00a0· <span>${part}</span>`);
    const tags = this.#copyTags(alike);
    const many = alike.length > 1 && ` ×${alike.length}`;
    return html`<li data-key="${delivery_id}"><span><a
href="${viewUrl(this.#context, "webhooks", delivery_id)}"><span
class="mark ${tone}" data-key="${tone}" aria-hidden="true">${ui.MARKS[tone]}\u00a0</span>${receiver}</a>${tags}<span
class="soft">${many}${dotted([!isGivenUp && times])}</span></span>
<span><span class="${tone === "bad" ? "reason" : "soft"}">${state === "held" && "held: "}${same || result}</span>${
      then.some(Boolean) && html`<span class="soft">${dotted(then)}</span>`
    }</span>
${isFailing(delivery) && attemptButton(delivery, `${type} to ${receiver}`)}</li>`;
  }

  /** Kinds of the copies among deliveries; the title attribute names the scenario. */
  #copyTags(alike: readonly DeliveryView[]): Markup[] {
    const kinds = new Map(
      alike.map(({ delivery_id, mishap }) => [this.#copies.get(delivery_id), mishap?.scenario]),
    );
    return [...kinds].flatMap(([kind, scenario]) =>
      kind === undefined
        ? []
        : html` <span class="tag"${Boolean(scenario) && html` title="scenario ${scenario}"`}>${kind}</span>`,
    );
  }
}

/** Due and planned steps of the charge or payout; a retry stands beside its delivery. */
async function planList({ ask, nowMs }: PageContext, payment: Payment): Promise<Markup> {
  const { items: tasks } = await ask("listTasks", { id: idOf(payment) });
  const words: Readonly<Record<string, string>> = { expire: "EXPIRED if unpaid", settle: "settlement" };
  const steps = [
    ...payment.planned.filter(({ to }) => to !== "EXPIRED").map(({ to, at }) => ({ at, word: to })),
    ...tasks.flatMap(({ kind, due_at: at }) => (words[kind] ? [{ at, word: words[kind] }] : [])),
  ].sort((a, b) => (a.at < b.at ? -1 : 1));
  const items = steps.map(({ at, word }) => {
    const inMs = Math.max(0, Date.parse(at) - nowMs);
    const run = ui.button({ does: ["advanceClock", { to: at }], label: "Run to here", to: word });
    const when = inMs === 0 ? "now" : html`in ${ui.readableDuration(inMs)} ${run}`;
    return html`<li data-key="${at} ${word}">${word} <span class="soft">${when}</span></li>`;
  });
  const none = html`<li data-key="none" class="soft">No change of its status is planned.</li>`;
  return html`<ol class="plan" tabindex="0" aria-label="Planned">${items.length === 0 ? none : items}</ol>`;
}
