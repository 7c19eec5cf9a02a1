import {
  CHARGE_STATUSES,
  type ChargeStatus,
  KEY_LIFETIME_MS,
  type WithdrawalStatus,
} from "../../core/schema/common.js";
import { isSuccessStatus } from "../../core/schema/http-response.js";
import { getOwn, isJsonObject } from "../../core/schema/json-objects.js";
import { type Marking, STATUS_WORDS } from "../../core/schema/reconciliation.js";
import { hasEnded, isPaid, outcomePage } from "../../core/schema/statuses.js";
import { formatCount } from "../../core/schema/text-format.js";
import type { Oracle } from "./exploration.js";
import type {
  ObservedCall,
  ObservedCharge,
  ObservedPayment,
  ObservedRun,
  RunFailure,
  Trace,
} from "./run-record.js";

export type TraceVerdict =
  | { readonly outcome: "right" }
  | { readonly outcome: "unknown"; readonly reason: string }
  | WrongVerdict;

export interface WrongVerdict {
  readonly outcome: "wrong";
  readonly oracle: Oracle;
  readonly message: string;
  /** Names the fields that the flow may ignore, if they may differ. */
  readonly hint?: string;
  /** Waiting cannot undo the failure: something was done twice, or the ledger has money that the app denies. */
  readonly isLasting?: boolean;
  /** The app is gone or no longer responds, so further runs are useless. */
  readonly isAppGone?: boolean;
  /** The app broke a connection: it may have exited, or it may still serve the next customer. */
  readonly isBroken?: boolean;
}

export function judgeTrace({ failure, observed, hasKilledApp }: Trace): TraceVerdict {
  if (failure === undefined) return { outcome: "right" };
  if (hasKilledApp && hasForgotten(failure))
    return wrong("convergence", `the app forgot, when it was killed: ${failure.title}: ${failure.message}`);
  const verdict = withExpiredKeys(judgeFailure(failure, observed), observed);
  const hung = observed.deliveries.find(({ unanswered }) => unanswered !== undefined);
  if (verdict.outcome === "wrong" || hung === undefined) return verdict;
  const message = `the app does not respond to webhooks: ${hung.type}: ${hung.unanswered}`;
  return { ...wrong("liveness", message), isAppGone: true };
}

/** Returns true if the app no longer knows what it knew in a plain run. */
function hasForgotten({ differences }: RunFailure): boolean {
  return differences.some(({ path, got }) => path === "status" && (got === 404 || got === 410));
}

function judgeFailure(failure: RunFailure, observed: ObservedRun): TraceVerdict {
  const { isIncomplete, error, role, title, message, isCallToApp, ending, status = 0 } = failure;
  if (isIncomplete) return { outcome: "unknown", reason: error ?? message };
  const isRefusal = isCallToApp && status >= 400 && status < 500;
  const text = `${title}: ${isRefusal ? `the app refuses with ${status}` : message}`;
  if (isCallToApp && ending !== undefined)
    return {
      ...wrong("liveness", text),
      ...(ending === "broken" ? { isBroken: true } : { isAppGone: true }),
    };
  switch (role) {
    case "reset":
      return { outcome: "unknown", reason: text };
    case "drive":
    case "repeat":
    case "tail":
    case "rest":
      return isCallToApp
        ? wrong("liveness", `the customer gets no further at ${text}`)
        : { outcome: "unknown", reason: text };
    case "paid":
    case "paid_out":
      return judgePaid(failure);
    case "observe":
      return { ...judgeView(failure, observed), ...ignoreHint(failure) };
    case "unlike":
      return lasting("money", `${title}: ${differencesText(failure) || message}`);
    case "not_delivered":
      return lasting("money", "delivered as if the right amount had been paid");
    case "manners":
      return wrong("manners", refusalText(observed) ?? message);
    case "never":
      return lasting("expect", `${title}: ${differencesText(failure) || message}`);
    case "reconcile":
      return lasting("reconcile", `${title}: ${differencesText(failure) || message}`);
    default: {
      const isLasting = judgeView(failure, observed).isLasting === true;
      return { ...wrong(role ?? "expect", `${title}: ${differencesText(failure) || message}`), isLasting };
    }
  }
}

function wrong(oracle: Oracle, message: string): WrongVerdict {
  return { outcome: "wrong", oracle, message };
}

function lasting(oracle: Oracle, message: string): WrongVerdict {
  return { ...wrong(oracle, message), isLasting: true };
}

/** Adds that a key had expired before a repeat. Such a failure is not lasting: a shorter run may pass. */
function withExpiredKeys(verdict: TraceVerdict, { calls }: ObservedRun): TraceVerdict {
  if (verdict.outcome !== "wrong" || verdict.oracle !== "money") return verdict;
  const created = calls.filter(({ idempotencyKey, isByFlow }) => idempotencyKey !== undefined && !isByFlow);
  const expired = created.find(({ idempotencyKey, atMs }) =>
    created.some((first) => first.idempotencyKey === idempotencyKey && atMs - first.atMs >= KEY_LIFETIME_MS),
  );
  if (expired === undefined) return verdict;
  const message = `${verdict.message} (${expired.operation} was repeated after its Idempotency-Key had expired)`;
  return { ...verdict, message, isLasting: false };
}

function judgePaid({ differences, role, reference = "a plain run" }: RunFailure): WrongVerdict {
  const { got, expected } = differences.find(({ path }) => path === "count") ?? {};
  const paid = Number(got ?? 0);
  const range = typeof expected === "number" ? { lte: expected } : expected;
  const { lte, gte } = (range ?? {}) as Partial<Record<"lte" | "gte", number>>;
  const completed = lte ?? gte ?? 0;
  const isOut = role === "paid_out";
  const record = isOut ? "completed withdrawal" : "completed charge";
  const plain = `${reference} has ${completed}`;
  if (paid <= completed) return wrong("convergence", `${formatCount(paid, record)}, where ${plain}`);
  const isTwice = completed > 0 ? "paid out twice" : "paid out, though nothing is paid";
  if (isOut) return lasting("money", `${isTwice}: ${formatCount(paid, record)}, where ${plain}`);
  const ordered = completed === 1 ? "one order" : `what is paid with ${completed}`;
  return lasting("money", `paid twice: ${formatCount(paid, record)} for ${ordered}`);
}

function judgeView(failure: RunFailure, observed: ObservedRun): WrongVerdict {
  const { charges, withdrawals, deliveries } = observed;
  const { differences, message, reference = "a plain run" } = failure;
  const text = differencesText(failure) || message;
  // Neither an amount below zero is done more often, nor one without a name of money that should be zero.
  const more = differences.filter(({ path, expected, got }) => {
    const most = amountOf(upperBound(expected));
    return (most > 0 || (most === 0 && MONEY_NAME.test(path))) && amountOf(got) > most;
  });
  // A balance is also too high if the app did not debit a payout, or has yet to do so, or if less was bought.
  const isShorter = ({ expected, got }: (typeof differences)[number]) =>
    Array.isArray(expected) && Array.isArray(got) && got.length < expected.length;
  const isLeft =
    (withdrawals.some(isCompleted) || differences.some(isShorter)) &&
    more.every(({ path }) => BALANCE_NAME.test(path));
  if (more.length > 0)
    return isLeft
      ? wrong("money", `more is left than in ${reference}: ${text}`)
      : lasting("money", `done more than once: ${text}`);
  const marking = differences.map(({ got }) => statusMeaningOf(got)).find((found) => found !== undefined);
  // Only an unpaid order must not be as a paid one. Another order of the run may be paid.
  const isForbidden = ({ expected, got }: (typeof differences)[number]) =>
    isJsonObject(expected) &&
    ("lt" in expected || ("not" in expected && (statusMeaningOf(got) === "paid" || isFulfilledWord(got))));
  const arePaid =
    charges.some(({ status }) => isPaid(status as ChargeStatus)) && !differences.some(isForbidden);
  if (marking === "refunded" && arePaid)
    return hasPartRefund(deliveries)
      ? wrong("money", `a part was refunded, and the app takes it for the whole: ${text}`)
      : lasting("money", `not refunded, but marked as refunded by the app: ${text}`);
  if (marking !== undefined && (marking === "paid") !== arePaid)
    return lasting(
      "money",
      `${arePaid ? "paid, but not marked as paid by the app" : "not paid, but marked as paid by the app"}: ${text}`,
    );
  const delivered = differences.filter(
    ({ expected, got }) =>
      isJsonObject(expected) &&
      (got === true || isFulfilledWord(got) || amountOf(got) >= amountOf(expected.lt)),
  );
  if (delivered.length > 0 && !arePaid) return lasting("money", `not paid, but delivered: ${text}`);
  if (differences.some(({ got }) => isWaiting(got)) && charges.every(isFinal))
    return wrong("liveness", `the charge has ended, and the app waits: ${text}`);
  return wrong("convergence", `the end differs from that of ${reference}: ${text}`);
}

/** Names of fields in which a difference is a loss. */
const MONEY_NAME =
  /balance|available|wallet|funds|remaining|deliver|fulfil|shipped|granted|credit|paid|status|state/i;

function ignoreHint({ differences }: RunFailure): Pick<WrongVerdict, "hint"> {
  const isMoney = ({ path, got, expected }: RunFailure["differences"][number]) =>
    MONEY_NAME.test(path) || statusMeaningOf(got ?? expected) !== undefined;
  if (differences.length === 0 || differences.some(isMoney)) return {};
  const paths = differences.map(({ path }) => path);
  if (!paths.every((path) => path.includes("."))) return {};
  const fields = paths.map((path) => path.replace(/^body\./, ""));
  return paths.every((path) => path.startsWith("body."))
    ? { hint: `if that may differ, add ignore: [${fields.join(", ")}] to observe` }
    : { hint: `if that may differ, leave ${fields.join(", ")} out of see` };
}

function hasPartRefund(deliveries: ObservedRun["deliveries"]): boolean {
  return deliveries.some(({ type }) => type.endsWith("partially_refunded"));
}

function upperBound(expected: unknown): unknown {
  if (!isJsonObject(expected)) return expected;
  return Array.isArray(expected.in) ? Math.max(...expected.in.map(amountOf)) : expected.lte;
}

/** Names of fields that fall when money is paid out. */
const BALANCE_NAME = /balance|available|wallet|funds|remaining/i;

/** Words for an order that is unpaid for good. */
const ENDED_WORDS: ReadonlySet<string> = new Set([
  ...CHARGE_STATUSES.filter(hasEnded).map((status) => status.toLowerCase()),
  ...["declined", "rejected", "error", "canceled", "abandoned"],
]);

/** Words for an order that the customer has or gets. Many apps show one of them instead of `paid`. */
const FULFILLED_WORDS: ReadonlySet<string> = new Set([
  ...["confirmed", "authorised", "authorized", "booked", "issued", "enrolled"],
  ...["credited", "shipped", "dispatched", "delivered", "fulfilled"],
]);

/** Returns true for a word that an order has only when it is paid, such as `confirmed`. */
export function isFulfilledWord(value: unknown): value is string {
  return typeof value === "string" && FULFILLED_WORDS.has(wordOf(value));
}

function isWaiting(value: unknown): boolean {
  return statusMeaningOf(value) === "unpaid" && !ENDED_WORDS.has(wordOf(String(value)));
}

/** Converts an amount to a number. Returns NaN for anything else, because comparisons with NaN are false. */
export function amountOf(value: unknown): number {
  const isAmount = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);
  return typeof value === "number" || isAmount ? Number(value) : Number.NaN;
}

function isFinal({ status }: ObservedCharge): boolean {
  return outcomePage(status as ChargeStatus) !== undefined;
}

/** Returns the meaning of a status word of the app: `settled` means paid. */
export function statusMeaningOf(value: unknown): Marking | undefined {
  if (typeof value !== "string") return undefined;
  return getOwn(STATUS_WORDS, wordOf(value));
}

function wordOf(status: string): string {
  return status.toLowerCase().replace(/[\s_-]+/g, "_");
}

/** Describes the values that differ: `body.status is "new", not "paid"`. */
export function differencesText({ differences }: Pick<RunFailure, "differences">): string {
  return differences
    .map(({ path, expected, got }) => {
      const isUnwanted = isJsonObject(expected) && ("not" in expected || "exists" in expected);
      return `${path} is ${valueText(got)}${isUnwanted ? "" : `, not ${expectedText(expected)}`}`;
    })
    .join(", ");
}

function valueText(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}

const BOUNDS: Readonly<Record<string, string>> = { lt: "below", lte: "at most", gt: "over", gte: "at least" };

function expectedText(expected: unknown): string {
  const matchers = isJsonObject(expected) ? Object.entries(expected) : [];
  const [first] = matchers;
  if (first?.[0] === "in") return (first[1] as readonly unknown[]).map(valueText).join(" or ");
  const isBounded = first !== undefined && matchers.every(([name]) => Object.hasOwn(BOUNDS, name));
  return isBounded
    ? matchers.map(([name, bound]) => `${BOUNDS[name]} ${bound}`).join(" and ")
    : valueText(expected);
}

/** Lists the types of events that the app refused, with the statuses of its responses. Redirects are refusals. */
export function refusalsOf({
  deliveries,
}: ObservedRun): { readonly type: string; readonly status: number }[] {
  return deliveries.flatMap(({ type, attempts }) =>
    attempts.flatMap(({ status }) => (status === null || isSuccessStatus(status) ? [] : [{ type, status }])),
  );
}

export function refusalText(observed: ObservedRun): string | undefined {
  const texts = new Set(refusalsOf(observed).map(({ type, status }) => `${type} with ${status}`));
  return texts.size === 0 ? undefined : `the app refuses a signed event: ${[...texts].join(", ")}`;
}

/** Returns true if the app refused an event of a type that it accepts in a plain run. */
export function hasNewRefusals(observed: ObservedRun, plain: ObservedRun): boolean {
  const known = refusalsOf(plain);
  return refusalsOf(observed).some(({ type }) => known.every((one) => one.type !== type));
}

/** Describes a payment or a delivery that is still open; undefined if no more are than in `plain`. */
export function openText(observed: ObservedRun, plain?: ObservedRun): string | undefined {
  const openIn = ({ charges, withdrawals, deliveries }: ObservedRun) => [
    ...charges.filter((charge) => !isFinal(charge)).map(({ status }) => `a charge is still ${status}`),
    ...withdrawals
      .filter(({ status }) => !hasEnded(status as WithdrawalStatus))
      .map(({ status }) => `a payout is still ${status}`),
    ...deliveries.filter(({ isOpen }) => isOpen).map(({ type }) => `${type} is still being delivered`),
  ];
  const open = openIn(observed);
  return open.length > (plain === undefined ? 0 : openIn(plain).length) ? open[0] : undefined;
}

export function countCompletedPayments(payments: readonly ObservedPayment[]): number {
  return payments.filter(isCompleted).length;
}

function isCompleted({ status }: ObservedPayment): boolean {
  return status === "COMPLETED";
}

/**
 * Describes the app's behaviour in a run as text without ids: its calls and their results, its responses to each event,
 * the final statuses, the failed check. Leaves out direct effects of a deviation, such as lost responses.
 * Leaves out reads of the quiet end: their number depends on how often the app is looked at, and on earlier runs.
 *
 * @param withReads false leaves out calls that only read
 */
export function behaviourOf({ observed, failure }: Trace, withReads = true): string {
  const { calls, deliveries, charges, withdrawals, quietMs = Infinity } = observed;
  const isTold = ({ isByFlow, method, atMs }: ObservedCall) =>
    !isByFlow && (method !== "GET" || (withReads && atMs <= quietMs));
  const responses = new Map<string, string>();
  for (const { type, attempts } of deliveries)
    for (const { status, isLost } of attempts)
      if (!isLost && !responses.get(type)?.endsWith(` ${status}`))
        responses.set(type, `${responses.get(type) ?? type} ${status}`);
  return [
    ...calls.filter(isTold).map(callText),
    ...[...responses.values()].sort(),
    ...[...charges, ...withdrawals].map(({ status }) => status).sort(),
    ...(failure?.title === undefined
      ? []
      : [failure.title, ...failure.differences.map(({ path, got }) => `${path} ${got}`)]),
  ].join("\n");
}

function callText({ operation, status, isDeviated }: ObservedCall): string {
  const isRefused = isDeviated && (status === null || status >= 400);
  return `${operation} ${isRefused ? "refused" : status}`;
}
