import type { ChargeStatus } from "../../../core/schema/common.js";
import { parseEventType } from "../../../core/schema/event-types.js";
import { formatDuration, iso } from "../../../core/schema/time.js";
import { UserError } from "../../../core/schema/user-error.js";
import {
  type Deviation,
  type DeviationKind,
  type DeviationSet,
  deviationKey,
  parseDeviationSet,
} from "../deviation-set.js";
import type { ShownDeviation } from "../exploration.js";
import { namesLife } from "../lives/chosen-lives.js";
import { type IncidentLog, type LoggedCall, type LoggedWebhook, readIncidentLog } from "./log-file.js";

/** The deviations that an incident's log shows, and the sets of them that an exploration tries. */
interface ShownSets {
  readonly shown: readonly ShownDeviation[];
  readonly only: readonly DeviationSet[];
}

/**
 * Returns the sets that the options `only` and `from` name; none if both are absent.
 *
 * @param dashes prefix of the options in messages
 */
export function chosenSets(
  { only, from }: { readonly only?: string | undefined; readonly from?: string | undefined },
  dashes: "" | "--" = "",
): Partial<ShownSets> {
  if (only !== undefined && from !== undefined)
    throw new UserError(`${dashes}only and ${dashes}from both name the sets to run: give one of them`);
  if (namesLife(only)) return {};
  if (only !== undefined) return { only: [parseDeviationSet(only, `${dashes}only`)] };
  return from === undefined ? {} : readShownSets(from);
}

/** Reads an incident's log. Throws a UserError if it shows no deviation. */
function readShownSets(file: string): ShownSets {
  const log = readIncidentLog(file);
  if (log.calls.length + log.webhooks.length === 0)
    throw new UserError(`${file}: has neither a call of the app nor a webhook: nothing to try`, 2);
  const shown = shownDeviations(log);
  if (shown.length === 0)
    throw new UserError(
      `${file}: shows nothing to try: each call has a response below 429, and each webhook came once, in order`,
      2,
    );
  return { shown, only: setsOf(shown) };
}

/** Each deviation alone, then all together: of alternatives at one place the first. */
function setsOf(shown: readonly Deviation[]): DeviationSet[] {
  const all = shown.map(({ kind, at }) => ({ kind, at }));
  const singles = all.map((one) => [one]);
  const whole = all.filter(({ at }, index) => all.findIndex((one) => one.at === at) === index);
  return whole.length === 1 ? singles : [...singles, whole];
}

function shownDeviations({ calls, webhooks }: IncidentLog): ShownDeviation[] {
  const payments = paymentsOf(webhooks);
  const all = [
    ...callDeviations(numbered(calls), payments),
    ...payments.flatMap((payment) => [
      ...paymentDeviations(payment),
      ...payment.events.flatMap(eventDeviations),
    ]),
  ];
  const keys = all.map(deviationKey);
  return all.filter((one, index) => keys.indexOf(deviationKey(one)) === index);
}

function shownAt(kind: DeviationKind, at: string, reason: string): ShownDeviation {
  return { kind, at, reason };
}

// ---- Calls ----

interface NumberedCall extends LoggedCall {
  /** Place of the call, such as `createQuote#1`. */
  readonly at: string;
}

function numbered(calls: readonly LoggedCall[]): NumberedCall[] {
  return calls.map((call, index) => {
    const before = calls.slice(0, index).filter(({ operation }) => operation === call.operation);
    return { ...call, at: `${call.operation}#${before.length + 1}` };
  });
}

/** Operations that create a payment, by what they create. */
const CREATORS: Readonly<Record<Payment["object"], readonly string[]>> = {
  charge: ["createWhitelabel", "createCheckout"],
  withdrawal: ["createWithdrawal"],
};

function callDeviations(calls: readonly NumberedCall[], payments: readonly Payment[]): ShownDeviation[] {
  const failed = calls.flatMap((call) => {
    const { at, status, isLost } = call;
    if (status === 429) return [shownAt("response_429", at, saysAt(call, "returned 429"))];
    if (status !== undefined && status >= 500)
      return [shownAt("response_5xx", at, saysAt(call, `returned ${status}`))];
    return isLost ? lossesOf(call, calls, payments) : [];
  });
  return [...failed, ...payments.flatMap((payment) => earlyDeviations(payment, calls))];
}

function saysAt({ atMs }: LoggedCall, what: string): string {
  return `the call at ${iso(atMs)} ${what}`;
}

/** A lost write was done or not. Payments beyond those of the calls with a response show that it was. */
function lossesOf(
  call: NumberedCall,
  calls: readonly NumberedCall[],
  payments: readonly Payment[],
): ShownDeviation[] {
  const { at, operation } = call;
  const got = saysAt(call, "got no response");
  const request = shownAt("request_lost", at, got);
  if (/^(get|list)/.test(operation)) return [request];
  const response = shownAt("response_lost", at, got);
  const object = CREATORS.charge.includes(operation) ? "charge" : "withdrawal";
  if (!CREATORS[object].includes(operation)) return [response, request];
  const made = payments.filter((payment) => payment.object === object).length;
  const known = calls.filter((one) => CREATORS[object].includes(one.operation) && isDone(one)).length;
  return made > known
    ? [shownAt("response_lost", at, `${got}, and webhooks of its ${object} came`)]
    : [response, request];
}

function isDone({ status = 200, isLost }: LoggedCall): boolean {
  return !isLost && status < 300;
}

/** Webhooks of a payment that came before the response to the call that created it. */
function earlyDeviations(
  { object, number, events }: Payment,
  calls: readonly NumberedCall[],
): ShownDeviation[] {
  const creators = calls.filter((one) => CREATORS[object].includes(one.operation));
  const creator = creators.filter((one) => one.isLost || isDone(one))[number - 1];
  if (creator === undefined || creator.isLost) return [];
  const early = events.filter(({ atMs }) => atMs < creator.atMs);
  const last = early.find(({ status }) => RANKS[status] >= RANKS.COMPLETED);
  if (last !== undefined)
    return [shownAt("response_held", creator.at, `${last.at} came before the response to ${creator.at}`)];
  const [first] = early;
  return first === undefined
    ? []
    : [shownAt("webhook_first", first.at, `${first.at} came before the response to ${creator.at}`)];
}

// ---- Webhooks ----

/** The events of a charge or withdrawal, in the order in which they first came. */
interface Payment {
  readonly object: "charge" | "withdrawal";
  /** Counts the charges, or the withdrawals, of the log from 1. */
  readonly number: number;
  readonly events: readonly LoggedEvent[];
}

interface LoggedEvent {
  /** Place of the event, such as `charge.completed#1`. */
  readonly at: string;
  readonly status: ChargeStatus;
  /** Time of the first attempt. */
  readonly atMs: number;
  readonly attempts: readonly LoggedWebhook[];
}

/** The order of the statuses in the life of a payment. A payment that has expired can still be paid. */
const RANKS: Readonly<Record<ChargeStatus, number>> = {
  PENDING: 0,
  AWAITING_PAYMENT: 1,
  EXPIRED: 2,
  PROCESSING: 3,
  COMPLETED: 4,
  FAILED: 4,
  CANCELLED: 4,
  REFUNDED: 5,
};

/** Without the ids of payments, the first event of each type is the first payment's. */
function paymentsOf(webhooks: readonly LoggedWebhook[]): Payment[] {
  const counts = new Map<string, number>();
  const found = new Map<string, { readonly object: Payment["object"]; readonly events: LoggedEvent[] }>();
  for (const [index, { eventId, type, atMs, object }] of webhooks.entries()) {
    const subject = parseEventType(type);
    const isFirst = webhooks.findIndex((one) => one.eventId === eventId) === index;
    if (subject === undefined || !isFirst) continue;
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const key = `${subject.object} ${object ?? count}`;
    const payment = found.get(key) ?? { object: subject.object, events: [] };
    found.set(key, payment);
    const attempts = webhooks.filter((one) => one.eventId === eventId);
    payment.events.push({ at: `${type}#${count}`, status: subject.status, atMs, attempts });
  }
  const all = [...found.values()];
  return all.map(({ object, events }, index) => {
    const number = all.slice(0, index + 1).filter((one) => one.object === object).length;
    return { object, number, events };
  });
}

/** Events in another order than they happened, and ends other than a payment. */
function paymentDeviations({ object, number, events }: Payment): ShownDeviation[] {
  const overtaken = events.flatMap(({ at, status }, index) => {
    const next = events.slice(0, index).find((one) => RANKS[one.status] > RANKS[status]);
    return next === undefined ? [] : [shownAt("webhook_after_next", at, `${at} came after ${next.at}`)];
  });
  if (object !== "charge") return overtaken;
  const eventOf = (status: ChargeStatus) => events.find((one) => one.status === status);
  const [paid, expired] = [eventOf("COMPLETED"), eventOf("EXPIRED")];
  const ends = [
    [paid && expired, "paid_late"],
    [paid ? undefined : expired, "expired_unpaid"],
    [paid ? undefined : eventOf("FAILED"), "declined"],
    [eventOf("REFUNDED"), "refunded"],
  ] as const;
  return [
    ...overtaken,
    ...ends.flatMap(([event, kind]) =>
      event === undefined ? [] : [shownAt(kind, `charge#${number}`, `${event.at} came`)],
    ),
  ];
}

/** A webhook that takes longer than this is late. */
const LATE_MS = 60_000;
/** A webhook that takes longer than this comes after the charge's deadline. */
const DEADLINE_MS = 3_600_000;

/** Late and repeated attempts of an event. An attempt that follows a refusal is a retry, as it should be. */
function eventDeviations({ at, status, atMs, attempts }: LoggedEvent): ShownDeviation[] {
  const [{ happenedMs = atMs } = {}] = attempts;
  const lateMs = atMs - happenedMs;
  const lateKind =
    lateMs >= DEADLINE_MS && status === "COMPLETED" ? "webhook_after_deadline" : "webhook_late";
  const late =
    lateMs > LATE_MS ? [shownAt(lateKind, at, `${at} came ${formatDuration(lateMs)} after it happened`)] : [];
  const repeated = attempts.flatMap((attempt, index) => {
    const before = attempts.slice(0, index).findLast(({ endpoint }) => endpoint === attempt.endpoint);
    return before === undefined ? [] : repetitionOf(at, before, attempt);
  });
  return [...late, ...repeated];
}

/** Copies of an event that arrive within this time of each other may be handled concurrently. */
const AT_ONCE_MS = 1_000;
/** A copy after this time comes when the app has done with the event. */
const LATER_MS = 3_600_000;

function repetitionOf(at: string, before: LoggedWebhook, attempt: LoggedWebhook): ShownDeviation[] {
  const ms = attempt.atMs - before.atMs;
  const again = `${attempt.eventId} came again after ${formatDuration(ms)}`;
  if (before.isLost) return [shownAt("webhook_response_lost", at, `${again}, as the response was lost`)];
  if (attempt.isRetry === true || (before.status ?? 200) >= 300) return [];
  if (ms < AT_ONCE_MS) return [shownAt("webhook_twice_at_once", at, again)];
  return [shownAt(ms < LATER_MS ? "webhook_twice" : "webhook_again_later", at, again)];
}
