import type { Client, Json } from "./client.js";
import { demand, demandSame } from "./failure.js";
import { firstRule, globMatches } from "./matching.js";
import { durationMs, type Endpoint, type ExpectedDelivery, iso, type Model } from "./model.js";

/** Documented intervals between attempts. */
const LADDER_MS = ["5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"].map(durationMs);
/** How long a swapped delivery waits for the next event. */
const PATIENCE_MS = 60_000;

export const RETRY_AFTER_S = 47;

/** Checks that each endpoint gets its copies of each event on time. */
export async function auditDeliveries(client: Client, model: Model, events: Json[]): Promise<void> {
  const seen = await client.all("/_sandbox/deliveries");
  const places = seen.map((one) => `${one.event_id} ${one.webhook_id}`);
  noteGone(model, seen);
  expectNew(model, new Set(places), events);
  const { state } = model;
  const expectedPlaces = state.deliveries.map((one) => `${events[one.event]!.event_id} ${one.endpoint}`);
  demandSame("delivery", "those there are", places, expectedPlaces);
  for (const [index, delivery] of seen.entries()) {
    const expected = state.deliveries[index]!;
    const bytes = JSON.stringify(events[expected.event]!.payload);
    demandSame("delivery", `the bytes of ${delivery.delivery_id}`, delivery.body, bytes);
    auditOne(model, delivery, expected, firstDueMs(model, index));
  }
  const endpoints = await client.all("/_sandbox/webhook-endpoints");
  demandSame(
    "delivery",
    "the endpoints",
    endpoints.map((one) => [one.webhook_id, one.enabled]),
    [...state.endpoints.values()].map((one) => [one.id, one.enabled]),
  );
}

/** Records endpoints that responded with 410. */
function noteGone(model: Model, seen: readonly Json[]): void {
  for (const { webhook_id, attempts } of seen) {
    const endpoint = model.state.endpoints.get(webhook_id);
    const last = attempts.at(-1);
    if (endpoint === undefined || last?.status !== 410) continue;
    const atMs = Date.parse(last.at);
    if (endpoint.onSinceMs > atMs || (!endpoint.enabled && endpoint.offSinceMs <= atMs)) continue;
    endpoint.enabled = false;
    endpoint.wasOff = true;
    endpoint.offSinceMs = atMs;
    endpoint.offBeforeEvent = model.state.events.length;
  }
}

function hears(
  endpoint: Endpoint,
  { mode, org, type, atMs }: Model["state"]["events"][number],
  index: number,
): boolean {
  return (
    endpoint.mode === mode &&
    (endpoint.org === null || endpoint.org === org) &&
    globMatches(endpoint.events, type) &&
    (endpoint.enabled ||
      (index < endpoint.offBeforeEvent &&
        endpoint.offSinceMs >= endpoint.onSinceMs &&
        atMs <= endpoint.offSinceMs))
  );
}

/** Accepts either order when an event and a 410 have the same time. */
function eitherCameFirst(
  { enabled, offSinceMs, offBeforeEvent }: Endpoint,
  atMs: number,
  index: number,
): boolean {
  return !enabled && atMs === offSinceMs && index < offBeforeEvent;
}

function expectNew(model: Model, seen: ReadonlySet<string>, events: Json[]): void {
  const { state } = model;
  for (; state.told < state.events.length; state.told++) {
    const event = state.events[state.told]!;
    for (const endpoint of state.endpoints.values()) {
      if (!hears(endpoint, event, state.told)) continue;
      const isThere = seen.has(`${events[state.told]!.event_id} ${endpoint.id}`);
      if (!isThere && eitherCameFirst(endpoint, event.atMs, state.told)) continue;
      const url = endpoint.url ?? `mailbox:${endpoint.mailbox}`;
      const fields = { ...event.subject.fields, type: event.type, url };
      const rule = firstRule("webhooks", model.asked(event.asked), { ...event.subject, fields })?.rule ?? {};
      const copies = rule.drop ? 1 : (rule.copies ?? 1);
      for (let copy = 0; copy < copies; copy++)
        state.deliveries.push({ event: state.told, endpoint: endpoint.id, rule });
    }
  }
}

/** Returns when the first attempt is due; a swapped one waits for the next event. */
function firstDueMs({ state }: Model, index: number): number {
  const { event, endpoint, rule } = state.deliveries[index]!;
  const { atMs, objectId } = state.events[event]!;
  if (rule.delay !== undefined) return atMs + durationMs(rule.delay);
  if (!rule.swap) return atMs;
  const next = state.deliveries.find(
    (one, place) =>
      place > index &&
      one.endpoint === endpoint &&
      state.events[one.event]!.objectId === objectId &&
      one.rule.delay === undefined &&
      !one.rule.drop &&
      !one.rule.swap,
  );
  const nextMs = next === undefined ? Number.POSITIVE_INFINITY : state.events[next.event]!.atMs;
  return Math.min(nextMs, atMs + PATIENCE_MS);
}

function auditOne(model: Model, delivery: Json, expected: ExpectedDelivery, firstMs: number): void {
  const { nowMs, endpoints } = model.state;
  const { delivery_id: id, attempts, status } = delivery;
  const endpoint = endpoints.get(expected.endpoint);
  const { rule } = expected;
  if (rule.drop) {
    demandSame("ladder", `${id}, to be dropped`, [status, attempts.length], ["dropped", 0]);
    return;
  }
  const isMailbox = endpoint?.kind === "mailbox";
  const isSteady = endpoint !== undefined && !endpoint.wasOff;
  for (const [index, attempt] of attempts.entries()) {
    const atMs = Date.parse(attempt.at);
    demand(atMs <= nowMs, "too early", () => `an attempt of ${id} at ${attempt.at}, and it is ${iso(nowMs)}`);
    demandSame("delivery", `the number of an attempt of ${id}`, attempt.attempt, index + 1);
    const dueMs = index === 0 ? firstMs : afterMs(attempts[index - 1], index);
    demand(
      atMs >= dueMs,
      "too early",
      () => `attempt ${index + 1} of ${id} was due at ${iso(dueMs)}, not ${attempt.at}`,
    );
    if (!isMailbox && isSteady) demandSame("ladder", `attempt ${index + 1} of ${id}`, attempt.at, iso(dueMs));
    const isForced = index < (rule.fail_first ?? 0);
    const hasFailed = attempt.error?.startsWith("failed by scenario") ?? false;
    demandSame("ladder", `attempt ${index + 1} of ${id} to fail on the way`, hasFailed, isForced);
    const isOver = attempt.status === 410 || (attempt.status >= 200 && attempt.status < 300);
    demand(!isOver || index === attempts.length - 1, "ladder", () => `${id} goes on after ${attempt.status}`);
  }
  const last = attempts.at(-1);
  if (last?.status >= 200 && last.status < 300) demandSame("ladder", `${id}, answered`, status, "delivered");
  else if (last?.status === 410) demandSame("ladder", `${id}, whose receiver is gone`, status, "failed");
  else if (attempts.length > LADDER_MS.length)
    demandSame("ladder", `${id}, tried to the end`, status, "failed");
  else if (isSteady) {
    demandSame("ladder", `${id}, not over`, status, "pending");
    if (isMailbox) return;
    const dueMs = last === undefined ? firstMs : afterMs(last, attempts.length);
    demand(dueMs > nowMs, "ladder", () => `${id} was due at ${iso(dueMs)}, and nothing happened`);
    const isInLine = last === undefined && rule.swap;
    if (!isInLine) demandSame("ladder", `${id}'s next attempt`, delivery.next_attempt_at, iso(dueMs));
  } else demand(["pending", "dropped"].includes(status), "ladder", () => `${id} is ${status}`);
}

/** Returns when the next attempt is due, which Retry-After can delay. */
function afterMs(attempt: Json, made: number): number {
  const asksForTime = attempt.status === 503 || attempt.status === 429;
  const wait = Math.max(LADDER_MS[made - 1]!, asksForTime ? RETRY_AFTER_S * 1_000 : 0);
  return Date.parse(attempt.at) + wait;
}
