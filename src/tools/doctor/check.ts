import { summarizeBody } from "../../core/reports/body-summary.js";
import {
  type Answer,
  type Finding,
  PROBES,
  type Probe,
  type ProbeRow,
  type WebhookReport,
} from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/signature-schemes.js";
import { iso } from "../../core/schema/time.js";
import { RECEIVER_FAULTS, type ReceiverFaultName, severityOf } from "./faults.js";
import { judgeInvalidSignatures } from "./invalid-signatures.js";
import {
  consequenceJudgement,
  faultJudgement,
  finalAnswers,
  type Judgement,
  type Judgements,
  PASS_JUDGEMENT,
  type ProbeEvidence,
  undecidedJudgement,
} from "./probe.js";
import { ProbeSession, type ResolvedCheckOptions } from "./probe-session.js";
import { outOfScopeReason, PROBE_DEFINITIONS, sendProbes } from "./probes.js";

/**
 * The doctor: sends probes to a webhook receiver and reports its faults; called by the command and the library.
 *
 *   probes.ts ── ProbeSession ──> ProbeEvidence ── judgeProbes ──> WebhookReport
 *
 * It judges responses; explore judges what the app does.
 *
 * @param onRow called after each probe; the final report may name a more specific fault
 */
export async function checkWebhook(
  options: ResolvedCheckOptions,
  onRow: (row: ProbeRow) => void = () => {},
): Promise<WebhookReport> {
  const { url, signature, timeoutMs, wall } = options;
  const startMs = wall.nowMs();
  const session = new ProbeSession(options);
  const evidence = await sendProbes(session, (probe, soFar) => {
    const row = judgeProbes(soFar, session.scheme).rows.find((candidate) => candidate.probe === probe)!;
    const isUnreachable = probe === "valid" && row.answers[0]!.kind === "unreachable";
    if (!isUnreachable) onRow(row);
  });
  const { rows, findings } = judgeProbes(evidence, session.scheme);
  const first = evidence.answers.get("valid")![0]!;
  const isUnreachable = first.kind === "unreachable";
  const count = (verdict: string) => rows.filter((row) => row.verdict === verdict).length;
  return {
    url,
    signature,
    timeout_ms: timeoutMs,
    started_at: iso(startMs),
    duration_ms: wall.nowMs() - startMs,
    outcome: isUnreachable
      ? "unreachable"
      : rows.some((row) => row.verdict === "fail" && row.severity === "must")
        ? "failed"
        : "passed",
    error: isUnreachable ? first.error : null,
    summary: { pass: count("pass"), fail: count("fail"), note: count("note") },
    findings,
    probes: rows,
  };
}

function judgeProbes(
  evidence: ProbeEvidence,
  scheme: SignatureScheme,
): { rows: ProbeRow[]; findings: Finding[] } {
  const marks = judgeInvalidSignatures(evidence.answers, scheme);
  let flaky: Probe | undefined;
  let hasHidden = false;
  for (const probe of PROBES) {
    const found = marks.get(probe) ?? mark(probe, evidence, marks, scheme);
    const answers = (evidence.answers.get(probe) ?? []).filter(({ kind }) => kind !== "unreachable");
    hasHidden ||= !MAY_FAIL_ONCE.includes(probe) && hidesFailure(answers);
    const isFlaky =
      found.fault === undefined
        ? found.because === undefined && hidesFailure(answers)
        : hasHidden && onlyCrashes(answers);
    marks.set(
      probe,
      isFlaky ? (flaky === undefined ? flakyMark(probe) : consequenceJudgement(flaky)) : found,
    );
    if (isFlaky && probe !== "valid") flaky ??= probe;
  }
  const rows = PROBES.map((probe) => row(probe, marks.get(probe)!, evidence, scheme));
  return { rows, findings: findingsOf(rows) };
}

/** Probes that may fail once, because the server may still be starting, or be overloaded by concurrent requests. */
const MAY_FAIL_ONCE: readonly Probe[] = ["valid", "simultaneous", "burst"];

function hidesFailure(answers: readonly Answer[]): boolean {
  return finalAnswers(answers).some(
    ({ sent, kind }) => answers.find((first) => first.sent === sent)!.kind !== kind,
  );
}

/** Returns true if all failures are 5xx. Then the receiver may be failing at random, and the probe is not the cause. */
function onlyCrashes(answers: readonly Answer[]): boolean {
  const kinds = finalAnswers(answers).map(({ kind }) => kind);
  return kinds.includes("crashed") && kinds.every((kind) => kind === "crashed" || kind === "accepted");
}

/** A failure of the first request has its own fault, because development servers compile on that request. */
function flakyMark(probe: Probe): Judgement {
  return faultJudgement(probe === "valid" ? "first_request_fails" : "fails_now_and_then");
}

function mark(probe: Probe, evidence: ProbeEvidence, marks: Judgements, scheme: SignatureScheme): Judgement {
  const sent = evidence.answers.get(probe);
  if (sent === undefined)
    return evidence.stoppedAt === null || outOfScopeReason(probe, scheme) !== undefined
      ? undecidedJudgement("Not possible with this signature scheme.")
      : consequenceJudgement(evidence.stoppedAt, marks);
  const reached = sent.filter((answer) => answer.kind !== "unreachable");
  if (reached.length === 0)
    return probe === "valid"
      ? undecidedJudgement("Nothing is known about it.")
      : goneMark(probe, evidence, marks);
  const definition = PROBE_DEFINITIONS[probe];
  // A burst can itself cause refused connections, so `burst` counts them. Other probes ignore refused connections.
  return "judge" in definition
    ? definition.judge(finalAnswers(probe === "burst" ? sent : reached), evidence, marks)
    : PASS_JUDGEMENT;
}

/** Judges a receiver that stopped listening: the cause is the last probe that broke a connection, if any. */
function goneMark(probe: Probe, { answers }: ProbeEvidence, marks: Judgements): Judgement {
  const breaking = PROBES.slice(0, PROBES.indexOf(probe)).findLast((earlier) =>
    answers.get(earlier)?.some((answer) => answer.kind === "broken"),
  );
  return breaking === undefined ? faultJudgement("gone") : consequenceJudgement(breaking, marks);
}

function row(probe: Probe, found: Judgement, evidence: ProbeEvidence, scheme: SignatureScheme): ProbeRow {
  const answers = evidence.answers.get(probe) ?? [];
  const reason = outOfScopeReason(probe, scheme);
  const { title, sent, expected } = PROBE_DEFINITIONS[probe];
  const { verdict, severity, fault = null, because = null, advice = null } = found;
  return {
    probe,
    title,
    sent,
    expected,
    came_back: reason === undefined ? answersText(answers) : `not sent: ${reason}`,
    verdict,
    severity,
    fault,
    because,
    // Advice would repeat the reason: the field `came_back` already says why the probe was not sent.
    advice: fault === null && reason !== undefined ? null : advice,
    answers,
  };
}

function findingsOf(rows: readonly ProbeRow[]): Finding[] {
  const findings = new Map<string, Finding>();
  for (const { probe, fault: name } of rows) {
    if (name === null) continue;
    const probes = [
      probe,
      ...rows.filter((row) => row.because === probe && row.answers.length > 0).map((row) => row.probe),
    ];
    const known = findings.get(name);
    const { title, advice } = RECEIVER_FAULTS[name as ReceiverFaultName];
    findings.set(name, {
      fault: name,
      severity: severityOf(name as ReceiverFaultName),
      title,
      advice,
      probes: [...(known?.probes ?? []), ...probes],
    });
  }
  return [...findings.values()];
}

const SNIPPET_LENGTH = 100;

function answersText(answers: readonly Answer[]): string {
  if (answers.length === 0) return "not sent";
  const items = new Map<string, Answer[]>();
  for (const answer of answers) items.set(answer.sent, [...(items.get(answer.sent) ?? []), answer]);
  if (items.size === 1) return attemptsText(answers);
  if (items.size > 6 || answers.every((answer) => answer.kind === "accepted")) return summaryText(answers);
  return [...items].map(([sent, attempts]) => `${sent}: ${attemptsText(attempts)}`).join("; ");
}

function attemptsText(attempts: readonly Answer[]): string {
  const isSame = new Set(attempts.map(({ status, error }) => status ?? error)).size === 1;
  if (!isSame) return attempts.map(answerText).join(", then ");
  return `${answerText(attempts.at(-1)!)}${attempts.length === 1 ? "" : ` (${attempts.length} times)`}`;
}

function answerText({ status, duration_ms, location, body, error }: Answer): string {
  if (status === null) return error ?? "no answer";
  const target = location === null ? "" : ` to ${printable(location)}`;
  const text = printable(summarizeBody(body)).trim();
  const snippet = text.length > SNIPPET_LENGTH ? `${text.slice(0, SNIPPET_LENGTH)}…` : text;
  return `${status}${target} in ${duration(duration_ms)}${snippet === "" ? "" : `, "${snippet}"`}`;
}

/** Text such as `9 × 200, 1 × 500 (unicode); the slowest in 12 ms`, with the names of requests that some others pass. */
function summaryText(answers: readonly Answer[]): string {
  const groups = new Map<string, Answer[]>();
  for (const answer of answers) {
    const outcome = answer.status === null ? (answer.error ?? "no answer") : String(answer.status);
    groups.set(outcome, [...(groups.get(outcome) ?? []), answer]);
  }
  const slowest = Math.max(...answers.map((answer) => answer.duration_ms));
  const parts = [...groups].map(([outcome, group]) => {
    const names = new Set(group.map(({ sent }) => sent).filter((name) => !/^\d+ of \d+$/.test(name)));
    const isNamed = groups.size > 1 && group[0]!.kind !== "accepted" && names.size > 0;
    return `${group.length} × ${outcome}${isNamed ? ` (${[...names].join(", ")})` : ""}`;
  });
  return `${parts.join(", ")}; the slowest in ${duration(slowest)}`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Removes control characters, which a terminal would obey. */
function printable(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ");
}
