import type { Signature } from "../schema/webhooks.js";

/** The probes, in the order they are sent (contract section 6). */
export const PROBES = [
  "valid",
  "duplicate",
  "tampered",
  "wrong_secret",
  "unsigned",
  "stale",
  "unknown_type",
  "reordered",
  "rotated_secret",
  "retry",
  "unicode",
  "burst",
] as const;
export type Probe = (typeof PROBES)[number];

/**
 * What an answer means to a sender: 2xx, 4xx, 5xx, 3xx, "not now" (429, or 503 with Retry-After), none in time,
 * the connection cut before an answer, no connection at all.
 */
export type AnswerKind =
  | "accepted"
  | "refused"
  | "crashed"
  | "redirected"
  | "busy"
  | "timeout"
  | "broken"
  | "unreachable";

/** What came back for one request. */
export interface Answer {
  /** Which request of the probe it is. */
  readonly sent: string;
  /** To find it in the receiver's own log. */
  readonly event_id: string;
  readonly kind: AnswerKind;
  readonly status: number | null;
  readonly duration_ms: number;
  /** The first bytes of it. */
  readonly body: string;
  /** Where a redirect leads. */
  readonly location: string | null;
  readonly error: string | null;
}

export type Severity = "must" | "should";
export type Verdict = "pass" | "fail" | "note";

/** One probe: what was sent, what a good receiver does, what came back, what to do about it. */
export interface ProbeRow {
  readonly probe: Probe;
  readonly title: string;
  readonly sent: string;
  readonly expected: string;
  readonly came_back: string;
  readonly verdict: Verdict;
  readonly severity: Severity;
  /** The fault this row shows, if it is the first to show it. */
  readonly fault: string | null;
  /** The row whose fault keeps this one from telling anything of its own. */
  readonly because: Probe | null;
  readonly advice: string | null;
  readonly answers: readonly Answer[];
}

/** A fault of the receiver, told once however many probes it shows in. */
export interface Finding {
  readonly fault: string;
  readonly severity: Severity;
  readonly title: string;
  readonly advice: string;
  readonly probes: readonly Probe[];
}

/** What `check-webhook` found. */
export interface WebhookReport {
  readonly url: string;
  readonly signature: Signature;
  readonly timeout_ms: number;
  readonly started_at: string;
  readonly duration_ms: number;
  /** Failed: a must is not met. */
  readonly outcome: "passed" | "failed" | "unreachable";
  /** Why it cannot be reached. */
  readonly error: string | null;
  readonly summary: { readonly pass: number; readonly fail: number; readonly note: number };
  readonly findings: readonly Finding[];
  readonly probes: readonly ProbeRow[];
}
