import { findRule, type MatchSubject } from "../domain/rule-matching.js";
import { parseEventType } from "../schema/event-types.js";
import { getOwn } from "../schema/json-objects.js";
import type { Scenario, WebhookRule } from "../schema/scenario-rules.js";
import type { Settings } from "../schema/settings.js";
import { durationToMs } from "../schema/time.js";
import { digestOf, idOf } from "./ids.js";
import type { Delivery, EventRecord, Mishap } from "./records.js";
import type { Transaction } from "./transaction.js";

/** Types that a false event claims, to make the app act: deliver goods for a charge, or pay a withdrawal again. */
const CLAIMS = { charge: "charge.completed", withdrawal: "withdrawal.failed" } as const;

/** Returns the mishap of a false event. A scenario sends it beside the real event, with an invalid signature. */
export function invalidSignatureMishap(
  scenario: string,
  { type }: EventRecord,
  { event_names }: Settings,
): Mishap {
  const object = parseEventType(type)?.object;
  const claimed = object === undefined ? type : CLAIMS[object];
  const forged = {
    type: getOwn(event_names, claimed) ?? claimed,
    status: parseEventType(claimed)?.status ?? null,
  };
  return { scenario, bad_signature: true, stale_ms: 0, fail_first: 0, drop: false, forged };
}

export function eventCopyId({ event_id }: EventRecord, webhookId: string, copy: number): string {
  return idOf("event", digestOf(`${event_id}\0${webhookId}\0${copy}`));
}

function withId({ event_id, body }: EventRecord, id: string): Pick<EventRecord, "event_id" | "body"> {
  return { event_id: id, body: body.replace(JSON.stringify(event_id), JSON.stringify(id)) };
}

/** Returns the id and body to send. A copy can have a new id. A false event has a new id and the type in `mishap`. */
export function eventToSend(
  event: EventRecord,
  mishap: Mishap | null,
): Pick<EventRecord, "event_id" | "body"> {
  const forged = mishap?.forged;
  if (mishap?.copy_id !== undefined) return withId(event, mishap.copy_id);
  if (forged === undefined) return event;
  const event_id = idOf("event", digestOf(`${event.event_id}\0forged`));
  const { data, ...head } = JSON.parse(event.body) as { data: ClaimedData };
  const claim = forged.status === null ? {} : claimOf(data, forged.status);
  return {
    event_id,
    body: JSON.stringify({ ...head, id: event_id, type: forged.type, data: { ...data, ...claim } }),
  };
}

interface ClaimedData {
  readonly status_history?: readonly object[];
}

/** A receiver may take the longer history for the newer state. */
function claimOf({ status_history }: ClaimedData, status: string): object {
  if (status_history === undefined) return { status };
  return { status, status_history: [...status_history, { ...status_history.at(-1), status }] };
}

/** Mishap of the second or a later attempt at a delivery. */
export type RetryMishap = NonNullable<Mishap["retried"]>[number];

/** Counts the events that match rules with `times` or `skip`. An event with several receivers counts once. */
export class RuleEventCounts {
  readonly #tx: Transaction;
  /** Results for this event, by rule. Created on first use, because few rules need counts. */
  #results: Map<string, boolean> | undefined;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** Returns true if the rule applies to this event. The rule skips `skip` events, then applies to `times` events. */
  isRuleDue(scenario: string, index: number, { times, skip = 0 }: WebhookRule): boolean {
    if (times === undefined && skip === 0) return true;
    const key = `${index} ${scenario}`;
    const results = (this.#results ??= new Map<string, boolean>());
    const result = results.get(key);
    if (result !== undefined) return result;
    const stored = this.#tx.get("scenarios", scenario);
    const met = (stored?.met?.[index] ?? 0) + 1;
    const isLeft = times === undefined || met <= skip + times;
    // Counts above the limit are not stored, because they do not change the result.
    if (stored !== undefined && met <= skip + (times ?? 0))
      this.#tx.put("scenarios", scenario, { ...stored, met: { ...stored.met, [index]: met } });
    const isItsTurn = isLeft && met > skip;
    results.set(key, isItsTurn);
    return isItsTurn;
  }
}

/** Returns one mishap for each attempt number that has a matching rule. The first matching rule counts. */
export function retryMishapsOf(
  scenarios: readonly Scenario[],
  subject: MatchSubject,
  counts: RuleEventCounts,
): readonly RetryMishap[] {
  const rules = scenarios.flatMap(({ webhooks }) => webhooks ?? []);
  const attempts = new Set(rules.flatMap(({ attempt }) => attempt ?? []));
  return [...attempts].flatMap((attempt): RetryMishap[] => {
    const found = findRule(
      "webhooks",
      scenarios,
      subject,
      (name, index, rule) => rule.attempt === attempt && counts.isRuleDue(name, index, rule),
    );
    if (found === undefined) return [];
    const { delay, copies = 1, response_lost = false } = found.rule;
    const delay_ms = delay === undefined ? 0 : durationToMs(delay);
    return [{ attempt, scenario: found.scenario, index: found.index, delay_ms, copies, response_lost }];
  });
}

/** Returns the mishap of a repeated attempt, if any. The mishap of the first attempt is in the delivery itself. */
export function retryMishapAt({ mishap }: Delivery, attempt: number): RetryMishap | undefined {
  return mishap?.retried?.find((retry) => retry.attempt === attempt);
}
