import type { Delivery } from "../../core/engine/records.js";
import type { RequestEntry } from "../../core/namespace/request-journal.js";
import { iso } from "../../core/schema/time.js";
import { isFailing, receiverName } from "../../server/control/record-views.js";
import { html } from "../html.js";
import {
  badge,
  button,
  copyButton,
  type ListRow,
  readableDuration,
  reasonMarkup,
  receiverLabel,
  responseLine,
} from "./components.js";
import { isInMode, type PageContext, viewUrl } from "./page-context.js";
import { requestCurl } from "./shell-commands.js";

/** Maximum number of failures inspected per receiver, newest first. */
const MAX_FAILURES = 50;
const MAX_REQUESTS = 200;
const MAX_KINDS = 4;

/** Entry of "Needs attention". */
interface AttentionItem extends ListRow {
  /** Number of failures, or of what waits. */
  readonly count: number;
}

const memo = new WeakMap<PageContext, AttentionItem[]>();

/** Failures first, then warnings, each by count. Memoized per page, because the menu counts them too. */
export function attentionItems(context: PageContext): readonly ListRow[] {
  let needs = memo.get(context);
  if (needs === undefined) {
    needs = [
      ...failingReceivers(context),
      ...heldDeliveries(context),
      ...refusedCalls(context),
      ...activeScenarios(context),
    ].sort((a, b) => Number(b.tone === "bad") - Number(a.tone === "bad") || b.count - a.count);
    memo.set(context, needs);
  }
  return needs;
}

/** Status or error of the last attempt, with the first line of the response. */
export function deliveryFailureText(delivery: Delivery): string {
  const last = delivery.attempts.at(-1);
  if (last === undefined) return "no attempt yet";
  if (last.status === null)
    return /\bECONNREFUSED\b/.test(last.error ?? "") ? "nothing listens" : (last.error ?? "no response");
  const line = responseLine(last.response_body);
  return line.startsWith(String(last.status)) ? line : `${last.status} ${line}`.trim();
}

/** Newest matching deliveries to a receiver, at most `limit`, with the total number of matches. */
export function findNewestDeliveries(
  { namespace }: Pick<PageContext, "namespace">,
  webhookId: string,
  matches: (delivery: Delivery) => boolean,
  limit: number,
) {
  const isListed = (delivery: Delivery) => delivery.webhook_id === webhookId && matches(delivery);
  return namespace.engine.state.pageOfKinds("deliveries", isListed, 0, limit);
}

function failingReceivers(context: PageContext): AttentionItem[] {
  const needs: AttentionItem[] = [];
  for (const endpoint of context.namespace.engine.state.endpoints()) {
    if (!isInMode(context, endpoint)) continue;
    const { webhook_id } = endpoint;
    const { total, items } = findNewestDeliveries(context, webhook_id, isFailing, MAX_FAILURES);
    const newest = items[0];
    if (newest === undefined) continue;
    const types = [...new Set(items.map((delivery) => delivery.event_type))];
    const next = items.flatMap(({ next_attempt_at }) => next_attempt_at ?? []).sort()[0];
    needs.push({
      key: `failing-${webhook_id}`,
      count: total,
      at: newest.attempts.at(-1)!.at,
      tone: "bad",
      status: badge(`${total} failing`, "bad"),
      title: `${types.length === 1 ? types[0] : `${types.length} types of events`} → ${receiverLabel(endpoint)}`,
      to: viewUrl(context, "webhooks", newest.delivery_id),
      subtitle: html`${reasonMarkup(deliveryFailureText(newest))} · ${next === undefined ? "given up" : html`next try in ${readableDuration(Date.parse(next) - context.nowMs)}`}`,
      rowButtons: html`${button({ does: ["retryAll", { webhook_id }], label: total === 1 ? "Retry" : `Retry all ${total}`, to: `to ${receiverName(endpoint)}` })}`,
    });
  }
  return needs;
}

function heldDeliveries(context: PageContext): AttentionItem[] {
  const { namespace } = context;
  const needs: AttentionItem[] = [];
  for (const endpoint of namespace.engine.state.endpoints()) {
    if (!isInMode(context, endpoint) || endpoint.url === null) continue;
    const { webhook_id } = endpoint;
    // A failing receiver has its row already.
    if (findNewestDeliveries(context, webhook_id, isFailing, 1).total > 0) continue;
    const isUntried = ({ status, attempts }: Delivery) => status === "pending" && attempts.length === 0;
    const { total, items } = findNewestDeliveries(context, webhook_id, isUntried, MAX_FAILURES);
    const held = items
      .map((delivery) => ({ delivery, hold: namespace.findHold(delivery) }))
      .findLast(({ delivery, hold }) => hold !== null && delivery.task !== null);
    if (held?.hold === null || held === undefined) continue;
    needs.push({
      key: `held-${webhook_id}`,
      count: total,
      at: held.hold.since,
      tone: "warn",
      status: badge(`${total} held`, "warn"),
      title: `Webhooks wait for ${receiverName(endpoint)}`,
      to: viewUrl(context, "webhooks", held.delivery.delivery_id),
      subtitle: reasonMarkup(held.hold.reason),
      rowButtons: html`<a class="button" href="${viewUrl(context, "webhooks", undefined, { receiver: webhook_id })}#edit">Re-aim…<span class="unseen"> ${receiverName(endpoint)}</span></a>`,
    });
  }
  return needs;
}

/** An error response in one line: its first detail, else its message. */
export function responseErrorText({ responseBody }: RequestEntry): string {
  try {
    const { error } = JSON.parse(responseBody ?? "") as {
      error: { message: string; details?: Record<string, string> };
    };
    const [field] = Object.entries(error.details ?? {});
    return field === undefined ? error.message : `${field[0]} ${field[1]}`;
  } catch {
    return responseLine(responseBody);
  }
}

interface CallGroup {
  readonly newest: RequestEntry;
  readonly count: number;
}

/** Failed calls grouped by call and error: the most frequent first, then the newest. */
function failedCalls(context: PageContext): CallGroup[] {
  const groups = new Map<string, CallGroup>();
  for (const entry of context.namespace.journal.entries().slice(0, MAX_REQUESTS)) {
    if (entry.inFlight || (entry.status !== null && entry.status < 400)) continue;
    const name = `${entry.fault !== null} ${entry.method} ${entry.operation ?? entry.path} ${entry.status} ${responseErrorText(entry)}`;
    const { newest, count } = groups.get(name) ?? { newest: entry, count: 0 };
    groups.set(name, { newest, count: count + 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

const statusText = ({ newest, count }: CallGroup): string =>
  `${newest.status ?? "dropped"}${count === 1 ? "" : ` ×${count}`}`;

/** The app's failed calls first, then failures caused by active faults. */
function refusedCalls(context: PageContext): AttentionItem[] {
  const groups = failedCalls(context);
  const appErrors = groups.filter(({ newest }) => newest.fault === null);
  const needs = appErrors.slice(0, MAX_KINDS).map((group): AttentionItem => {
    const { newest, count } = group;
    const to = viewUrl(context, "requests", String(newest.id));
    return {
      key: `request-${newest.operation ?? newest.path}-${newest.status}-${responseErrorText(newest)}`,
      count,
      at: iso(newest.atMs),
      tone: "bad",
      status: badge(statusText(group), "bad"),
      title: `${newest.method} ${newest.path}`,
      to,
      subtitle: reasonMarkup(responseErrorText(newest)),
      rowButtons: html`${copyButton("Copy curl", requestCurl(context, newest))}<a class="button" href="${to}">Open<span class="unseen"> ${newest.method} ${newest.path}</span></a>`,
    };
  });
  const others = appErrors.slice(MAX_KINDS);
  if (others.length > 0)
    needs.push({
      key: "requests-more",
      count: others[0]!.count,
      at: newestTime(others),
      tone: "bad",
      status: badge(`${others.length} more`, "bad"),
      title: "Other failed calls",
      to: viewUrl(context, "requests", undefined, { status: "4" }),
      subtitle: listText(others),
    });
  const faulted = groups.filter(({ newest }) => newest.fault !== null);
  if (faulted.length > 0)
    needs.push({
      key: "requests-faulted",
      count: faulted.reduce((sum, { count }) => sum + count, 0),
      at: newestTime(faulted),
      tone: "warn",
      status: badge("fault", "warn"),
      title: "Calls that failed because of your faults",
      to: viewUrl(context, "faults"),
      subtitle: listText(faulted),
    });
  return needs;
}

function newestTime(groups: readonly CallGroup[]): string {
  return iso(Math.max(...groups.map(({ newest }) => newest.atMs)));
}

function listText(groups: readonly CallGroup[]): string {
  const parts = groups.slice(0, MAX_KINDS).map((group) => {
    const { newest } = group;
    const call = `${newest.operation ?? newest.path} ${statusText(group)}`;
    return [call, responseErrorText(newest)].filter(Boolean).join(": ");
  });
  if (groups.length > MAX_KINDS) parts.push(`${groups.length - MAX_KINDS} more`);
  return parts.join(" · ");
}

function activeScenarios(context: PageContext): AttentionItem[] {
  const { state } = context.namespace.engine;
  return [...state.tables.scenarios.values()]
    .filter(({ activated }) => activated > 0)
    .map(
      ({ name, scenario }): AttentionItem => ({
        key: `scenario-${name}`,
        count: 0,
        tone: "warn",
        status: badge("active", "warn"),
        title: `Scenario ${name} applies to everything new`,
        to: `${viewUrl(context, "scenarios")}#${name}`,
        subtitle: scenario.description?.trim(),
        rowButtons: button({
          does: ["deactivateScenario", { name }],
          label: "Turn off",
          to: `scenario ${name}`,
        }),
      }),
    );
}
