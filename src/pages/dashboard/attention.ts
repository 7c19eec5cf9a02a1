import type { Delivery, Endpoint, StoredScenario, Task } from "../../core/engine/records.js";
import type { RequestEntry } from "../../core/namespace/request-journal.js";
import { summarizeBody } from "../../core/reports/body-summary.js";
import { effectText, faultText, matchText, replacesResponse } from "../../core/reports/rule-text.js";
import { deliveryState, failureText, nextTryIn } from "../../core/reports/trouble.js";
import { NOTHING_LISTENS } from "../../core/schema/receiver-url.js";
import { iso } from "../../core/schema/time.js";
import { isFailing, receiverName } from "../../server/control/record-views.js";
import { groupDigits } from "../format.js";
import { html, type Markup } from "../html.js";
import { inline } from "../reference/schema-markup.js";
import * as ui from "./components.js";
import { isInMode, type PageContext, viewUrl } from "./page-context.js";
import { requestCurl } from "./shell-commands.js";
import { activeFaults } from "./views/faults-view.js";

/** Maximum number of failures inspected per receiver, newest first. */
const MAX_FAILURES = 50;
const MAX_REQUESTS = 200;
const MAX_KINDS = 6;

const memo = new WeakMap<PageContext, ui.ListRow[]>();

/** Failures first, then warnings, each in an order that new failures keep. Memoized: the menu counts them too. */
export function attentionItems(context: PageContext): readonly ui.ListRow[] {
  let needs = memo.get(context);
  if (needs === undefined) {
    const receivers = context.namespace.engine.state
      .endpoints()
      .filter((one) => one.enabled && isInMode(context, one));
    needs = [
      ...receivers.flatMap((endpoint) => receiverItem(context, endpoint) ?? []),
      ...failedCalls(context),
      ...activeScenarios(context).map((scenario) => scenarioItem(context, scenario)),
      ...activeFaults(context).map((fault) => faultItem(context, fault)),
    ].sort((a, b) => Number(b.tone === "bad") - Number(a.tone === "bad"));
    memo.set(context, needs);
  }
  return needs;
}

type Holder = Pick<PageContext, "namespace">;

/** True for a delivery to a receiver that is turned off, which is dropped when its next attempt is due. */
function isOff({ namespace }: Holder, { webhook_id }: Delivery): boolean {
  return namespace.engine.state.get("endpoints", webhook_id)?.enabled === false;
}

/** `off` for an open delivery to a receiver that is turned off. */
export function deliveryStateOf(context: Holder, delivery: Delivery): string {
  const isDropped = delivery.status === "pending" && isOff(context, delivery);
  return isDropped ? "off" : deliveryState(delivery, context.namespace.findHold(delivery));
}

/** True for a failing delivery whose receiver is on. */
export function isOpenFailure(context: Holder, delivery: Delivery): boolean {
  return isFailing(delivery) && !isOff(context, delivery);
}

/** Tasks in the order of their times, without retries at a receiver that is turned off. */
export function* dueTasks(context: Holder): Generator<Task> {
  const { state } = context.namespace.engine;
  for (const task of state.tasks.inOrder()) {
    const delivery = task.kind === "attempt" && state.get("deliveries", task.ref);
    if (!delivery || !isOff(context, delivery)) yield task;
  }
}

/** Status or error of the last attempt, with the first line of the response. */
export function deliveryFailureText({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last === undefined ? "no attempt yet" : failureText(last);
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

/** A failing receiver, or one whose deliveries wait; undefined for others. */
function receiverItem(context: PageContext, endpoint: Endpoint): ui.ListRow | undefined {
  const { webhook_id } = endpoint;
  const { total, items } = findNewestDeliveries(context, webhook_id, isFailing, MAX_FAILURES);
  const newest = items[0];
  if (newest === undefined) return heldItem(context, endpoint);
  const types = [...new Set(items.map((delivery) => delivery.event_type))];
  const isRetried = (delivery: Delivery) => isFailing(delivery) && delivery.status === "pending";
  const retried = findNewestDeliveries(context, webhook_id, isRetried, MAX_FAILURES);
  const next = retried.items.flatMap(({ next_attempt_at }) => next_attempt_at ?? []).sort()[0];
  const isGivenUp = retried.total === 0;
  const isMixed = !isGivenUp && retried.total < total;
  const reason = deliveryFailureText(newest);
  return {
    key: `failing-${webhook_id}`,
    at: newest.attempts.at(-1)!.at,
    tone: "bad",
    status: ui.badge(`${groupDigits(String(total))} ${isGivenUp ? "given up" : "failing"}`, "bad"),
    title: `${types.length === 1 ? types[0] : `${types.length} types of events`} → ${ui.receiverLabel(endpoint)}`,
    to: `${viewUrl(context, "webhooks", undefined, { receiver: webhook_id })}#deliveries`,
    subtitle: ui.joinWithDots([
      ui.reasonMarkup(reason),
      isGivenUp && `${reason === NOTHING_LISTENS ? "start" : "fix"} your app, then retry`,
      isMixed && `${retried.total} retrying, ${total - retried.total} given up`,
      next !== undefined && nextTryIn(next, context.nowMs),
    ]),
    rowButtons: html`${receiverSwitch(endpoint)}${ui.button({
      does: ["retryAll", { webhook_id }],
      label: total === 1 ? "Retry" : "Retry all",
      to: `${total} to ${receiverName(endpoint)}`,
    })}`,
  };
}

/** Button that turns a receiver off or on. */
export function receiverSwitch(endpoint: Endpoint): Markup {
  const { webhook_id, enabled } = endpoint;
  const to = receiverName(endpoint);
  return ui.button({
    does: ["updateWebhookEndpoint", { webhook_id, enabled: String(!enabled) }],
    label: enabled ? "Turn off" : "Turn on",
    to,
  });
}

function heldItem(context: PageContext, endpoint: Endpoint): ui.ListRow | undefined {
  const { webhook_id, url } = endpoint;
  if (url === null) return undefined;
  const isUntried = ({ status, attempts }: Delivery) => status === "pending" && attempts.length === 0;
  const { total, items } = findNewestDeliveries(context, webhook_id, isUntried, MAX_FAILURES);
  const oldest = items.findLast(
    (delivery) => delivery.task !== null && context.namespace.findHold(delivery) !== null,
  );
  if (oldest === undefined) return undefined;
  const { since, reason } = context.namespace.findHold(oldest)!;
  return {
    key: `held-${webhook_id}`,
    at: since,
    tone: "warn",
    status: ui.badge(`${total} held`, "warn"),
    title: `Webhooks wait for ${receiverName(endpoint)}`,
    to: viewUrl(context, "webhooks", oldest.delivery_id),
    subtitle: ui.reasonMarkup(reason),
    rowButtons: html`<a class="button"
href="${viewUrl(context, "webhooks", undefined, { edit: webhook_id })}#edit">Re-aim…<span
class="unseen"> ${receiverName(endpoint)}</span></a>`,
  };
}

/** An error response in one line: its first detail, else its message; or why there is none. */
function responseErrorText({ status, hasClientDisconnected, responseBody }: RequestEntry): string {
  if (status === null) return hasClientDisconnected ? "the client hung up" : "connection dropped";
  try {
    const { error } = JSON.parse(responseBody ?? "") as {
      error: { message: string; details?: Record<string, string> };
    };
    const [field, ...others] = Object.entries(error.details ?? {});
    if (field === undefined) return error.message;
    return `${field.join(" ")}${others.length === 0 ? "" : ` and ${others.length} more`}`;
  } catch {
    return summarizeBody(responseBody ?? "");
  }
}

/** A fault's part in a call; false without a fault. */
export function faultPart({ fault, faultRule }: RequestEntry): string | false {
  return fault !== null && faultRule !== undefined && faultText(fault, faultRule);
}

/** Why a call failed: the fault that made its response, or its error and a fault's part in it. */
export function callFailureText(entry: RequestEntry): string {
  const parts = [!isFaultMade(entry) && responseErrorText(entry), faultPart(entry)];
  return parts.filter(Boolean).join(" · ");
}

function isFaultMade({ faultRule }: RequestEntry): boolean {
  return faultRule !== undefined && replacesResponse(faultRule);
}

/** Failed calls by call and error, until the same sender's call succeeds; none that a fault made. */
function failedCalls(context: PageContext): ui.ListRow[] {
  const groups = new Map<string, Record<"newest" | "oldest", RequestEntry> & { readonly count: number }>();
  const mended = new Set<string>();
  for (const entry of context.namespace.journal.entries().slice(0, MAX_REQUESTS)) {
    const { inFlight, status, method, operation, path, runner } = entry;
    const call = `${method} ${operation ?? path}`;
    const ownCall = `${call} ${runner ?? ""}`;
    if (status !== null && status < 400) mended.add(ownCall);
    if (inFlight || isFaultMade(entry) || mended.has(ownCall)) continue;
    const name = `${call} ${status} ${callFailureText(entry)}`;
    const { newest, count } = groups.get(name) ?? { newest: entry, count: 0 };
    groups.set(name, { newest, oldest: entry, count: count + 1 });
  }
  const mostFrequent = [...groups].sort(([, a], [, b]) => b.count - a.count).slice(0, MAX_KINDS);
  const oldestFirst = mostFrequent.sort(([, a], [, b]) => a.oldest.id - b.oldest.id);
  return oldestFirst.map(([name, { newest, count }]) => {
    const { id, atMs, status } = newest;
    const to = viewUrl(context, "requests", String(id));
    return {
      key: `request-${name}`,
      at: iso(atMs),
      tone: "bad",
      status: ui.badge(`${status ?? "dropped"}${count === 1 ? "" : ` ×${count}`}`, "bad"),
      title: ui.callText(newest),
      to,
      subtitle: ui.reasonMarkup(callFailureText(newest)),
      rowButtons: html`${ui.copyButton("Copy curl", requestCurl(context, newest))}<a class="button"
href="${to}">Open<span class="unseen"> ${ui.callText(newest)}</span></a>`,
    };
  });
}

export function activeScenarios({ namespace }: PageContext): StoredScenario[] {
  const { scenarios } = namespace.engine.state.tables;
  return [...scenarios.values()].filter(({ activated }) => activated > 0);
}

function scenarioItem(context: PageContext, { name, scenario }: StoredScenario): ui.ListRow {
  return {
    key: `scenario-${name}`,
    tone: "warn",
    status: ui.badge("active", "warn"),
    title: `Scenario ${name} applies to everything new`,
    to: `${viewUrl(context, "scenarios")}#${name}`,
    subtitle: inline(scenario.description?.trim() ?? ""),
    rowButtons: ui.button({
      does: ["deactivateScenario", { name }],
      label: "Turn off",
      to: `scenario ${name}`,
    }),
  };
}

function faultItem(
  context: PageContext,
  { fault_id, rule, text }: ReturnType<typeof activeFaults>[number],
): ui.ListRow {
  return {
    key: fault_id,
    tone: "warn",
    status: ui.badge(text, "warn"),
    title: `Fault ${matchText(rule)} → ${effectText(rule)}`,
    to: viewUrl(context, "faults"),
    rowButtons: ui.button({ does: ["deleteFault", { fault_id }], label: "Stop", to: `fault ${fault_id}` }),
  };
}
