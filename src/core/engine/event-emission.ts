import { matchesAnyGlob } from "../domain/glob.js";
import { findRule, type MatchedRule, type MatchSubject } from "../domain/rule-matching.js";
import { resolveDowntime } from "../domain/webhook-attempts.js";
import type { Mode } from "../schema/common.js";
import { getOwn } from "../schema/json-objects.js";
import type { WebhookRule } from "../schema/scenario-rules.js";
import { durationToMs, iso } from "../schema/time.js";
import {
  eventCopyId,
  invalidSignatureMishap,
  type RetryMishap,
  RuleEventCounts,
  retryMishapsOf,
} from "./event-mishaps.js";
import { sizeOfRecord } from "./record-sizes.js";
import type { Delivery, Endpoint, EventRecord, Mishap } from "./records.js";
import { listApplicableScenarios, requestedScenarioNamesOf } from "./scenario-lookup.js";
import type { Transaction } from "./transaction.js";

interface Emission {
  readonly type: string;
  /** Owner of the event. Mode and organization select the receivers; the requested scenario's rules match first. */
  readonly owner: {
    readonly mode: Mode;
    readonly organization_id: string | null;
    readonly scenario_asked: string | null;
    readonly metadata?: unknown;
    readonly created_at?: string;
  };
  /** Id of the event's charge or withdrawal; events of one object are delivered in order. */
  readonly objectId: string | null;
  readonly data: string;
  /** Fields to match against webhook rules. */
  readonly subject: () => MatchSubject;
}

export function emitEvent(tx: Transaction, emission: Emission): EventRecord {
  const { owner, type } = emission;
  const { event, name } = newEvent(tx, emission);
  const receivers = tx.state.endpoints().filter((endpoint) => isSubscribed(endpoint, event, name));
  tx.put("events", event.event_id, event);
  if (receivers.length > 0) {
    const counts = new RuleEventCounts(tx);
    const { fields, metadata } = emission.subject();
    const verdicts = new Map<unknown, boolean>();
    const scenarios = listApplicableScenarios(tx.state, requestedScenarioNamesOf(owner));
    for (const endpoint of receivers) {
      const subject = {
        metadata,
        fields: { ...fields, type, url: endpoint.url ?? `mailbox:${endpoint.mailbox}` },
        verdicts,
      };
      const found = findRule(
        "webhooks",
        scenarios,
        subject,
        (name, index, rule) =>
          rule.attempt === undefined &&
          (rule.down === undefined ||
            resolveDowntime(rule.down, startMs(tx, name, owner)).until_ms > tx.atMs) &&
          counts.isRuleDue(name, index, rule),
      );
      if (found !== undefined) tx.noteRule(found);
      const mishap = withRetries(mishapOf(tx, owner, found), retryMishapsOf(scenarios, subject, counts));
      planDeliveries(tx, event, endpoint, mishap, found);
    }
  }
  trimEventLog(tx);
  return event;
}

function newEvent(tx: Transaction, { type, owner, objectId, data }: EventSource) {
  const { at } = tx;
  const { mode, organization_id } = owner;
  const event_id = tx.id("event");
  const name = getOwn(tx.settings.event_names, type) ?? type;
  const event: EventRecord = {
    event_id,
    seq: tx.next("event_seq"),
    type,
    at,
    mode,
    organization_id,
    object_id: objectId,
    body: `{"id":"${event_id}","type":${JSON.stringify(name)},"timestamp":"${at}","mode":"${mode}","data":${data}}`,
  };
  return { event, name };
}

type EventSource = Pick<Emission, "type" | "objectId" | "data"> & {
  readonly owner: { readonly mode: Mode; readonly organization_id: string | null };
};

/** Globs match the event's type, or the name under which it is sent. */
function isSubscribed(
  endpoint: Endpoint,
  event: Pick<EventRecord, "type" | "mode" | "organization_id">,
  name: string,
): boolean {
  return (
    endpoint.enabled &&
    endpoint.mode === event.mode &&
    (endpoint.organization_id === null ||
      event.organization_id === null ||
      endpoint.organization_id === event.organization_id) &&
    (matchesAnyGlob(endpoint.events, event.type) || matchesAnyGlob(endpoint.events, name))
  );
}

/** Timeout of a swapped delivery, which waits until the object's next event is sent. */
const SWAP_TIMEOUT_MS = 60_000;

/** Returns when a scenario's rules start: at the scenario's activation, or at the creation of the requesting object. */
function startMs(tx: Transaction, name: string, owner: Emission["owner"]): number {
  const stored = tx.get("scenarios", name);
  const isRequested = stored?.activated === 0 && requestedScenarioNamesOf(owner).includes(name);
  if (isRequested) return owner.created_at === undefined ? tx.atMs : Date.parse(owner.created_at);
  return stored?.since_ms ?? tx.atMs;
}

/** Mishap of an event's deliveries, apart from delays and copies. */
function mishapOf(
  tx: Transaction,
  owner: Emission["owner"],
  found: MatchedRule<WebhookRule> | undefined,
): Mishap | null {
  if (found === undefined) return null;
  const { bad_signature, stale, fail_first, drop, down, response_lost } = found.rule;
  if (!(bad_signature || stale || fail_first || drop || down || response_lost)) return null;
  return {
    ...nothingWrong(found.scenario),
    bad_signature: bad_signature ?? false,
    stale_ms: stale === undefined ? 0 : durationToMs(stale),
    fail_first: fail_first ?? 0,
    drop: drop ?? false,
    ...(response_lost ? { response_lost } : {}),
    ...(down === undefined ? {} : { down: resolveDowntime(down, startMs(tx, found.scenario, owner)) }),
  };
}

function nothingWrong(scenario: string): Mishap {
  return { scenario, bad_signature: false, stale_ms: 0, fail_first: 0, drop: false };
}

function withRetries(mishap: Mishap | null, retried: readonly RetryMishap[]): Mishap | null {
  const [first] = retried;
  return first === undefined ? mishap : { ...(mishap ?? nothingWrong(first.scenario)), retried };
}

/** Mishap of one copy of a webhook that a scenario sends several times. */
function mishapOfCopy(
  mishap: Mishap | null,
  found: MatchedRule<WebhookRule>,
  copyOf: { readonly event: EventRecord; readonly endpoint: Endpoint; readonly copy: number },
): Mishap | null {
  const { copies = 1, ids, at_once } = found.rule;
  const { event, endpoint, copy } = copyOf;
  const hasOwnId = ids === "new" && copy > 0;
  if (!(hasOwnId || at_once)) return mishap;
  return {
    ...(mishap ?? nothingWrong(found.scenario)),
    ...(hasOwnId ? { copy_id: eventCopyId(event, endpoint.webhook_id, copy) } : {}),
    ...(at_once ? { at_once: copies } : {}),
  };
}

/** Plans one delivery of an event to an endpoint, or as many deliveries as a scenario's rule demands. */
function planDeliveries(
  tx: Transaction,
  event: EventRecord,
  endpoint: Endpoint,
  mishap: Mishap | null,
  found: MatchedRule<WebhookRule> | undefined,
): void {
  const rule = found?.rule ?? {};
  const planLater = (mishap: Mishap | null, delay: string) =>
    planAttempt(tx, putDelivery(tx, event, endpoint, { mishap }), tx.atMs + durationToMs(delay));
  if (rule.drop) putDelivery(tx, event, endpoint, { mishap, status: "dropped" });
  for (let copy = 0; copy < (rule.drop ? 0 : (rule.copies ?? 1)); copy++) {
    const copyMishap = found === undefined ? mishap : mishapOfCopy(mishap, found, { event, endpoint, copy });
    if (rule.delay !== undefined) planLater(copyMishap, rule.delay);
    else planDelivery(tx, event, endpoint, { mishap: copyMishap, swap: rule.swap ?? false });
  }
  if (rule.again_after !== undefined) planLater(null, rule.again_after);
  if (found?.rule.forged) {
    const forged = invalidSignatureMishap(found.scenario, event, tx.settings);
    planDelivery(tx, event, endpoint, { mishap: forged, skipsLane: true });
  }
}

function putDelivery(
  tx: Transaction,
  event: EventRecord,
  endpoint: Endpoint,
  part: Partial<Delivery>,
): Delivery {
  const delivery: Delivery = {
    delivery_id: tx.id("delivery"),
    seq: tx.next("delivery_seq"),
    event_id: event.event_id,
    event_type: event.type,
    object_id: event.object_id,
    webhook_id: endpoint.webhook_id,
    mode: event.mode,
    status: "pending",
    created_at: tx.at,
    next_attempt_at: null,
    task: null,
    attempts: [],
    mishap: null,
    lane: null,
    ...part,
  };
  tx.put("deliveries", delivery.delivery_id, delivery);
  return delivery;
}

/**
 * Plans one delivery of an event to an endpoint. Events of one object go in order: a delivery starts when the first
 * attempt at the previous one has ended, in success or failure. A swapped delivery lets the next event go first.
 */
export function planDelivery(
  tx: Transaction,
  event: EventRecord,
  endpoint: Endpoint,
  {
    mishap = null,
    swap = false,
    skipsLane = false,
  }: { mishap?: Mishap | null; swap?: boolean; skipsLane?: boolean } = {},
): Delivery {
  const lane = skipsLane || event.object_id === null ? null : `${endpoint.webhook_id}|${event.object_id}`;
  const delivery = putDelivery(tx, event, endpoint, { mishap, lane });
  if (lane === null) return planAttempt(tx, delivery, tx.atMs);
  const queue = tx.get("lanes", lane) ?? { lane, waiting: [], swapped: [] };
  if (swap) {
    tx.put("lanes", lane, { ...queue, swapped: [...queue.swapped, delivery.delivery_id] });
    return planAttempt(tx, delivery, tx.atMs + SWAP_TIMEOUT_MS);
  }
  // A swapped delivery past its timeout is being sent already.
  const sent = queue.swapped.filter((id) => isDue(tx, tx.get("deliveries", id)?.task));
  const following = queue.swapped.filter((id) => !sent.includes(id));
  for (const id of following) {
    const swapped = tx.get("deliveries", id);
    if (swapped === undefined) continue;
    tx.cancel(swapped.task);
    tx.put("deliveries", id, { ...swapped, task: null, next_attempt_at: null });
  }
  // Copies that are sent at the same moment go together, before an event that is swapped with theirs.
  const isCopy = (id: string) => tx.get("deliveries", id)?.event_id === event.event_id;
  const copy = mishap?.at_once === undefined ? -1 : queue.waiting.findLastIndex(isCopy);
  const waiting = queue.waiting.toSpliced(
    copy === -1 ? queue.waiting.length : copy + 1,
    0,
    delivery.delivery_id,
  );
  tx.put("lanes", lane, { lane, waiting: [...waiting, ...following], swapped: sent });
  planNextInLane(tx, lane);
  return tx.get("deliveries", delivery.delivery_id)!;
}

/** Plans the first delivery of a lane, and copies of it that are sent at the same moment. */
export function planNextInLane(tx: Transaction, lane: string): void {
  const waiting = tx.get("lanes", lane)?.waiting.map((id) => tx.get("deliveries", id)) ?? [];
  const [first] = waiting;
  const isTogether = (one: Delivery | undefined) =>
    one?.event_id === first?.event_id && one?.mishap?.at_once !== undefined;
  for (const [index, next] of waiting.entries()) {
    if (index > 0 && !isTogether(next)) return;
    if (next?.task === null) planAttempt(tx, next, tx.atMs);
  }
}

function isDue(tx: Transaction, taskId: number | null | undefined): boolean {
  const task = taskId === null || taskId === undefined ? undefined : tx.get("tasks", taskId);
  return task !== undefined && task.due_ms <= tx.atMs;
}

/** Plans the next attempt at a delivery, replacing a planned one; puts the delivery. */
export function planAttempt(tx: Transaction, delivery: Delivery, dueMs: number): Delivery {
  tx.cancel(delivery.task);
  const task = tx.schedule({
    due_ms: dueMs,
    rank: 2,
    kind: "attempt",
    ref: delivery.delivery_id,
    step: delivery.seq,
  });
  const planned = { ...delivery, task, next_attempt_at: iso(dueMs) };
  tx.put("deliveries", delivery.delivery_id, planned);
  return planned;
}

/** Maximum number of events removed per new event. Removing just one would never shrink an overlong log. */
const TRIM_MAX_EVENTS = 4;
/** The same for a log with too many bytes: one large event may follow thousands of small ones. */
const TRIM_MAX_LARGE = 500;

/** Removes a few events beyond the log's retention, with their deliveries; events with open deliveries stay. */
export function trimEventLog(tx: Transaction): void {
  const { state, settings } = tx;
  const highestSeq = tx.last("event_seq") - settings.retention.events;
  let excessBytes = state.logBytes - settings.retention.bytes;
  const closed =
    excessBytes > 0
      ? state.oldestClosedEvents(TRIM_MAX_LARGE)
      : state.oldestClosedEvents(TRIM_MAX_EVENTS, highestSeq);
  for (const event of closed) {
    if (excessBytes <= 0 && event.seq > highestSeq) break;
    excessBytes -= sizeOfRecord("events", event);
    for (const delivery of state.deliveriesOf(event.event_id)) {
      excessBytes -= sizeOfRecord("deliveries", delivery);
      tx.remove("deliveries", delivery.delivery_id);
    }
    tx.remove("events", event.event_id);
  }
}
