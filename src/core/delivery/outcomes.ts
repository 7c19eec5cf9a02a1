import type { Outcome } from "../engine/commands/deliveries.js";
import type { Wall } from "../time/wall.js";

/** A request as a receiver would get it now: its signature carries this moment of wall time. */
export interface SignedRequest {
  readonly sentAt: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a receiver answered, or why there was no answer. */
export type Answer = Pick<Outcome, "status" | "response_body" | "error" | "retryAfterMs" | "isUnreachable">;

/** How much of a receiver's answer the log keeps. */
export const RESPONSE_KEPT_BYTES = 4_096;

/** There is no answer, and that is why. */
export function failure(error: string): Answer {
  return { status: null, response_body: null, error, retryAfterMs: null };
}

export function noAnswerWithin(timeoutMs: number): Answer {
  return failure(`no answer within ${timeoutMs / 1000} s`);
}

export const CALLED_OFF = failure("called off");

/** The attempt is over at this moment. */
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

/** How long a receiver asks us to wait: seconds or a date (of wall time); null when it does not say. */
export function retryAfterMs(header: string | null | undefined, wallMs: number): number | null {
  if (header === undefined || header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - wallMs);
}
