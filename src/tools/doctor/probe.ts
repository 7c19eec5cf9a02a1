import type { Answer, Probe, ProbeVerdict, Severity } from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/signature-schemes.js";
import { RECEIVER_FAULTS, type ReceiverFaultName, severityOf } from "./faults.js";
import { type CrashedEvent, type ProbeSession, SLOW_ANSWER_MS } from "./probe-session.js";
import type { SampleEvent } from "./samples.js";

export interface ProbeEvidence {
  readonly answers: ReadonlyMap<Probe, readonly Answer[]>;
  /** Probe after which the check stopped, because the receiver accepts nothing or is gone; else null. */
  readonly stoppedAt: Probe | null;
  /** The event that failed with a 5xx and was repeated by the probe "retry". */
  readonly retried: RetriedEvent | null;
}

interface RetriedEvent extends Pick<CrashedEvent, "probe" | "wasAccepted"> {
  /** The event was accepted after it failed and before the probe "retry". */
  readonly isAccepted: boolean;
}

interface SentProbe {
  readonly title: string;
  readonly sent: string;
  readonly expected: string;
  /** Returns why no receiver can pass the probe under a signature scheme; undefined if a receiver can. */
  readonly outOfScope?: (scheme: SignatureScheme) => string | undefined;
  readonly send: (session: ProbeSession) => Promise<readonly Answer[]>;
}

/** A probe whose events a good receiver accepts. */
export interface ValidEventProbe extends SentProbe {
  /** `answers` holds the final answer to each request. */
  readonly judge: (answers: readonly Answer[], evidence: ProbeEvidence, marks: Judgements) => Judgement;
}

/** A probe whose events a good receiver refuses. All of these probes are judged together. */
export interface InvalidSignatureProbe extends SentProbe {
  readonly acceptanceFault: ReceiverFaultName;
  /** A more general probe. If the receiver accepts the events of both probes, only the general fault is reported. */
  readonly coveredBy?: Probe;
}

export function createSampleEvent({ samples }: ProbeSession): SampleEvent {
  return samples.event(samples.charge());
}

export interface Judgement {
  readonly verdict: ProbeVerdict;
  readonly severity: Severity;
  readonly fault?: ReceiverFaultName;
  readonly because?: Probe;
  readonly advice?: string;
}

/** Judgements of the earlier probes and of all forgeries. */
export type Judgements = ReadonlyMap<Probe, Judgement>;

export const PASS_JUDGEMENT: Judgement = { verdict: "pass", severity: "must" };

/** Judges a probe by a fault: a failure if the severity is `must`, else a note. */
export function faultJudgement(name: ReceiverFaultName): Judgement {
  const severity = severityOf(name);
  const { advice } = RECEIVER_FAULTS[name];
  return { verdict: severity === "must" ? "fail" : "note", severity, fault: name, advice };
}

/** Judges a probe whose result is explained or hidden by the fault of an earlier probe. */
export function consequenceJudgement(probe: Probe, marks?: Judgements): Judgement {
  // Names the root cause, because the earlier probe's fault may itself be a consequence.
  return { verdict: "note", severity: "should", because: marks?.get(probe)?.because ?? probe };
}

export function undecidedJudgement(advice: string): Judgement {
  return { verdict: "note", severity: "should", advice };
}

export const BUSY_JUDGEMENT = undecidedJudgement(
  "It asked for a later retry (429, or 503 with Retry-After), which is no fault; so this could not be tested.",
);

/** Judges events that must all be accepted; `name` is the fault if the receiver refuses one. */
export function judgeAcceptance(answers: readonly Answer[], name: ReceiverFaultName): Judgement {
  const refused = answers.filter((answer) => answer.kind !== "accepted");
  if (refused.length === 0)
    return answers.some((answer) => answer.duration_ms > SLOW_ANSWER_MS)
      ? faultJudgement("slow")
      : PASS_JUDGEMENT;
  return refused.every((answer) => answer.kind === "busy") ? BUSY_JUDGEMENT : faultJudgement(name);
}

/** Judges events that a receiver may accept or refuse, but must not act on; `name` is the fault if it fails. */
export function judgeIgnored(answers: readonly Answer[], name: ReceiverFaultName, advice: string): Judgement {
  const found = judgeAcceptance(
    answers.filter(({ kind }) => kind !== "refused"),
    name,
  );
  return found === PASS_JUDGEMENT ? undecidedJudgement(advice) : found;
}

export function finalAnswers(answers: readonly Answer[]): readonly Answer[] {
  return [...new Map(answers.map((answer) => [answer.sent, answer])).values()];
}

/** Returns true if two answers are equal but for ids and times. */
export function isSameAnswer(one: Answer, other: Answer): boolean {
  return one.status === other.status && maskedBody(one) === maskedBody(other);
}

function maskedBody({ body }: Answer): string {
  return body.replace(/[\w-]*\d[\w-]*/g, "#");
}

/** Returns true if the answer equals the answer to duplicates; undefined if all events get the same answer. */
export function isDuplicateAnswer(answer: Answer, { answers }: ProbeEvidence): boolean | undefined {
  const first = answers.get("valid")?.find(({ kind }) => kind === "accepted");
  const [duplicate, ...newEvents] = finalAnswers(answers.get("duplicate") ?? []);
  if (first === undefined || duplicate?.kind !== "accepted" || isSameAnswer(first, duplicate))
    return undefined;
  // If answers to new events differ from each other, the answer to a duplicate tells nothing.
  return newEvents.some((newAnswer) => isSameAnswer(newAnswer, first))
    ? isSameAnswer(answer, duplicate)
    : undefined;
}

/** Returns true if the answer refuses a signature; some receivers refuse signatures with a 5xx. */
export function isSignatureRefusal({ kind }: Answer, { answers }: ProbeEvidence): boolean {
  return kind === "refused" || kind === finalAnswers(answers.get("wrong_secret") ?? [])[0]?.kind;
}
