import type { Signature } from "./signature-schemes.js";

/** Types of the report of `check-webhook`, one row per probe. */

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
  "null_fields",
  "large",
  "foreign_charge",
  "other_mode",
  "simultaneous",
  "burst",
  "amount",
] as const;
/** One check of a receiver. */
export type Probe = (typeof PROBES)[number];

/** Class of a response. */
export type AnswerKind =
  | "accepted" // 2xx
  | "refused" // 4xx
  | "crashed" // 5xx
  | "redirected" // 3xx
  | "busy" // 429, or 503 with Retry-After
  | "timeout" // no response in time
  | "broken" // connection cut
  | "unreachable"; // no connection

/** The response to one request. */
export interface Answer {
  /** Short name of the request within its probe. */
  readonly sent: string;
  /** Number of the attempt, from 1. After a failure, the request is sent again. */
  readonly attempt: number;
  /** ID of the event, to find it in the receiver's log. */
  readonly event_id: string;
  /** Class of the response. */
  readonly kind: AnswerKind;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Wall time from request to response, in milliseconds. */
  readonly duration_ms: number;
  /** First 200 bytes of the body. */
  readonly body: string;
  /** Target of a redirect, else null. */
  readonly location: string | null;
  /** Why there is no response; null if there is one. */
  readonly error: string | null;
}

/** `must`: a requirement. `should`: a recommendation. */
export type Severity = "must" | "should";
/** The result of a probe. `note`: no failure, but the user should check the receiver's behaviour. */
export type ProbeVerdict = "pass" | "fail" | "note";

/** A probe and its result. */
export interface ProbeRow {
  /** ID of the probe. */
  readonly probe: Probe;
  /** Short title of the probe. */
  readonly title: string;
  /** Description of the request that the probe sends. */
  readonly sent: string;
  /** Expected behaviour. */
  readonly expected: string;
  /** Actual behaviour, in one line. */
  readonly came_back: string;
  /** The result. */
  readonly verdict: ProbeVerdict;
  /** Requirement or recommendation. */
  readonly severity: Severity;
  /** The fault that this probe shows, else null. `because` refers to a fault that another probe shows. */
  readonly fault: string | null;
  /** The probe whose fault explains this result, else null. */
  readonly because: Probe | null;
  /** Recommended fix or remark, if any. */
  readonly advice: string | null;
  /** The responses, one per request; empty if the probe was not sent. */
  readonly answers: readonly Answer[];
}

/** A fault of the receiver, listed once for all probes that show it. */
export interface Finding {
  /** ID of the fault, such as `no_verification`. */
  readonly fault: string;
  /** `must`: a requirement is not met. */
  readonly severity: Severity;
  /** Short title of the fault. */
  readonly title: string;
  /** Recommended fix. */
  readonly advice: string;
  /** The probes that show the fault. */
  readonly probes: readonly Probe[];
}

/** The report of `check-webhook`. */
export interface WebhookReport {
  /** The receiver's address. */
  readonly url: string;
  /** How the events were signed. */
  readonly signature: Signature;
  /** Wall time allowed for each response, in milliseconds. */
  readonly timeout_ms: number;
  /** Wall time of the start, an ISO 8601 instant. */
  readonly started_at: string;
  /** Wall time of the whole check, in milliseconds. */
  readonly duration_ms: number;
  /** `failed`: a requirement is not met. */
  readonly outcome: "passed" | "failed" | "unreachable";
  /** Why the receiver cannot be reached; null if it can. */
  readonly error: string | null;
  /** Number of probes by result. */
  readonly summary: { readonly pass: number; readonly fail: number; readonly note: number };
  /** Problems; empty if there are none. */
  readonly findings: readonly Finding[];
  /** All probes, in the order in which they were sent. */
  readonly probes: readonly ProbeRow[];
}
