import type { Signature } from "./webhooks.js";

/** The probes, in the order they are sent. */
export const PROBES = [
  "valid",
  "duplicate",
  "tampered",
  "wrong_secret",
  "unsigned",
  "empty_signature",
  "partial_signature",
  "other_case",
  "other_version",
  "stale",
  "future",
  "known_id",
  "minute_old",
  "old_change",
  "each_type",
  "unknown_type",
  "unknown_family",
  "reordered",
  "rotated_secret",
  "retry",
  "unicode",
  "payments",
  "large",
  "simultaneous",
  "burst",
  "amount",
  "early",
] as const;
/** What a receiver is sent to see one thing about it. */
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
  /** Counts from 1: what fails is sent again before anybody is accused. */
  readonly attempt: number;
  /** To find it in the receiver's own log. */
  readonly event_id: string;
  /** What it means to a sender. */
  readonly kind: AnswerKind;
  /** The HTTP status; null where no answer came. */
  readonly status: number | null;
  /** Wall time from sending to the answer. */
  readonly duration_ms: number;
  /** The first 200 bytes of it. */
  readonly body: string;
  /** Where a redirect leads; null where it is none. */
  readonly location: string | null;
  /** Why no answer came; null where one did. */
  readonly error: string | null;
}

/** Whether a good receiver must be so, or had better be. */
export type Severity = "must" | "should";
/** How a probe came out; a note is something to look at. */
export type Verdict = "pass" | "fail" | "note";

/** One probe: what was sent, what a good receiver does, what came back, what to do about it. */
export interface ProbeRow {
  /** Which one it is. */
  readonly probe: Probe;
  /** The same in a few words. */
  readonly title: string;
  /** What the receiver was sent, in words. */
  readonly sent: string;
  /** What a good receiver does. */
  readonly expected: string;
  /** What it did, in a line. */
  readonly came_back: string;
  /** What became of the app's own view of a charge, in a line; null where nothing was to be seen. */
  readonly seen: string | null;
  /** How it came out. */
  readonly verdict: Verdict;
  /** How much that matters. */
  readonly severity: Severity;
  /** The fault this row shows, if it is the first to show it. */
  readonly fault: string | null;
  /** The row whose fault keeps this one from telling anything of its own. */
  readonly because: Probe | null;
  /** What to do about it, or to know; null where there is nothing. */
  readonly advice: string | null;
  /** One for each request; none where the probe was not sent. */
  readonly answers: readonly Answer[];
}

/** A fault of the receiver, told once however many probes it shows in. */
export interface Finding {
  /** Its name, such as `no_verification`. */
  readonly fault: string;
  /** Whether a requirement not met, or a should. */
  readonly severity: Severity;
  /** The fault in a few words. */
  readonly title: string;
  /** What to do about it. */
  readonly advice: string;
  /** Those it shows in. */
  readonly probes: readonly Probe[];
}

/** What `check-webhook` found. */
export interface WebhookReport {
  /** The receiver's address. */
  readonly url: string;
  /** How the events were signed. */
  readonly signature: Signature;
  /** Wall time it had for each answer. */
  readonly timeout_ms: number;
  /** Wall time, an ISO 8601 instant. */
  readonly started_at: string;
  /** Wall time it took in all. */
  readonly duration_ms: number;
  /** Failed: a requirement not met. */
  readonly outcome: "passed" | "failed" | "unreachable";
  /** Why it cannot be reached; null where it can. */
  readonly error: string | null;
  /** How many probes came out how. */
  readonly summary: { readonly pass: number; readonly fail: number; readonly note: number };
  /** Problems; none where all is well. */
  readonly findings: readonly Finding[];
  /** Every probe, in the order they are sent. */
  readonly probes: readonly ProbeRow[];
}

/** One request of a check, as it goes out. */
export interface SentProbe {
  readonly probe: Probe;
  readonly attempt: number;
  readonly eventId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
