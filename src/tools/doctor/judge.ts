import {
  type Answer,
  type Finding,
  PROBES,
  type Probe,
  type ProbeRow,
} from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/webhooks.js";
import { settled } from "./answers.js";
import { describe } from "./describe.js";
import { FAULTS, type FaultName, severityOf } from "./faults.js";
import { judgeForged } from "./forged.js";
import { because, fault, type Mark, type Marks, PASS, unseen } from "./marks.js";
import type { Evidence } from "./probe.js";
import { outOfScope, PROBE_ROWS } from "./probes.js";
import { FIRST_SIGHT, type Sight } from "./sight.js";

/** What the answers say of the receiver. A pure function: the same answers, the same verdicts. */
export function judge(
  evidence: Evidence,
  scheme: SignatureScheme,
): { rows: ProbeRow[]; findings: Finding[] } {
  const marks = judgeForged(evidence.answers);
  let flaky: Probe | undefined;
  for (const probe of PROBES) {
    const answered = marks.get(probe) ?? mark(probe, evidence, marks, scheme);
    const found = withSight(probe, answered, evidence.sights.get(probe), marks);
    const isFlaky = hidesFailure(found, evidence.answers.get(probe) ?? []);
    marks.set(probe, isFlaky ? (flaky === undefined ? nowAndThen(probe) : because(flaky)) : found);
    if (isFlaky) flaky ??= probe;
  }
  const rows = PROBES.map((probe) => row(probe, marks.get(probe)!, evidence, scheme));
  return { rows, findings: findingsOf(rows) };
}

/** What is seen tells what answers leave open. */
function withSight(probe: Probe, found: Mark, sight: Sight | undefined, marks: Marks): Mark {
  if (sight === undefined || found.fault !== undefined || found.because !== undefined) return found;
  if (sight.fault === "nothing_seen" && probe !== FIRST_SIGHT) return because(FIRST_SIGHT);
  const isTold = sight.fault === "handled_at_once" && marks.get("duplicate")?.fault === "handled_twice";
  if (isTold) return because("duplicate");
  if (sight.fault !== undefined) return fault(sight.fault);
  if (!sight.isUnclear) return PASS;
  return found.verdict === "pass" ? found : unseen(sight.seen);
}

/** All was well in the end, but not at once. */
function hidesFailure({ fault, because }: Mark, answers: readonly Answer[]): boolean {
  if (fault !== undefined || because !== undefined) return false;
  const reached = answers.filter(({ kind }) => kind !== "unreachable");
  return settled(reached).some(
    ({ sent, kind }) => reached.find((first) => first.sent === sent)!.kind !== kind,
  );
}

/** Servers in development compile on the first request, and fail or are slow just once. */
function nowAndThen(probe: Probe): Mark {
  return fault(probe === "valid" ? "first_request_fails" : "fails_now_and_then");
}

function mark(probe: Probe, evidence: Evidence, marks: Marks, scheme: SignatureScheme): Mark {
  const sent = evidence.answers.get(probe);
  if (sent === undefined)
    return evidence.stoppedAt === null || outOfScope(probe, scheme) !== undefined
      ? unseen("Not to be had with this signature scheme.")
      : because(evidence.stoppedAt, marks);
  const reached = sent.filter((answer) => answer.kind !== "unreachable");
  if (reached.length === 0)
    return probe === "valid" ? unseen("Nothing can be said of it.") : vanished(probe, evidence, marks);
  const kind = PROBE_ROWS[probe];
  // What a broken connection leaves unanswered says nothing more; in a burst, a refused connection does.
  return "judge" in kind ? kind.judge(settled(probe === "burst" ? sent : reached), evidence, marks) : PASS;
}

/** Nobody listens any more: the probe that broke the connection did it, or something nobody saw. */
function vanished(probe: Probe, { answers }: Evidence, marks: Marks): Mark {
  const breaking = PROBES.slice(0, PROBES.indexOf(probe)).findLast((earlier) =>
    answers.get(earlier)?.some((answer) => answer.kind === "broken"),
  );
  return breaking === undefined ? fault("gone") : because(breaking, marks);
}

function row(probe: Probe, found: Mark, evidence: Evidence, scheme: SignatureScheme): ProbeRow {
  const answers = evidence.answers.get(probe) ?? [];
  const sight = evidence.sights.get(probe);
  const kind = PROBE_ROWS[probe];
  const isSeenOnly = "isSeenOnly" in kind;
  const needsEyes = isSeenOnly && sight === undefined && evidence.stoppedAt === null;
  const reason = needsEyes ? kind.needs : outOfScope(probe, scheme);
  const seen = sight?.seen ?? null;
  const came = [
    ...(isSeenOnly ? [] : [describe(answers)]),
    ...(seen === null || (sight?.isUnclear === true && !isSeenOnly) ? [] : [seen]),
  ];
  const { title, sent, expected } = kind;
  const { verdict, severity, fault = null, because = null, advice = null } = found;
  return {
    probe,
    title,
    sent,
    expected,
    came_back: reason === undefined ? came.join("; ") || "not sent" : `not sent: ${reason}`,
    seen,
    verdict,
    severity,
    fault,
    because,
    // A probe that was not sent for a reason needs no advice beside it.
    advice: fault === null && reason !== undefined ? null : advice,
    answers,
  };
}

/** Each fault once, with every probe it shows in. */
function findingsOf(rows: readonly ProbeRow[]): Finding[] {
  const findings = new Map<string, Finding>();
  for (const { probe, fault: name } of rows) {
    if (name === null) continue;
    const probes = [
      probe,
      ...rows.filter((one) => one.because === probe && one.answers.length > 0).map((one) => one.probe),
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
