import { expiredAtMs } from "../domain/charge.js";
import { isAnswerLost } from "../engine/commands/deliveries.js";
import type { Attempt, Change, Delivery, EventRecord } from "../engine/records.js";
import type { State } from "../engine/state.js";

/** What goes wrong between an app and the service, that an app has to get over. */
export const MISHAP_KINDS = [
  /** A receiver got an event that it had got before. */
  "duplicate",
  /** The work was done, and whoever asked for it was not told. */
  "lost_answer",
  /** A delivery was tried again. */
  "retry",
  /** A receiver got an event of an object after it had taken a later one. */
  "out_of_order",
  /** A charge was paid after it had expired. */
  "late_payment",
] as const;
export type MishapKind = (typeof MISHAP_KINDS)[number];

/** What has gone wrong by this change; `state` is what it led to. */
export function mishapsOf({ puts, counters }: Change, state: State): MishapKind[] {
  const found: MishapKind[] = [];
  for (const [name, , record] of puts) {
    if (record === null) continue;
    if (name === "deliveries") found.push(...mishapsOfAttempt(record as Delivery, counters.attempt, state));
    else if (name === "events" && isPaidLate(record as EventRecord, state)) found.push("late_payment");
  }
  return found;
}

function isPaidLate({ type, object_id }: EventRecord, state: State): boolean {
  if (type !== "charge.completed" || object_id === null) return false;
  const charge = state.get("charges", object_id);
  return charge?.status === "COMPLETED" && expiredAtMs(charge) !== undefined;
}

/** Of the attempt with that number, if it is the delivery's last. */
function mishapsOfAttempt(delivery: Delivery, order: number | undefined, state: State): MishapKind[] {
  const last = delivery.attempts.at(-1);
  if (order === undefined || last?.order !== order || delivery.mishap?.forged !== undefined) return [];
  const isBefore = (one: Attempt): boolean => one.order < order;
  const others = state
    .deliveriesOf(delivery.event_id)
    .filter((one) => one.webhook_id === delivery.webhook_id && one.delivery_id !== delivery.delivery_id)
    .filter(({ mishap }) => mishap?.forged === undefined);
  const found: MishapKind[] = [];
  if (isAnswerLost(delivery, last)) found.push("lost_answer");
  if (last.attempt > 1 && isSent(last)) found.push("retry");
  if (!hasCome(delivery, last)) return found;
  const hadIt =
    others.some((one) => one.attempts.some((attempt) => isBefore(attempt) && hasCome(one, attempt))) ||
    delivery.attempts.some((attempt) => isBefore(attempt) && isTaken(delivery, attempt));
  if (hadIt) found.push("duplicate");
  else if (isOvertaken(delivery, state)) found.push("out_of_order");
  return found;
}

/** Whether its receiver has taken a later event of the same object. */
function isOvertaken({ event_id, object_id, webhook_id }: Delivery, state: State): boolean {
  if (object_id === null) return false;
  const seq = state.get("events", event_id)?.seq ?? Number.POSITIVE_INFINITY;
  const later = state.eventsOf(object_id).filter((event) => event.seq > seq);
  return later.some((event) =>
    state
      .deliveriesOf(event.event_id)
      .some((one) => one.webhook_id === webhook_id && one.attempts.some((attempt) => isTaken(one, attempt))),
  );
}

/** A scenario may have an attempt fail that was never made. */
function isSent({ request_headers }: Attempt): boolean {
  return Object.keys(request_headers).length > 0;
}

/** The receiver got it, whatever it made of that. */
function hasCome(delivery: Delivery, attempt: Attempt): boolean {
  return isSent(attempt) && (attempt.status !== null || isAnswerLost(delivery, attempt));
}

function isTaken(delivery: Delivery, attempt: Attempt): boolean {
  const isGood = attempt.status !== null && attempt.status < 300;
  return isSent(attempt) && (isGood || isAnswerLost(delivery, attempt));
}
