import type { Outcome } from "../engine/commands/deliveries.js";
import type { Wall } from "../time/wall.js";

/** A request signed at this wall time. */
export interface SignedRequest {
  readonly sentAt: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A receiver's response, or the reason for its absence. */
export type Answer = Pick<Outcome, "status" | "response_body" | "error" | "retryAfterMs" | "isUnreachable">;

/** Bytes of a response body that the log keeps. */
export const RESPONSE_KEPT_BYTES = 4_096;

export function failure(error: string): Answer {
  return { status: null, response_body: null, error, retryAfterMs: null };
}

export function noAnswerWithin(timeoutMs: number): Answer {
  return failure(`no answer within ${timeoutMs / 1000} s`);
}

export const CALLED_OFF = failure("called off");

/** Outcome of an attempt that ends now. */
export function outcomeOf(
  { sentAt, headers }: Omit<SignedRequest, "body">,
  answer: Answer,
  wall: Wall,
): Outcome {
  return {
    sent_at: sentAt,
    duration_ms: Math.max(0, wall.nowMs() - Date.parse(sentAt)),
    request_headers: headers,
    ...answer,
  };
}

/** Milliseconds of a Retry-After header, in seconds or a date of wall time; null if absent. */
export function retryAfterMs(header: string | null | undefined, wallMs: number): number | null {
  if (header === undefined || header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - wallMs);
}
