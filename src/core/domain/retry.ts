/** What a receiver answered, as far as it decides what comes next. */
export interface Answer {
  /** HTTP status, or null when there was no answer. */
  readonly status: number | null;
  /** Seconds of a Retry-After header, if there was one. */
  readonly retryAfterMs: number | null;
}

export type Verdict =
  | { readonly next: "delivered" }
  | { readonly next: "disable" }
  | { readonly next: "give_up" }
  | { readonly next: "retry"; readonly afterMs: number };

/** 2xx is success; redirects are not followed, so they are none. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** What a receiver may ask for with Retry-After: a day, or the longest step of the schedule if that is longer. */
const LONGEST_ASKED_MS = 24 * 60 * 60 * 1000;

/**
 * What follows an attempt: 410 disables the endpoint, everything else but 2xx is tried again by the schedule,
 * later if a 429 or 503 asks for more time.
 */
export function judge(answer: Answer, attemptsMade: number, scheduleMs: readonly number[]): Verdict {
  if (isSuccess(answer.status)) return { next: "delivered" };
  if (answer.status === 410) return { next: "disable" };
  const afterMs = scheduleMs[attemptsMade - 1];
  if (afterMs === undefined) return { next: "give_up" };
  const asked = answer.status === 429 || answer.status === 503 ? (answer.retryAfterMs ?? 0) : 0;
  const heeded = Math.min(asked, Math.max(LONGEST_ASKED_MS, ...scheduleMs));
  return { next: "retry", afterMs: Math.max(afterMs, heeded) };
}
