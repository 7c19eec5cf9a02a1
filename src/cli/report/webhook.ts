import {
  type Finding,
  PROBES,
  type Probe,
  type ProbeRow,
  type WebhookReport,
} from "../../core/schema/receiver-report.js";
import { formatCount, toPrintableValue } from "../../core/schema/text-format.js";
import { paint } from "../text-layout.js";
import { type CaseDetail, caseLines, type Report, type ReportCase } from "./report.js";

/** Report of `check-webhook`: a case per probe, and a finding per fault or per result that the user must check. */
export function reportOfWebhookCheck(report: WebhookReport): Report {
  const { url, outcome, error, duration_ms, started_at, probes } = report;
  const whole = {
    name: `check-webhook ${url}`,
    group: "check-webhook",
    durationMs: duration_ms,
    startedAt: started_at,
  };
  if (outcome === "unreachable") {
    const heading = `cannot be reached: ${error}`;
    const [first, ...others] = probes.map(probeCase);
    const cases: ReportCase[] = [{ ...first!, outcome: "error", message: heading }, ...others];
    return { ...whole, verdict: "error", heading, cases, findings: [], notes: reachAdvice(error!) };
  }
  const musts = report.findings.filter(({ severity }) => severity === "must").length;
  const shoulds = report.findings.length - musts;
  const must = musts === 0 ? "every requirement met" : `${formatCount(musts, "requirement")} not met`;
  return {
    ...whole,
    verdict: outcome,
    heading: shoulds === 0 ? must : `${must}, ${formatCount(shoulds, "recommendation")} not met`,
    cases: probes.map(probeCase),
    findings: [
      ...report.findings.map((finding) => findingCase(finding, probes)),
      ...probes.filter((row) => isTried(row) && row.advice !== null && row.fault === null).map(reviewCase),
    ],
    notes: [],
    summary: `${report.summary.pass} passed, ${report.summary.fail} failed, ${report.summary.note} not judged`,
  };
}

const TITLE_WIDTH = 33;

export function probeLine(row: ProbeRow, width: number): string {
  const { message: _reason, ...one } = probeCase(row);
  const lines = caseLines(toPrintableValue({ ...one, details: [] }), "", TITLE_WIDTH, width, paint);
  return `${lines.join("\n")}\n`;
}

function probeCase(row: ProbeRow): ReportCase {
  const { probe, title, verdict, because, answers, came_back, advice, fault } = row;
  const judged = ({ pass: "passed", fail: "failed", note: "note" } as const)[verdict];
  // A note without a fault judges nothing.
  const isSkipped = verdict === "note" && fault === null;
  return {
    name: title,
    title: `${numbersOf([probe]).padStart(2)} ${title}`,
    outcome: isSkipped ? "skipped" : judged,
    ...(isSkipped && because === null && advice !== null ? { message: advice } : {}),
    column:
      because === null
        ? came_back
        : `see ${numbersOf([because])} ${because}: ${came_back.replace(/; the slowest in [^;]*$/, "")}`,
    type: fault ?? "",
    durationMs: answers.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    details: detailsOf(row, advice),
  };
}

function isTried({ answers, verdict }: ProbeRow): boolean {
  return answers.length > 0 || verdict !== "note";
}

/** Finding about a receiver's fault. The details come from the first probe that shows the fault. */
function findingCase(
  { fault, severity, title, advice, probes }: Finding,
  rows: readonly ProbeRow[],
): ReportCase {
  return {
    name: severity,
    outcome: severity === "must" ? "failed" : "note",
    message: `${title} (${probes.length === 1 ? "probe" : "probes"} ${numbersOf(probes)})`,
    details: detailsOf(rows.find((row) => row.fault === fault)!, advice),
  };
}

function reviewCase({ probe, title, advice }: ProbeRow): ReportCase {
  const message = `check yourself (probe ${numbersOf([probe])})`;
  return { name: title, outcome: "note", message, details: [["advice", advice!]] };
}

function detailsOf({ sent, expected, came_back, answers }: ProbeRow, advice: string | null): CaseDetail[] {
  // The id is in the receiver's log.
  const event = answers.find(({ kind }) => kind !== "accepted") ?? answers[0];
  const details = Object.entries({
    sent,
    ...(event && { event: event.event_id }),
    expected,
    response: came_back,
  });
  return advice === null ? details : [...details, ["advice", advice]];
}

function numbersOf(probes: readonly Probe[]): string {
  return probes.map((probe) => PROBES.indexOf(probe) + 1).join(", ");
}

function reachAdvice(error: string): string[] {
  if (error.includes("ECONNREFUSED"))
    return ["Nothing listens there: start your app, or check the port of the URL."];
  return error.includes("ENOTFOUND") ? ["Unknown host: check the name in the URL."] : [];
}
