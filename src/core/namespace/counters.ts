import { firstExpiredMs } from "../domain/charge-transition.js";
import { isResponseLost } from "../engine/commands/delivery-commands.js";
import type { Attempt, Change, Delivery, EventRecord } from "../engine/records.js";
import type { State } from "../engine/state.js";
import { isSuccessStatus } from "../schema/http-response.js";
import type { ServedRequest } from "./request-journal.js";

type CounterKind = "operations" | "statuses" | "events" | "error_codes" | "mishaps";

type CountsByKind = { [Name in CounterKind]?: Map<string, number> };

/** Counts the operations, statuses, events, error codes and mishaps that an app has met; kept in memory only. */
export class CoverageCounters {
  #counts: CountsByKind = {};
  readonly #total: CoverageCounters | undefined;

  /** @param total counters to increment together with the counters of this instance */
  constructor(total?: CoverageCounters) {
    this.#total = total;
  }

  counts(kind: CounterKind): ReadonlyMap<string, number> {
    return this.#counts[kind] ?? new Map();
  }

  noteRequest({ operation, errorCode, hasClientDisconnected, isResponseLost }: ServedRequest): void {
    if (hasClientDisconnected) return;
    if (operation !== null) this.#count("operations", operation);
    if (errorCode !== null) this.#count("error_codes", errorCode);
    if (isResponseLost === true) this.#count("mishaps", "response_lost");
  }

  /** @param state after the change */
  noteChange({ puts, counters }: Change, state: State): void {
    for (const [name, , record] of puts) {
      if (record === null) continue;
      if (name === "charges") this.#count("statuses", (record as { status: string }).status);
      else if (name === "events") {
        this.#count("events", (record as EventRecord).type);
        if (isPaidLate(record as EventRecord, state)) this.#count("mishaps", "paid_late");
      } else if (name === "deliveries")
        for (const kind of mishapsOfAttempt(record as Delivery, counters.attempt, state))
          this.#count("mishaps", kind);
    }
  }

  clear(): void {
    this.#counts = {};
  }

  #count(kind: CounterKind, name: string): void {
    if (this.#total !== undefined) this.#total.#count(kind, name);
    const counts = (this.#counts[kind] ??= new Map());
    const count = counts.get(name) ?? 0;
    if (count > 0 || counts.size < MAX_NAMES) counts.set(name, count + 1);
  }
}

/** Maximum number of names of a kind. Users can define any number of event types and error codes. */
const MAX_NAMES = 1_000;

/** Failures between app and service that an app must survive. */
export const COUNTED_MISHAPS = [
  /** A receiver got an event a second time. */
  "duplicate",
  /** The call took effect, but its response was lost. */
  "response_lost",
  /** A delivery was attempted again. */
  "retry",
  /** A receiver got an event after a later event of the same object. */
  "out_of_order",
  /** An expired charge was paid. */
  "paid_late",
] as const;
type CountedMishap = (typeof COUNTED_MISHAPS)[number];

function isPaidLate({ type, object_id }: EventRecord, state: State): boolean {
  if (type !== "charge.completed" || object_id === null) return false;
  const charge = state.get("charges", object_id);
  return charge?.status === "COMPLETED" && firstExpiredMs(charge) !== undefined;
}

/** Returns the mishaps of the delivery's last attempt if that attempt has the number `order`; else none. */
function mishapsOfAttempt(delivery: Delivery, order: number | undefined, state: State): CountedMishap[] {
  const last = delivery.attempts.at(-1);
  if (order === undefined || last?.order !== order || delivery.mishap?.forged !== undefined) return [];
  const isBefore = (other: Attempt): boolean => other.order < order;
  const others = state
    .deliveriesOf(delivery.event_id)
    .filter((other) => other.webhook_id === delivery.webhook_id && other.delivery_id !== delivery.delivery_id)
    .filter(({ mishap }) => mishap?.forged === undefined);
  const mishaps: CountedMishap[] = [];
  if (isResponseLost(delivery, last)) mishaps.push("response_lost");
  if (last.attempt > 1 && isSent(last)) mishaps.push("retry");
  if (!hasArrived(delivery, last)) return mishaps;
  const isRepeated =
    others.some((other) =>
      other.attempts.some((attempt) => isBefore(attempt) && hasArrived(other, attempt)),
    ) || delivery.attempts.some((attempt) => isBefore(attempt) && isAccepted(delivery, attempt));
  if (isRepeated) mishaps.push("duplicate");
  else if (isOvertaken(delivery, state)) mishaps.push("out_of_order");
  return mishaps;
}

/** Returns true if the delivery's endpoint has accepted a later event of the object. */
function isOvertaken({ event_id, object_id, webhook_id }: Delivery, state: State): boolean {
  if (object_id === null) return false;
  const seq = state.get("events", event_id)?.seq ?? Number.POSITIVE_INFINITY;
  const later = state.eventsOf(object_id).filter((event) => event.seq > seq);
  return later.some((event) =>
    state
      .deliveriesOf(event.event_id)
      .some(
        (other) =>
          other.webhook_id === webhook_id && other.attempts.some((attempt) => isAccepted(other, attempt)),
      ),
  );
}

/** A scenario can fail an attempt without sending it. */
function isSent({ request_headers }: Attempt): boolean {
  return Object.keys(request_headers).length > 0;
}

/** Returns true if the receiver got the attempt, whatever it responded. */
function hasArrived(delivery: Delivery, attempt: Attempt): boolean {
  return isSent(attempt) && (attempt.status !== null || isResponseLost(delivery, attempt));
}

function isAccepted(delivery: Delivery, attempt: Attempt): boolean {
  return isSent(attempt) && (isSuccessStatus(attempt.status) || isResponseLost(delivery, attempt));
}
