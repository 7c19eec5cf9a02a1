import type { ApiKeys } from "../engine/access-changes.js";
import type { Attempt, Change, Delivery } from "../engine/records.js";
import { iso } from "../schema/time.js";
import type { Clock } from "../time/clock.js";
import type { ClockControl } from "../time/clock-control.js";
import type { RequestEntry } from "./request-journal.js";

/**
 * Watches how an app uses the API and notes five habits that the service advises against. The namespace reports each
 * request and each change of a record here; a log counts the findings of each habit. Advice never changes a response.
 */

const BALANCES_INTERVAL_MS = 10_000;
const POLLING_LIMIT_MS = 15 * 60_000;
const RESPONSE_LIMIT_MS = 5_000;
/** An advance by at least this much is a skip of time, not a pause of the app. */
const SKIP_MS = 60_000;
/** On a manual clock, this many reads at one instant with the same response are an endless loop. */
const LOOP_READS = 10;
const PAUSES_MAX = 50;
const CHARGES_MAX = 1_000;
const ACCOUNTS_MAX = 1_000;
const IGNORED_NOTES_MAX = 3;

/** Reports list the habits in this order. */
export const BAD_HABITS = {
  balances_too_often: {
    advice: "Read balances at most every 10 seconds; 30 to 60 are enough.",
    why: "balances were read again too soon",
  },
  charge_polling: {
    advice: "Wait for the webhook; poll at growing intervals, and for 10 to 15 minutes at most.",
    why: "a charge was polled without backoff or for too long",
  },
  withdrawal_without_key: {
    advice: "Give each withdrawal an Idempotency-Key: when it is retried, the money is sent once.",
    why: "withdrawals were created without one",
  },
  tolerated: {
    advice: "Send only what the call takes: the service silently ignores the rest.",
    why: "the service ignored parts of a call",
  },
  webhook_responses: {
    advice: "Respond to a webhook with 2xx at once and do the work afterwards; redirects are not followed.",
    why: "webhooks got a late response or a redirect",
  },
} as const satisfies Record<string, { advice: string; why: string }>;
type HabitId = keyof typeof BAD_HABITS;

const HABIT_IDS = Object.keys(BAD_HABITS) as HabitId[];

const describeHabit = (id: HabitId) => ({ id, ...BAD_HABITS[id], docs: "docs/webhooks.md#advice" });

export class AdviceLog {
  readonly #found = new Map<HabitId, { times: number; example: string }>();

  note(id: HabitId, times: number, example: string): void {
    this.#found.set(id, { times: (this.#found.get(id)?.times ?? 0) + times, example });
  }

  items() {
    return HABIT_IDS.flatMap((id) => {
      const found = this.#found.get(id);
      if (found === undefined) return [];
      const { advice, why, docs } = describeHabit(id);
      return [{ id, advice, why, ...found, docs }];
    });
  }

  clear(): void {
    this.#found.clear();
  }
}

interface AdvisorOptions {
  readonly clock: Clock;
  readonly clockControl: ClockControl;
  readonly keys: ApiKeys;
  /** Log of the advice in all namespaces; `Advisor.clear` does not empty this log. */
  readonly total: AdviceLog;
}

interface LastRead {
  atMs: number;
  leaptMs: number;
}

interface AccountReads extends LastRead {
  /** Number of writes (requests other than GET) before the last read. */
  writes: number;
}

interface ChargeReads extends LastRead {
  reads: number;
  /** The newest pauses between reads. */
  pauses: number[];
  response: string | null;
  /** Consecutive reads with the same response at the same instant. */
  repeats: number;
  polledMs: number;
  isFound: boolean;
}

/** The advisor has counters for reads, because the request journal keeps only the newest requests. */
export class Advisor {
  readonly log = new AdviceLog();
  readonly #logs: readonly AdviceLog[];
  readonly #options: AdvisorOptions;
  #writes = 0;
  readonly #accounts = new Map<string, AccountReads>();
  readonly #charges = new Map<string, ChargeReads>();
  readonly #ignoredNotes = new Set<string>();
  /** Attempts that were checked. Later records of a delivery contain the same attempt objects. */
  readonly #seenAttempts = new WeakSet<Attempt>();

  constructor(options: AdvisorOptions) {
    this.#options = options;
    this.#logs = [this.log, options.total];
  }

  onRequest(entry: RequestEntry): void {
    const { operation, tolerated = [] } = entry;
    if (entry.method !== "GET") this.#writes++;
    if (operation === "getBalances") this.#onBalances(entry);
    else if (operation === "getCharge" || operation === "getPayin") this.#onChargeRead(entry);
    else if (operation === "createWithdrawal") this.#onWithdrawal(entry);
    if (tolerated.length > 0) this.#onTolerated(entry, tolerated);
  }

  onChange({ puts }: Change): void {
    for (const [name, , record] of puts) {
      if (name !== "deliveries" || record === null) continue;
      const { delivery_id, attempts } = record as Delivery;
      const attempt = attempts.at(-1);
      if (attempt === undefined || this.#seenAttempts.has(attempt)) continue;
      this.#seenAttempts.add(attempt);
      const status = attempt.status ?? 0;
      const isRedirect = status >= 300 && status < 400;
      if (!isRedirect && attempt.duration_ms <= RESPONSE_LIMIT_MS) continue;
      const problem = isRedirect ? `redirect ${status}` : `${attempt.duration_ms} ms`;
      this.#note("webhook_responses", 1, `${delivery_id} at ${attempt.at}: ${problem}`);
    }
  }

  adviceOf({ adviceIds = [] }: RequestEntry) {
    return HABIT_IDS.filter((id) => adviceIds.includes(id)).map(describeHabit);
  }

  clear(): void {
    this.log.clear();
    this.#writes = 0;
    this.#accounts.clear();
    this.#charges.clear();
    this.#ignoredNotes.clear();
  }

  #note(id: HabitId, times: number, example: string): void {
    for (const log of this.#logs) log.note(id, times, example);
  }

  #noteRequest(id: HabitId, entry: RequestEntry, example: string): void {
    entry.adviceIds = [...(entry.adviceIds ?? []), id];
    this.#note(id, 1, example);
  }

  /** Notes a read of balances that follows the last read too soon, without a write between the reads. */
  #onBalances(entry: RequestEntry): void {
    const key = entry.apiKey === null ? undefined : this.#options.keys.find(entry.apiKey);
    if (key === undefined) return;
    const account = `${key.organization_id} ${key.key.startsWith("sk_live_") ? "live" : "test"}`;
    const writes = this.#writes;
    const last = findRecent(this.#accounts, account, ACCOUNTS_MAX, () => ({ ...NO_READ, writes }));
    const pause = this.#pauseSince(last, entry);
    if (pause !== undefined && pause < BALANCES_INTERVAL_MS && last.writes === writes)
      this.#noteRequest("balances_too_often", entry, requestAt(entry));
    last.writes = writes;
  }

  #onChargeRead(entry: RequestEntry): void {
    const id = entry.path.slice(entry.path.lastIndexOf("/") + 1);
    const charge = findRecent(this.#charges, id, CHARGES_MAX, newChargeReads);
    const pause = this.#pauseSince(charge, entry);
    const { clock } = this.#options;
    charge.reads++;
    charge.repeats = pause === 0 && charge.response === entry.responseBody ? charge.repeats + 1 : 1;
    charge.response = entry.responseBody;
    // Reads at one instant of a manual clock show no polling interval.
    if (pause !== undefined && (pause > 0 || clock.isTimeRunning)) {
      charge.pauses.push(pause);
      if (charge.pauses.length > PAUSES_MAX) charge.pauses.shift();
    }
    // Skips a pause longer than the limit: the client was not polling in that time.
    if (pause !== undefined && pause <= POLLING_LIMIT_MS) charge.polledMs += pause;
    const isTooLong = charge.polledMs > POLLING_LIMIT_MS;
    if (!charge.isFound && !isTooLong && charge.repeats < LOOP_READS && !isWithoutBackoff(charge.pauses))
      return;
    const example = `${charge.reads} reads of ${id}${isTooLong ? " in more than 15 minutes" : ""}`;
    if (charge.isFound) this.#note("charge_polling", 0, example);
    else this.#noteRequest("charge_polling", entry, example);
    charge.isFound = true;
  }

  #onWithdrawal(entry: RequestEntry): void {
    const isRejected = entry.status !== null && entry.status >= 400;
    if (entry.idempotencyKey === null && !isRejected)
      this.#noteRequest("withdrawal_without_key", entry, requestAt(entry));
  }

  #onTolerated(entry: RequestEntry, ignored: readonly string[]): void {
    const notes = this.#ignoredNotes;
    for (const note of ignored) if (notes.size < IGNORED_NOTES_MAX) notes.add(`${entry.operation} ${note}`);
    this.#noteRequest("tolerated", entry, [...notes].join(" · "));
  }

  /** Returns undefined for the first read, after a restore that set the clock back, and after a skip. */
  #pauseSince(last: LastRead, { atMs }: RequestEntry): number | undefined {
    const { totalSkippedMs } = this.#options.clockControl;
    const pause = atMs - last.atMs;
    const skippedMs = totalSkippedMs - last.leaptMs;
    last.atMs = atMs;
    last.leaptMs = totalSkippedMs;
    return pause >= 0 && skippedMs < SKIP_MS ? pause : undefined;
  }
}

const NO_READ: LastRead = { atMs: Number.NaN, leaptMs: 0 };

const newChargeReads = (): ChargeReads => ({
  ...NO_READ,
  reads: 0,
  pauses: [],
  response: null,
  repeats: 0,
  polledMs: 0,
  isFound: false,
});

/** Finds or adds an entry of a map that drops its oldest one beyond a limit. */
function findRecent<Value>(map: Map<string, Value>, key: string, max: number, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  if (map.size >= max) map.delete(map.keys().next().value!);
  const value = make();
  map.set(key, value);
  return value;
}

function requestAt({ id, atMs }: RequestEntry): string {
  return `request ${id} at ${iso(atMs)}`;
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
