import type { ChargeStatus, WithdrawalStatus } from "../../core/schema/common.js";
import { chargeEventType, parseEventType, withdrawalEventType } from "../../core/schema/event-types.js";
import { hasEnded } from "../../core/schema/statuses.js";
import { durationToMs } from "../../core/schema/time.js";
import type { Deviable } from "./deviable.js";
import type {
  CallOccurrence,
  JobMoment,
  ObservedCall,
  ObservedCharge,
  ObservedPayment,
  ObservedRun,
  WebhookOccurrence,
} from "./run-record.js";
import type { FlowVariant } from "./sandbox/flow-variant.js";

/** Sandbox time after a change in which a read may be stale. */
const STALE_MS = durationToMs("1m");

/** A place where a run can deviate. Its id `at`, such as `createQuote#1`, is the same in every run. */
export type Place =
  | PlaceOfCall
  | PlaceOfEvent
  | PlaceOfChange
  | PlaceOfJob
  | PlaceOfOthers
  | PlaceOfVariant
  | PlaceOfCustomer;

export interface PlaceOfCall extends CallOccurrence {
  readonly what: "call";
  readonly at: string;
  readonly isRead: boolean;
  readonly atMs: number;
  /** Sandbox milliseconds until the created payment ends; absent if it does not end by itself. */
  readonly timelineMs?: number;
  /** True for a read of a charge or withdrawal whose status has changed within `STALE_MS`. */
  readonly hasChangedStatus: boolean;
  /** The call reads the first page of a list of payins, and whether the app reads a further one. */
  readonly list?: { readonly hasFurtherPage: boolean };
  /** Sandbox milliseconds from a read to the payment's next event; 0 if a webhook was sent at the time of the read. */
  readonly nextEventMs?: number;
  readonly payment?: ObservedPayment;
}

/** Moments of a change of a payment at which the app's scheduled work can run. */
interface JobMoments {
  /** After a change to a status that is not final, before the next change. */
  readonly jobBeforeNext?: JobMoment | undefined;
  /** While the change happens, or while its webhook arrives. */
  readonly jobAtOnce?: JobMoment | undefined;
}

/** A delivery's first attempt (`event`), a retry (`attempt`), or the first attempt at one `endpoint` of several. */
export interface PlaceOfEvent extends WebhookOccurrence, JobMoments {
  readonly what: "event" | "attempt" | "endpoint";
  readonly at: string;
  /** Sandbox milliseconds after which the charge has expired and the flow's longest advance is over; of a payment's event. */
  readonly deadlineMs?: number | undefined;
  readonly isLast: boolean;
  /** Sandbox milliseconds from a retry to the payment's next event; absent if there is no next event. */
  readonly nextMs?: number;
  /** The call that created the payment; present on the payment's first event. */
  readonly creatingCall?: PlaceOfCall | undefined;
  /** The app's read of the payment while it handles the event. */
  readonly handlerRead?: PlaceOfCall | undefined;
  readonly payment: ObservedPayment;
}

/** A change of a charge or withdrawal of which the app receives no webhook. */
export interface PlaceOfChange extends JobMoments {
  readonly what: "change";
  readonly at: string;
  readonly payment: ObservedPayment;
}

interface PlaceOfJob {
  readonly what: "works";
  readonly at: string;
  /** Counts such steps from 0. */
  readonly step: number;
}

/** A moment at which others act: after an act of the flow, or at its end. */
interface PlaceOfOthers {
  readonly what: "others";
  readonly at: string;
  /** Counts the steps of others from 0. */
  readonly step: number;
  /** Index of the act of the flow; undefined for the end of the flow. */
  readonly after: number | undefined;
}

interface PlaceOfVariant {
  readonly what: "variant";
  readonly at: string;
  readonly variant: FlowVariant;
}

/** An action of the customer: paying a charge, paying it on the service's page, or pressing a button. */
export type PlaceOfCustomer =
  | {
      readonly what: "presses";
      readonly at: string;
      /** Counts the customer's presses from 0. */
      readonly press: number;
      /** Number of calls to the service at which a run can hold the press. */
      readonly holds: number;
    }
  | {
      readonly what: "pays";
      readonly at: string;
      readonly charge: ObservedCharge;
      /** Sandbox milliseconds from the start of the run to the charge's expiry. */
      readonly expirySinceMs: number;
      /** The customer can also pay later, or not at all. */
      readonly canWait: boolean;
    }
  | {
      readonly what: "pays_on_page";
      readonly at: string;
      /** Counts the flow's payments on pages from 0. */
      readonly page: number;
      readonly canWait: boolean;
      /** The checkout has a `success_url` that a run can open. */
      readonly canReturn: boolean;
      /** When the app's scheduled work can run before the customer pays. */
      readonly jobBeforeNext?: JobMoment | undefined;
    };

/** Lists the places of a run: calls of the app, events and other changes, actions of the customer. */
export function placesOf(run: ObservedRun, customer: Deviable["customer"]): Place[] {
  const { presses, pressHolds = [], jobs = [], variants = [] } = customer;
  const observed = beforeQuiet(run);
  const calls = callPlaces(observed);
  return [
    ...presses.map((_, press) => ({
      what: "presses" as const,
      at: numbered(presses, press),
      press,
      holds: pressHolds[press] ?? 0,
    })),
    ...calls,
    ...eventPlaces(observed, calls, customer),
    ...(customer.hasJob ? unheardChangePlaces(observed) : []),
    ...jobs.map((_, step) => ({ what: "works" as const, at: numbered(jobs, step), step })),
    ...othersPlaces(customer),
    ...paymentPlaces(observed, customer),
    ...variants.map((variant) => ({ what: "variant" as const, at: variant.at, variant })),
  ];
}

/** Names one of several steps by its call and its number among the equal ones, such as `POST /orders#1`. */
function numbered(calls: readonly string[], index: number): string {
  const call = calls[index]!;
  return `${call}#${calls.slice(0, index + 1).filter((one) => one === call).length}`;
}

/** End of the name of a place at the end of the flow. */
export const AT_END = " at the end";

/** Lists the end of the flow first for each step: it shows how the step ends an order that is done. */
function othersPlaces({ meanwhile }: Deviable["customer"]): PlaceOfOthers[] {
  const { steps = [], acts = [] } = meanwhile ?? {};
  const names = acts.map(({ name }) => name);
  return steps.flatMap((_, step) => {
    const name = numbered(steps, step);
    return [
      { what: "others" as const, at: `${name}${AT_END}`, step, after: undefined },
      ...acts.map(({ index }, act) => ({
        what: "others" as const,
        at: `${name} after ${numbered(names, act)}`,
        step,
        after: index,
      })),
    ];
  });
}

/** Leaves out the calls and attempts that come when nothing deviates any more. */
function beforeQuiet({ quietMs = Infinity, ...observed }: ObservedRun): ObservedRun {
  const isBefore = ({ atMs }: { readonly atMs: number }) => atMs <= quietMs;
  return {
    ...observed,
    calls: observed.calls.filter(isBefore),
    deliveries: observed.deliveries
      .filter(isBefore)
      .map((delivery) => ({ ...delivery, attempts: delivery.attempts.filter(isBefore) })),
  };
}

/** Lists the places at which the customer pays, by the charges that the service has, however the flow pays them. */
function paymentPlaces(
  { charges, startMs }: ObservedRun,
  { pages, mustPayReason, hasJob, canReturn = false }: Deviable["customer"],
): PlaceOfCustomer[] {
  const index = charges.findIndex(({ status }) => status === "COMPLETED");
  const paid = charges[index];
  const canWait = mustPayReason === undefined;
  // A rule for a customer's charges concerns all of them, so it would also make a declined charge be paid.
  const areOthersPaid = !charges.some(({ status }) => status === "FAILED");
  const hosted = charges.filter(({ isHosted }) => isHosted);
  // Pages that the customer leaves without a choice are no steps that pay.
  const isDeclined = hosted.every(({ status }) => status === "FAILED");
  const page = Math.min(isDeclined ? 0 : hosted.indexOf(paid!), pages - 1);
  return [
    ...(paid !== undefined && areOthersPaid && (paid.isAutomatic || paid.isHosted)
      ? [
          {
            what: "pays" as const,
            at: `charge#${index + 1}`,
            charge: paid,
            expirySinceMs: paid.expiresMs - startMs,
            canWait,
          },
        ]
      : []),
    ...(page >= 0
      ? [
          {
            what: "pays_on_page" as const,
            at: `page#${page + 1}`,
            page,
            canWait,
            canReturn,
            jobBeforeNext: hasJob ? { page } : undefined,
          },
        ]
      : []),
  ];
}

function callPlaces(observed: ObservedRun): PlaceOfCall[] {
  const { calls, drivenMs = Infinity } = observed;
  const payments = [...observed.charges, ...observed.withdrawals];
  return calls.flatMap((call, index): PlaceOfCall[] => {
    if (call.isByFlow) return [];
    const { operation, method, isOwn, atMs } = call;
    const before = calls.slice(0, index).filter((one) => one.operation === operation).length;
    const created = payments.find(({ id }) => id === call.createdId);
    const read = payments.find(({ id }) => id === call.readId);
    const last = read?.history.findLast((change, count) => count > 0 && change.atMs <= atMs);
    const hasChanged = last !== undefined && atMs - last.atMs <= STALE_MS;
    // A response can be held only while the steps of the flow go on.
    const isAwaited = atMs <= drivenMs;
    return [
      {
        what: "call",
        at: `${operation}#${before + 1}`,
        operation,
        earlierCount: before,
        isRead: method === "GET",
        isOwn,
        atMs,
        timelineMs: created?.isAutomatic && isAwaited ? created.endedMs - created.createdMs : undefined,
        hasChangedStatus: hasChanged,
        ...(call.page === "first" && observed.charges.length > 0
          ? { list: { hasFurtherPage: hasFurtherPage(calls, index) } }
          : {}),
        nextEventMs: isAwaited ? nextEventMs(call, observed) : undefined,
        payment: created ?? read,
      },
    ];
  });
}

/** Returns true if the next read of the list after a first page is of a further page. */
function hasFurtherPage(calls: readonly ObservedCall[], index: number): boolean {
  return calls.slice(index + 1).find(({ page }) => page !== undefined)?.page === "further";
}

function nextEventMs({ readId, atMs }: ObservedCall, { deliveries }: ObservedRun): number | undefined {
  const next = deliveries.find((one) => one.object_id === readId && one.atMs > atMs);
  if (next === undefined) return undefined;
  const isAfterWebhook = deliveries.some(({ attempts }) => attempts.some((one) => one.atMs === atMs));
  return isAfterWebhook ? 0 : next.atMs - atMs;
}

function eventPlaces(
  observed: ObservedRun,
  calls: readonly PlaceOfCall[],
  { hasJob = false, longestAdvanceMs = 0 }: Deviable["customer"],
): PlaceOfEvent[] {
  const { deliveries } = observed;
  const payments = [...observed.charges, ...observed.withdrawals];
  // Keeps one delivery of each event: an event has a delivery per endpoint.
  const events = deliveries.filter(
    ({ event_id }, index) => deliveries.findIndex((one) => one.event_id === event_id) === index,
  );
  const urls = endpointUrls(deliveries);
  return events.flatMap((event, index): PlaceOfEvent[] => {
    const { event_id, type, object_id, attempts, atMs } = event;
    const payment = payments.find(({ id }) => id === object_id)!;
    const earlierCount = events.slice(0, index).filter((one) => one.type === type).length;
    const own = events.filter((one) => one.object_id === object_id);
    const next = own[own.indexOf(event) + 1];
    const isCreator = (call: PlaceOfCall) => call.timelineMs !== undefined && call.payment === payment;
    const place = {
      at: `${type}#${earlierCount + 1}`,
      type,
      earlierCount,
      isLast: next === undefined,
      payment,
    };
    const handlerRead = calls.find((call) => call.isRead && call.payment === payment && call.atMs === atMs);
    const webhook = { type, earlierCount };
    const charge = observed.charges.find(({ id }) => id === object_id);
    const isPaid = charge !== undefined && parseEventType(type)?.status === "COMPLETED";
    const change = { type, atMs, nextMs: next?.atMs, webhook, isReadByHandler: handlerRead !== undefined };
    return [
      {
        what: "event" as const,
        ...place,
        deadlineMs: isPaid ? Math.max(charge.expiresMs - atMs, longestAdvanceMs) : undefined,
        creatingCall: own[0] === event ? calls.find(isCreator) : undefined,
        handlerRead,
        ...(hasJob ? jobMomentsOf(change, observed) : {}),
      },
      ...endpointUrls(deliveries.filter((one) => one.event_id === event_id)).flatMap((url, _, all) =>
        all.length < 2
          ? []
          : [
              {
                ...place,
                what: "endpoint" as const,
                at: `${place.at} to ${urls.indexOf(url) + 1}`,
                url: urlGlob(url, urls),
              },
            ],
      ),
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

function endpointUrls(deliveries: ObservedRun["deliveries"]): string[] {
  return [...new Set(deliveries.flatMap(({ url }) => url ?? []))];
}

/** Selects an endpoint by its path, so that a saved file fits an app at another port, if no other has that path. */
function urlGlob(url: string, all: readonly string[]): string {
  const { pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  const isUnique = all.filter((one) => one.endsWith(path)).length === 1;
  return `${isUnique ? "*" : ""}${(isUnique ? path : url).replaceAll("*", "\\*")}`;
}

interface Change {
  readonly type: string;
  readonly atMs: number;
  /** When the payment changes next; undefined if it does not. */
  readonly nextMs: number | undefined;
  readonly webhook?: WebhookOccurrence;
  readonly isReadByHandler: boolean;
}

function jobMomentsOf(
  { type, atMs, nextMs, webhook, isReadByHandler }: Change,
  { startMs }: ObservedRun,
): JobMoments {
  const sinceMs = atMs - startMs;
  const subject = parseEventType(type);
  if (subject === undefined || hasEnded(subject.status))
    return { jobAtOnce: { sinceMs, concurrent: { webhook, isReadByHandler } } };
  // Adds 1 ms. At the exact time of the webhook, a read would count as a read by the webhook's handler.
  return nextMs !== undefined && nextMs > atMs ? { jobBeforeNext: { sinceMs: sinceMs + 1 } } : {};
}

/** Lists the changes of charges and withdrawals by their history, without those that the app receives webhooks of. */
function unheardChangePlaces(observed: ObservedRun): PlaceOfChange[] {
  const { charges, withdrawals, deliveries } = observed;
  const heard = new Set(deliveries.map(({ type }) => type));
  const changesOf = (payment: ObservedPayment, typeOf: (status: string) => string) =>
    payment.history.slice(1).map(({ status, atMs }, index, changes) => {
      const nextMs = changes[index + 1]?.atMs;
      return { payment, type: typeOf(status), atMs, nextMs, isReadByHandler: false };
    });
  const changes = [
    ...charges.flatMap((one) => changesOf(one, (status) => chargeEventType(status as ChargeStatus))),
    ...withdrawals.flatMap((one) =>
      changesOf(one, (status) => withdrawalEventType(status as WithdrawalStatus)),
    ),
  ]
    .filter(({ type }) => !heard.has(type))
    .sort((one, other) => one.atMs - other.atMs);
  return changes.map((change, index) => {
    const { type, payment } = change;
    const number = changes.slice(0, index + 1).filter((one) => one.type === type).length;
    return { what: "change", at: `${type}#${number}`, payment, ...jobMomentsOf(change, observed) };
  });
}
