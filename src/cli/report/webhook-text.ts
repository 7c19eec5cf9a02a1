import { type Finding, PROBES, type ProbeRow, type WebhookReport } from "../../doctor/report.js";
import { type Paint, plain } from "../paint.js";

const VERDICTS = {
  pass: ["green", "PASS"],
  fail: ["red", "FAIL"],
  note: ["yellow", "NOTE"],
} as const;

/** The report for people: one block a probe, the faults at the end. */
export function textReport(report: WebhookReport, paint: Paint = plain): string {
  const scheme = typeof report.signature === "string" ? report.signature : report.signature.header;
  const head = [`${paint("bold", report.url)}  ${paint("dim", `signature: ${scheme}`)}`, ""];
  if (report.outcome === "unreachable")
    return [...head, `${paint("red", "cannot be reached")}: ${report.error}`, ""].join("\n");
  const width = Math.max(...report.probes.map((row) => row.title.length));
  return [
    ...head,
    ...report.probes.flatMap((row, index) => block(row, index + 1, width, paint)),
    "",
    ...report.findings.map((finding) => conclusion(finding, paint)),
    ...(report.findings.length === 0 ? [] : [""]),
    summary(report, paint),
    "",
  ].join("\n");
}

function block(row: ProbeRow, number: number, width: number, paint: Paint): string[] {
  const [style, word] = VERDICTS[row.verdict];
  const line = `${String(number).padStart(3)}  ${paint(style, word)}  ${row.title.padEnd(width)}  ${row.came_back}`;
  if (row.answers.length === 0) return [line];
  const details: [string, string | null][] = [
    ["sent", row.sent],
    ["expected", row.expected],
    ["because", row.because === null ? null : `probe ${numberOf(row.because)} shows the same or hides it`],
    ["advice", row.advice],
  ];
  return [
    line,
    ...details
      .filter(([, text]) => text !== null)
      .map(([name, text]) => `           ${paint("dim", name.padEnd(10))}${text}`),
  ];
}

function conclusion({ severity, title, probes }: Finding, paint: Paint): string {
  const seen = probes.map(numberOf).join(", ");
  const word = paint(severity === "must" ? "red" : "yellow", severity.toUpperCase());
  const where = probes.length === 1 ? `probe ${seen}` : `probes ${seen}`;
  return `${word}  ${paint("bold", title)} (${where})`;
}

function numberOf(probe: ProbeRow["probe"]): number {
  return PROBES.indexOf(probe) + 1;
}

function summary({ outcome, summary: { pass, fail, note } }: WebhookReport, paint: Paint): string {
  const counts = `${pass} passed, ${fail} failed, ${note} to look at`;
  return outcome === "failed" ? paint("red", counts) : paint("green", counts);
}
