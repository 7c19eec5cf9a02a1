import type { Answer, Probe, Severity, Verdict } from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/webhooks.js";
import { FAULTS, type FaultName, severityOf } from "./faults.js";
import type { SampleEvent } from "./samples.js";
import { type Session, SLOW_MS } from "./session.js";

/** Results of the probes so far. */
export interface Evidence {
  readonly answers: ReadonlyMap<Probe, readonly Answer[]>;
  /** The last probe that was sent, where the receiver accepts nothing or is gone. */
  readonly stoppedAt: Probe | null;
  /** The probe whose event failed with a 5xx and was repeated by the probe "retry". */
  readonly retried: Probe | null;
  readonly sights: ReadonlyMap<Probe, Sight>;
}

interface ProbeDefinition {
  readonly title: string;
  readonly sent: string;
  readonly expected: string;
  /** Returns why no receiver can pass it under a scheme; undefined if one can. */
  readonly outOfScope?: (scheme: SignatureScheme) => string | undefined;
}

interface SentProbe extends ProbeDefinition {
  readonly send: (session: Session) => Promise<readonly Answer[]>;
}

/** Sends events that a good receiver accepts. */
export interface GenuineProbe extends SentProbe {
  /** `answers` holds the final answer to each request. */
  readonly judge: (answers: readonly Answer[], evidence: Evidence, marks: Marks) => Mark;
}

/** Sends events that a good receiver refuses. These probes are judged together. */
export interface ForgedProbe extends SentProbe {
  /** The fault of accepting it. */
  readonly accepted: FaultName;
  /** Probe with the same fault, if both are accepted. */
  readonly sameAs?: Probe;
}

/** A probe that only the app's own view can judge. */
export interface SeenProbe extends ProbeDefinition {
  readonly isObservedOnly: true;
  /** Why it was not sent without --observe or --order. */
  readonly needs: string;
}

/** A new event about a new charge. */
export function fresh({ samples }: Session): SampleEvent {
  return samples.event(samples.charge());
}

/** Result of observing the app's own view during a probe. */
export interface Sight {
  readonly seen: string;
  readonly fault?: FaultName;
  /** The observation is inconclusive. */
  readonly isUnclear?: true;
}

/** The probe that finds out if the observed view shows payments at all. */
export const FIRST_SIGHT: Probe = "duplicate";

/** The judgement of one probe. */
export interface Mark {
  readonly verdict: Verdict;
  readonly severity: Severity;
  readonly fault?: FaultName;
  readonly because?: Probe;
  readonly advice?: string;
}

/** Judgements of the earlier probes and of all forgeries. */
export type Marks = ReadonlyMap<Probe, Mark>;

export const PASS: Mark = { verdict: "pass", severity: "must" };

/** A fault fails the probe if its severity is `must`, else it is a note. */
export function fault(name: FaultName): Mark {
  const severity = severityOf(name);
  const { advice } = FAULTS[name];
  return { verdict: severity === "must" ? "fail" : "note", severity, fault: name, advice };
}

/** An earlier probe's fault explains or hides this result. */
export function because(probe: Probe, marks?: Marks): Mark {
  // The earlier probe may itself be explained by another.
  return { verdict: "note", severity: "should", because: marks?.get(probe)?.because ?? probe };
}

/** Responses alone cannot decide the probe. */
export function unseen(advice: string): Mark {
  return { verdict: "note", severity: "should", advice };
}

export const NOT_NOW = unseen(
  "It asked for a later retry (429, or 503 with Retry-After), which is no fault; so this could not be tested.",
);

/** Judges events that must all be accepted; `name` is the fault of refusing one. */
export function accepting(answers: readonly Answer[], name: FaultName): Mark {
  const refused = answers.filter((answer) => answer.kind !== "accepted");
  if (refused.length === 0)
    return answers.some((answer) => answer.duration_ms > SLOW_MS) ? fault("slow") : PASS;
  return refused.every((answer) => answer.kind === "busy") ? NOT_NOW : fault(name);
}

/** Keeps the last answer to each request. */
export function settled(answers: readonly Answer[]): readonly Answer[] {
  return [...new Map(answers.map((answer) => [answer.sent, answer])).values()];
}

/** Returns true if two answers are equal but for ids and times. */
export function saysTheSame(one: Answer, other: Answer): boolean {
  return one.status === other.status && maskedBody(one) === maskedBody(other);
}

function maskedBody({ body }: Answer): string {
  return body.replace(/[\w-]*\d[\w-]*/g, "#");
}

/** Returns true if the answer equals that to the duplicate, false if not; undefined if duplicates get no answer of their own. */
export function isRecognized(answer: Answer, { answers }: Evidence): boolean | undefined {
  const first = answers.get("valid")?.find(({ kind }) => kind === "accepted");
  const [duplicate, ...newEvents] = settled(answers.get("duplicate") ?? []);
  if (first === undefined || duplicate?.kind !== "accepted" || saysTheSame(first, duplicate))
    return undefined;
  // A receiver whose answers all differ gives no clue.
  return newEvents.some((newAnswer) => saysTheSame(newAnswer, first))
    ? saysTheSame(answer, duplicate)
    : undefined;
}

/** Returns true for the kind of answer that refuses a signature, which is a 5xx in some receivers. */
export function isRefusal({ kind }: Answer, { answers }: Evidence): boolean {
  return kind === "refused" || kind === settled(answers.get("wrong_secret") ?? [])[0]?.kind;
}
