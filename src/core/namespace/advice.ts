import type { ApiKeys } from "../engine/access-changes.js";
import type { Delivery } from "../engine/records.js";
import type { AdviceList } from "../schema/control-insight-responses.js";
import { iso } from "../schema/time.js";
import type { Clock } from "../time/clock.js";
import type { RequestEntry } from "./request-journal.js";

/* Habits that the service advises against, found when asked. Advice never changes a response. */

export type Advice = AdviceList["items"][number];

/** The calls and deliveries that advice is based on. */
export interface AppTraffic {
  /** Oldest first. */
  readonly requests: readonly RequestEntry[];
  readonly deliveries: Iterable<Delivery>;
  readonly keys: ApiKeys;
  readonly clock: Clock;
}

interface Finding {
  /** The request that shows the habit; undefined for the response to a webhook. */
  readonly request?: RequestEntry;
  readonly example: string;
}

const BALANCES_INTERVAL_MS = 10_000;
const POLLING_LIMIT_MS = 15 * 60_000;
const RESPONSE_LIMIT_MS = 5_000;
/** An advance by at least this much is a skip of time, not a pause of the app. */
const SKIP_MS = 60_000;
/** On a manual clock, this many reads at one instant with the same response are an endless loop. */
const LOOP_READS = 10;
const PAUSES_MAX = 50;
const IGNORED_NOTES_MAX = 3;

/** Reports list the habits in this order. */
export const BAD_HABITS = {
  balances_too_often: {
    advice: "Read balances at most every 10 seconds; 30 to 60 are enough.",
    why: "balances were read again too soon",
    find: findFrequentBalanceReads,
  },
  charge_polling: {
    advice: "Wait for the webhook; poll at growing intervals, and for 10 to 15 minutes at most.",
    why: "a charge was polled without backoff or for too long",
    find: findPolledCharges,
  },
  withdrawal_without_key: {
    advice: "Give each withdrawal an Idempotency-Key: when it is retried, the money is sent once.",
    why: "withdrawals had no key",
    find: findWithdrawalsWithoutKey,
  },
  tolerated: {
    advice: "Send only what the call takes: the service silently ignores the rest.",
    why: "the service ignored parts of a call",
    find: findIgnoredParts,
  },
  webhook_responses: {
    advice: "Respond to a webhook with 2xx at once and do the work afterwards; redirects are not followed.",
    why: "webhooks got a late response or a redirect",
    find: findBadWebhookResponses,
  },
} as const satisfies Record<
  string,
  { advice: string; why: string; find: (traffic: AppTraffic) => Finding[] }
>;

const HABITS = Object.entries(BAD_HABITS);
const DOCS = "docs/api.md#advice";

export function findAdvice(traffic: AppTraffic): Advice[] {
  return HABITS.flatMap(([id, { find, ...words }]) => {
    const found = find(traffic);
    return found.length === 0
      ? []
      : [{ id, ...words, times: found.length, example: found.at(-1)!.example, docs: DOCS }];
  });
}

/** One piece of advice a habit; the example is that of the last. */
export function sumAdvice(all: readonly Advice[]): Advice[] {
  return HABITS.flatMap(([habit]) => {
    const alike = all.filter(({ id }) => id === habit);
    const times = alike.reduce((sum, one) => sum + one.times, 0);
    return alike.length === 0 ? [] : [{ ...alike.at(-1)!, times }];
  });
}

/** Reads of balances that follow the last read too soon, without a write between the reads. */
function findFrequentBalanceReads({ requests, keys, clock }: AppTraffic): Finding[] {
  const lastReads = new Map<string, RequestEntry>();
  return requests.flatMap((request) => {
    if (request.method !== "GET") lastReads.clear();
    const key = request.operation === "getBalances" ? keys.find(request.apiKey ?? "") : undefined;
    if (key === undefined) return [];
    const account = `${key.organization_id} ${key.key.startsWith("sk_live_") ? "live" : "test"}`;
    const pause = pauseBetween(lastReads.get(account), request, clock);
    lastReads.set(account, request);
    return pause !== undefined && pause < BALANCES_INTERVAL_MS ? [findingAt(request)] : [];
  });
}

function findPolledCharges({ requests, clock }: AppTraffic): Finding[] {
  const readsById = new Map<string, RequestEntry[]>();
  for (const request of requests) {
    if (request.operation !== "getCharge" && request.operation !== "getPayin") continue;
    const id = request.path.slice(request.path.lastIndexOf("/") + 1);
    readsById.set(id, [...(readsById.get(id) ?? []), request]);
  }
  return [...readsById].flatMap(([id, reads]) => {
    const { request, polledMs } = findPolling(reads, clock);
    if (request === undefined) return [];
    const tooLong = polledMs > POLLING_LIMIT_MS ? " in more than 15 minutes" : "";
    return [{ request, example: `${reads.length} reads of ${id}${tooLong}` }];
  });
}

/** The read of a charge that makes the reads so far polling, and for how long the charge was polled. */
function findPolling(reads: readonly RequestEntry[], clock: Clock) {
  const pauses: number[] = [];
  let polledMs = 0;
  let repeats = 1;
  let request: RequestEntry | undefined;
  for (const [index, read] of reads.entries()) {
    const last = reads[index - 1];
    const pause = pauseBetween(last, read, clock);
    repeats = pause === 0 && last?.responseBody === read.responseBody ? repeats + 1 : 1;
    // Reads at one instant of a manual clock show no polling interval.
    if (pause !== undefined && (pause > 0 || clock.isTimeRunning)) pauses.push(pause);
    // Skips a pause longer than the limit: the client was not polling in that time.
    if (pause !== undefined && pause <= POLLING_LIMIT_MS) polledMs += pause;
    const isPolling = polledMs > POLLING_LIMIT_MS || repeats >= LOOP_READS;
    if (request === undefined && (isPolling || isWithoutBackoff(pauses.slice(-PAUSES_MAX)))) request = read;
  }
  return { request, polledMs };
}

function findWithdrawalsWithoutKey({ requests }: AppTraffic): Finding[] {
  return requests
    .filter(
      ({ operation, idempotencyKey, status }) =>
        operation === "createWithdrawal" && idempotencyKey === null && (status === null || status < 400),
    )
    .map(findingAt);
}

/** Requests with parts that the service ignored. The example names the first few of all. */
function findIgnoredParts({ requests }: AppTraffic): Finding[] {
  const found = requests.filter(({ tolerated = [] }) => tolerated.length > 0);
  const notes = new Set(
    found.flatMap(({ operation, tolerated }) => tolerated!.map((note) => `${operation} ${note}`)),
  );
  const example = [...notes].slice(0, IGNORED_NOTES_MAX).join(" · ");
  return found.map((request) => ({ request, example }));
}

function findBadWebhookResponses({ deliveries }: AppTraffic): Finding[] {
  return [...deliveries].flatMap(({ delivery_id, attempts }) =>
    attempts.flatMap(({ at, status, duration_ms }) => {
      const isRedirect = status !== null && status >= 300 && status < 400;
      if (!isRedirect && duration_ms <= RESPONSE_LIMIT_MS) return [];
      return [
        { example: `${delivery_id} at ${at}: ${isRedirect ? `redirect ${status}` : `${duration_ms} ms`}` },
      ];
    }),
  );
}

function findingAt(request: RequestEntry): Finding {
  return { request, example: `request ${request.id} at ${iso(request.atMs)}` };
}

/** Returns undefined for the first request, after a restore that set the clock back, and after a skip of time. */
function pauseBetween(last: RequestEntry | undefined, next: RequestEntry, clock: Clock): number | undefined {
  if (last === undefined) return undefined;
  const pause = next.atMs - last.atMs;
  const runMs = clock.isTimeRunning ? (next.wallMs - last.wallMs) * clock.setting.speed : 0;
  return pause >= 0 && pause - runMs < SKIP_MS ? pause : undefined;
}

/** Minimum number of similar pauses that count as a constant interval. */
const PACE_PAUSES = 5;
/** A pause counts as longer than another if it is this many times as long. */
const GROWTH = 1.5;
const TIMER_TOLERANCE_MS = 250;
/** Minimum total growth of pauses. A smaller growth can be chance. */
const GROWTH_MIN_MS = 50;
/** After this many steps of growth the interval may stay constant. */
const BACKOFF_STEPS = 2;

/**
 * Returns true if a client polls without backoff. Example: five pauses of about a second. Pauses that grow
 * steadily count as backoff. Constant pauses after `BACKOFF_STEPS` steps of growth also count as backoff.
 */
export function isWithoutBackoff(pauses: readonly number[]): boolean {
  return pauses.some((pause, index) => {
    const alike = pauses.slice(index).filter((other) => other <= grownFrom(pause));
    return alike.length >= PACE_PAUSES && !isGrowing(alike) && !hasBackedOff(pauses, index);
  });
}

function grownFrom(pause: number): number {
  return pause * GROWTH + TIMER_TOLERANCE_MS;
}

/** True if the pauses grew step by step up to the index and did not shrink again. */
function hasBackedOff(pauses: readonly number[], index: number): boolean {
  let steps = 0;
  let longest = pauses[0]!;
  for (const pause of pauses.slice(0, index + 1))
    if (pause >= grownFrom(longest)) {
      steps++;
      longest = pause;
    }
  return steps >= BACKOFF_STEPS && median(pauses.slice(index)) >= pauses[0]! * GROWTH ** BACKOFF_STEPS;
}

/** True if each pause is longer than the one before, and not by chance. */
function isGrowing(pauses: readonly number[]): boolean {
  return (
    pauses.at(-1)! - pauses[0]! >= GROWTH_MIN_MS &&
    pauses.every((pause, index) => index === 0 || pause > pauses[index - 1]!)
  );
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}
