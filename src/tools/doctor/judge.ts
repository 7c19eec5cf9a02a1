import {
  type Answer,
  type Finding,
  PROBES,
  type Probe,
  type ProbeRow,
} from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/webhooks.js";
import { describe } from "./describe.js";
import { FAULTS, type FaultName, severityOf } from "./faults.js";
import { judgeForged } from "./forged.js";
import {
  because,
  type Evidence,
  FIRST_SIGHT,
  fault,
  type Mark,
  type Marks,
  PASS,
  type Sight,
  settled,
  unseen,
} from "./probe.js";
import { outOfScope, PROBE_ROWS } from "./probes.js";

/** Judges the evidence of all probes. A pure function. */
export function judge(
  evidence: Evidence,
  scheme: SignatureScheme,
): { rows: ProbeRow[]; findings: Finding[] } {
  const marks = judgeForged(evidence.answers);
  let flaky: Probe | undefined;
  for (const probe of PROBES) {
    const byAnswers = marks.get(probe) ?? mark(probe, evidence, marks, scheme);
    const found = withObservation(probe, byAnswers, evidence.sights.get(probe), marks);
    const isFlaky = hidesFailure(found, evidence.answers.get(probe) ?? []);
    marks.set(probe, isFlaky ? (flaky === undefined ? flakyMark(probe) : because(flaky)) : found);
    if (isFlaky) flaky ??= probe;
  }
  const rows = PROBES.map((probe) => row(probe, marks.get(probe)!, evidence, scheme));
  return { rows, findings: findingsOf(rows) };
}

/** Completes a mark by what the app's own view showed. */
function withObservation(probe: Probe, found: Mark, observation: Sight | undefined, marks: Marks): Mark {
  if (observation === undefined || found.fault !== undefined || found.because !== undefined) return found;
  if (observation.fault === "nothing_seen" && probe !== FIRST_SIGHT) return because(FIRST_SIGHT);
  const isReported =
    observation.fault === "handled_at_once" && marks.get("duplicate")?.fault === "handled_twice";
  if (isReported) return because("duplicate");
  if (observation.fault !== undefined) return fault(observation.fault);
  if (!observation.isUnclear) return PASS;
  return found.verdict === "pass" ? found : unseen(observation.seen);
}

/** Returns true if a request failed at first and passed when repeated. */
function hidesFailure({ fault, because }: Mark, answers: readonly Answer[]): boolean {
  if (fault !== undefined || because !== undefined) return false;
  const reached = answers.filter(({ kind }) => kind !== "unreachable");
  return settled(reached).some(
    ({ sent, kind }) => reached.find((first) => first.sent === sent)!.kind !== kind,
  );
}

/** A development server compiles on the first request, so a single failure there has its own fault. */
function flakyMark(probe: Probe): Mark {
  return fault(probe === "valid" ? "first_request_fails" : "fails_now_and_then");
}

function mark(probe: Probe, evidence: Evidence, marks: Marks, scheme: SignatureScheme): Mark {
  const sent = evidence.answers.get(probe);
  if (sent === undefined)
    return evidence.stoppedAt === null || outOfScope(probe, scheme) !== undefined
      ? unseen("Not possible with this signature scheme.")
      : because(evidence.stoppedAt, marks);
  const reached = sent.filter((answer) => answer.kind !== "unreachable");
  if (reached.length === 0)
    return probe === "valid" ? unseen("Nothing is known about it.") : goneMark(probe, evidence, marks);
  const definition = PROBE_ROWS[probe];
  // A refused connection counts in a burst only; elsewhere an earlier broken connection explains it.
  return "judge" in definition
    ? definition.judge(settled(probe === "burst" ? sent : reached), evidence, marks)
    : PASS;
}

/** Marks a receiver that stopped listening: caused by the last probe that broke a connection, if any. */
function goneMark(probe: Probe, { answers }: Evidence, marks: Marks): Mark {
  const breaking = PROBES.slice(0, PROBES.indexOf(probe)).findLast((earlier) =>
    answers.get(earlier)?.some((answer) => answer.kind === "broken"),
  );
  return breaking === undefined ? fault("gone") : because(breaking, marks);
}

function row(probe: Probe, found: Mark, evidence: Evidence, scheme: SignatureScheme): ProbeRow {
  const answers = evidence.answers.get(probe) ?? [];
  const observation = evidence.sights.get(probe);
  const definition = PROBE_ROWS[probe];
  const isObservedOnly = "isObservedOnly" in definition;
  const isUnobserved = isObservedOnly && observation === undefined && evidence.stoppedAt === null;
  const reason = isUnobserved ? definition.needs : outOfScope(probe, scheme);
  const seen = observation?.seen ?? null;
  const results = [
    ...(isObservedOnly ? [] : [describe(answers)]),
    ...(seen === null || (observation?.isUnclear === true && !isObservedOnly) ? [] : [seen]),
  ];
  const { title, sent, expected } = definition;
  const { verdict, severity, fault = null, because = null, advice = null } = found;
  return {
    probe,
    title,
    sent,
    expected,
    came_back: reason === undefined ? results.join("; ") || "not sent" : `not sent: ${reason}`,
    seen,
    verdict,
    severity,
    fault,
    because,
    // The reason replaces advice.
    advice: fault === null && reason !== undefined ? null : advice,
    answers,
  };
}

/** Lists each fault once, with the probes that show it. */
function findingsOf(rows: readonly ProbeRow[]): Finding[] {
  const findings = new Map<string, Finding>();
  for (const { probe, fault: name } of rows) {
    if (name === null) continue;
    const probes = [
      probe,
      ...rows.filter((row) => row.because === probe && row.answers.length > 0).map((row) => row.probe),
    ];
    const known = findings.get(name);
    const { title, advice } = FAULTS[name as FaultName];
    findings.set(name, {
      fault: name,
      severity: severityOf(name as FaultName),
      title,
      advice,
      probes: [...(known?.probes ?? []), ...probes],
    });
  }
  return [...findings.values()];
}
