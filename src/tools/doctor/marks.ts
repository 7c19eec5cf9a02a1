import type { Answer, Probe, Severity, Verdict } from "../../core/schema/receiver-report.js";
import { FAULTS, type FaultName, severityOf } from "./faults.js";
import { SLOW_MS } from "./session.js";

/** What one probe's answers come to. */
export interface Mark {
  readonly verdict: Verdict;
  readonly severity: Severity;
  readonly fault?: FaultName;
  readonly because?: Probe;
  /** What to do about it, or to know where there is no fault. */
  readonly advice?: string;
}

/** Those of the probes before, and of the forgeries. */
export type Marks = ReadonlyMap<Probe, Mark>;

export const PASS: Mark = { verdict: "pass", severity: "must" };

/** A fault: what must be is failed, what should be is noted. */
export function fault(name: FaultName): Mark {
  const severity = severityOf(name);
  const { advice } = FAULTS[name];
  return { verdict: severity === "must" ? "fail" : "note", severity, fault: name, advice };
}

/** Tells nothing of its own: the fault of an earlier probe shows here, too, or hides what there is. */
export function because(probe: Probe, marks?: Marks): Mark {
  // That one may itself only show what an earlier one did.
  return { verdict: "note", severity: "should", because: marks?.get(probe)?.because ?? probe };
}

/** Not to be seen from outside. */
export function unseen(advice: string): Mark {
  return { verdict: "note", severity: "should", advice };
}

/** An event that asks to come later is no fault: a sender waits. */
export const NOT_NOW = unseen(
  "It asked for time (429, or 503 with Retry-After), which a sender grants; so this could not be tested.",
);

/** For events that must be accepted: all of them were, or the fault this shows. */
export function accepting(answers: readonly Answer[], name: FaultName): Mark {
  const refused = answers.filter((answer) => answer.kind !== "accepted");
  if (refused.length === 0)
    return answers.some((answer) => answer.duration_ms > SLOW_MS) ? fault("slow") : PASS;
  return refused.every((answer) => answer.kind === "busy") ? NOT_NOW : fault(name);
}
