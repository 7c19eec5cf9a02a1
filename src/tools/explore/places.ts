import { parseEventType } from "../../core/schema/event-types.js";
import { hasEnded } from "../../core/schema/statuses.js";
import type {
  CallOccurrence,
  Deviable,
  JobMoment,
  ObservedCall,
  ObservedCharge,
  ObservedPayment,
  ObservedRun,
  WebhookOccurrence,
} from "./deviable.js";

/** A place where a run can deviate. Its id `at`, such as `createQuote#1`, is the same in every run. */
export type Place = PlaceOfCall | PlaceOfEvent | PlaceOfCustomer;

/** A call that the app makes. */
export interface PlaceOfCall extends CallOccurrence {
  readonly what: "call";
  readonly at: string;
  readonly isRead: boolean;
  /** Sandbox milliseconds until the created payment ends; absent if it does not end by itself. */
  readonly timelineMs?: number;
  /** True for a read of a charge or withdrawal whose status had already changed. */
  readonly hasChangedStatus: boolean;
  /** Sandbox milliseconds from a read to the payment's next event; 0 if a webhook was sent at the time of the read. */
  readonly nextEventMs?: number;
  /** The charge or withdrawal that the call created or read. */
  readonly payment?: ObservedPayment;
}

/** A delivery's first attempt (`event`) or a retry (`attempt`). */
export interface PlaceOfEvent extends WebhookOccurrence {
  readonly what: "event" | "attempt";
  readonly at: string;
  /** The event is the last of its charge or withdrawal. */
  readonly isLast: boolean;
  /** Sandbox milliseconds from a retry to the payment's next event; absent if there is no next event. */
  readonly nextMs?: number;
  /** The call that created the payment; present on the payment's first event. */
  readonly creatingCall?: PlaceOfCall;
  readonly payment: ObservedPayment;
  /** The app's scheduled work can run at this moment: after an event with a non-final status, before the next event. */
  readonly jobBeforeNext?: JobMoment;
  /** The app's scheduled work can run at this moment, while the final event arrives. */
  readonly jobWithEvent?: JobMoment;
}

/** An action of the customer: paying a charge, paying it on the service's page, or pressing a button. */
export interface PlaceOfCustomer {
  readonly what: "pays" | "pays_on_page" | "presses";
  readonly at: string;
  /** The charge that is paid. */
  readonly charge?: ObservedCharge;
  /** When the app's scheduled work can run before the customer pays. */
  readonly jobBeforeNext?: JobMoment;
}

/** Lists the places of a run: calls of the app, events, actions of the customer. */
export function placesOf(observed: ObservedRun, { press, isOnPage, hasJob }: Deviable["customer"]): Place[] {
  const calls = callPlaces(observed);
  const [first] = observed.charges;
  return [
    ...(press === undefined ? [] : [{ what: "presses" as const, at: `${press}#1` }]),
    ...calls,
    ...eventPlaces(observed, calls, hasJob === true),
    ...((first?.isAutomatic || isOnPage) && first?.status === "COMPLETED"
      ? [{ what: "pays" as const, at: "charge#1", charge: first }]
      : []),
    ...(isOnPage
      ? [{ what: "pays_on_page" as const, at: "page#1", ...(hasJob ? { jobBeforeNext: {} } : {}) }]
      : []),
  ];
}

/** Sandbox time after a run's first call in which a deviation can hold a call. Later calls come from scheduled work. */
const TAIL_MS = 4 * 86_400_000;

function callPlaces(observed: ObservedRun): PlaceOfCall[] {
  const { calls } = observed;
  const payments = [...observed.charges, ...observed.withdrawals];
  return calls.flatMap((call, index): PlaceOfCall[] => {
    if (call.isByFlow) return [];
    const { operation, method, isOwn, atMs } = call;
    const before = calls.slice(0, index).filter((one) => one.operation === operation).length;
    const created = payments.find(({ id }) => id === call.createdId);
    const read = payments.find(({ id }) => id === call.readId);
    const hasChanged = read !== undefined && read.history.filter((change) => change.atMs <= atMs).length > 1;
    const isAwaited = atMs - (calls[0]?.atMs ?? atMs) < TAIL_MS;
    return [
      {
        what: "call",
        at: `${operation}#${before + 1}`,
        operation,
        earlierCount: before,
        isRead: method === "GET",
        isOwn,
        timelineMs: created?.isAutomatic && isAwaited ? created.endedMs - created.createdMs : undefined,
        hasChangedStatus: hasChanged,
        nextEventMs: isAwaited ? nextEventMs(call, observed) : undefined,
        payment: created ?? read,
      },
    ];
  });
}

function nextEventMs({ readId, atMs }: ObservedCall, { deliveries }: ObservedRun): number | undefined {
  const next = deliveries.find((one) => one.object_id === readId && one.atMs > atMs);
  if (next === undefined) return undefined;
  const isAfterWebhook = deliveries.some(({ attempts }) => attempts.some((one) => one.atMs === atMs));
  return isAfterWebhook ? 0 : next.atMs - atMs;
}

/** Returns true for an event of a status that is not final. */
function isPendingEvent(type: string): boolean {
  const subject = parseEventType(type);
  return subject !== undefined && !hasEnded(subject.status);
}

function eventPlaces(observed: ObservedRun, calls: readonly PlaceOfCall[], hasJob: boolean): PlaceOfEvent[] {
  const { deliveries, startMs } = observed;
  const payments = [...observed.charges, ...observed.withdrawals];
  // Keeps one delivery of each event: an event has a delivery per endpoint.
  const events = deliveries.filter(
    ({ event_id }, index) => deliveries.findIndex((one) => one.event_id === event_id) === index,
  );
  return events.flatMap((event, index): PlaceOfEvent[] => {
    const { type, object_id, attempts, atMs } = event;
    const payment = payments.find(({ id }) => id === object_id)!;
    const before = events.slice(0, index).filter((one) => one.type === type).length;
    const own = events.filter((one) => one.object_id === object_id);
    const next = own[own.indexOf(event) + 1];
    const isCreator = (call: PlaceOfCall) => call.timelineMs !== undefined && call.payment === payment;
    const place = {
      at: `${type}#${before + 1}`,
      type,
      earlierCount: before,
      isLast: next === undefined,
      payment,
    };
    const sinceMs = hasJob && startMs !== undefined ? atMs - startMs : undefined;
    const isPending = isPendingEvent(type) && next !== undefined && next.atMs > atMs;
    const reads = observed.calls.filter((call) => call.readId !== undefined && call.atMs < atMs).length;
    return [
      {
        what: "event" as const,
        ...place,
        creatingCall: own[0] === event ? calls.find(isCreator) : undefined,
        // Adds 1 ms. At the exact time of the webhook, a read would count as a read by the webhook's handler.
        jobBeforeNext: sinceMs !== undefined && isPending ? { sinceMs: sinceMs + 1 } : undefined,
        jobWithEvent:
          sinceMs === undefined || isPendingEvent(type)
            ? undefined
            : { sinceMs, concurrentWebhook: { place: { type, earlierCount: before }, reads } },
      },
      ...attempts.slice(1).map((attempt, further) => ({
        ...place,
        what: "attempt" as const,
        at: `${place.at} attempt ${further + 2}`,
        attempt: further + 2,
        ...(next === undefined || next.atMs < attempt.atMs ? {} : { nextMs: next.atMs - attempt.atMs }),
      })),
    ];
  });
}
