import type { AttemptResult } from "../engine/commands/delivery-commands.js";
import type { WallClock } from "../time/wall-clock.js";

/** A signed request; `sentAt` is wall time. */
export interface SignedRequest {
  readonly sentAt: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A receiver's response, or the reason for its absence. */
export type SendResult = Pick<
  AttemptResult,
  "status" | "response_body" | "error" | "retryAfterMs" | "isUnreachable"
>;

export const MAX_LOGGED_BODY_BYTES = 4_096;

export function failedResult(error: string): SendResult {
  return { status: null, response_body: null, error, retryAfterMs: null };
}

export function timedOutResult(timeoutMs: number): SendResult {
  return failedResult(`no answer within ${timeoutMs / 1000} s`);
}

export const CANCELLED_RESULT = failedResult("called off");

export function buildAttemptResult(
  { sentAt, headers }: Omit<SignedRequest, "body">,
  answer: SendResult,
  wall: WallClock,
): AttemptResult {
  return {
    sent_at: sentAt,
    duration_ms: Math.max(0, wall.nowMs() - Date.parse(sentAt)),
    request_headers: headers,
    ...answer,
  };
}

/** Keeps the milliseconds of a Retry-After in the range of exact integers. */
const MAX_RETRY_AFTER_S = 1e9;

/** Converts the seconds or date of a Retry-After header to milliseconds from now. An invalid header gives null. */
export function parseRetryAfter(header: string | null | undefined, wallMs: number): number | null {
  if (header === undefined || header === null) return null;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header), MAX_RETRY_AFTER_S) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - wallMs);
}
