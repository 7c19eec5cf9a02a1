import {
  type Finding,
  PROBES,
  type Probe,
  type ProbeRow,
  type WebhookReport,
} from "../../schema/receiver-report.js";
import { type Paint, plain, type Style } from "../paint.js";
import { wrapped } from "../wrapped.js";

const VERDICTS: Readonly<Record<ProbeRow["verdict"], readonly [Style, string]>> = {
  pass: ["dim", "PASS"],
  fail: ["red", "FAIL"],
  note: ["yellow", "NOTE"],
};
const OUTCOMES: Readonly<Record<WebhookReport["outcome"], readonly [Style, string]>> = {
  passed: ["green", "PASSED"],
  failed: ["red", "FAILED"],
  unreachable: ["red", "cannot be reached"],
};
/** Where the text of a finding begins. */
const INDENT = 6;
const LABEL = 11;

/** What is known before the first probe. */
export function headLine({ url, signature }: Pick<WebhookReport, "url" | "signature">, paint: Paint = plain) {
  const scheme = typeof signature === "string" ? signature : signature.header;
  return `${paint("bold", url)}  ${paint("dim", `signature: ${scheme}`)}\n\n`;
}

/** A probe in a line, as soon as it is known how it came out. */
export function rowLine(row: ProbeRow, width: number, paint: Paint = plain): string {
  const isTold = isJudged(row) && row.because === null;
  const [style, word] = isTold ? VERDICTS[row.verdict] : (["dim", "–"] as const);
  const what =
    row.because === null ? (row.seen ?? row.came_back) : `see ${numberOf(row.because)}: ${row.came_back}`;
  const start = `${String(numberOf(row.probe)).padStart(3)}  `;
  const rest = `${row.title.padEnd(30)}  ${what}`;
  const room = width - start.length - 6;
  const line = rest.length > room ? `${rest.slice(0, room - 1)}…` : rest;
  return `${start}${paint(style, word.padEnd(4))}  ${row.verdict === "fail" ? line : paint("dim", line)}\n`;
}

/** Advice for an unreachable address, by its error. */
function reachFix(error: string): string {
  if (error.includes("ECONNREFUSED"))
    return "Nothing listens there: start your app, or check the port of the URL.\n";
  return error.includes("ENOTFOUND") ? "Unknown host: check the name in the URL.\n" : "";
}

/** What it comes to, for people: the verdict, each fault once with what to do, what only they can see. */
export function textReport(report: WebhookReport, width: number, paint: Paint = plain): string {
  const { outcome, error, findings, probes } = report;
  const [style, word] = OUTCOMES[outcome];
  if (outcome === "unreachable") return `${paint(style, word)}: ${error}\n${reachFix(error ?? "")}`;
  const musts = findings.filter(({ severity }) => severity === "must").length;
  const shoulds = findings.length - musts;
  const parts = [
    musts === 0 ? "every requirement met" : counted(musts, "requirement not met", "requirements not met"),
  ];
  if (shoulds > 0) parts.push(counted(shoulds, "should is not", "shoulds are not"));
  const toLookAt = probes.filter((row) => isJudged(row) && row.advice !== null && row.fault === null);
  return [
    `${paint(style, word)}: ${parts.join(", ")}`,
    ...findings.flatMap((finding) => ["", ...findingLines(finding, report, width, paint)]),
    ...(toLookAt.length === 0 ? [] : ["", "No response shows these; check yourself:"]),
    ...toLookAt.flatMap((row) => [
      `${paint("yellow", "NOTE")}  ${row.title} (${numberOf(row.probe)})`,
      ...wrapped(row.advice!, INDENT, width),
    ]),
    "",
    summary(report, paint),
    "",
  ].join("\n");
}

/** Whether there is anything of its own to judge by. */
function isJudged({ answers, seen, verdict }: ProbeRow): boolean {
  return answers.length > 0 || seen !== null || verdict !== "note";
}

function findingLines(finding: Finding, { probes }: WebhookReport, width: number, paint: Paint): string[] {
  const { severity, title, advice, fault } = finding;
  const row = probes.find((one) => one.fault === fault)!;
  const details: [string, string][] = [
    ["sent", row.sent],
    ["expected", row.expected],
    ["response", row.came_back],
    ["advice", advice],
  ];
  const word = paint(severity === "must" ? "red" : "yellow", severity.toUpperCase());
  const where = `${finding.probes.length === 1 ? "probe" : "probes"} ${inRanges(finding.probes.map(numberOf))}`;
  const [first, ...more] = wrapped(`${title} (${where})`, INDENT, width);
  return [
    `${`${word} `.padEnd(INDENT + word.length - severity.length)}${paint("bold", first!.trimStart())}`,
    ...more,
    ...details.flatMap(([label, text]) => {
      const [start, ...rest] = wrapped(text, INDENT + LABEL, width);
      return [`${" ".repeat(INDENT)}${paint("dim", label.padEnd(LABEL))}${start!.trimStart()}`, ...rest];
    }),
  ];
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `3–12, 19`. */
function inRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(", ");
}

function numberOf(probe: Probe): number {
  return PROBES.indexOf(probe) + 1;
}

/** Only what could be judged is counted. */
function summary({ outcome, summary: { pass, fail } }: WebhookReport, paint: Paint): string {
  return paint(outcome === "failed" ? "red" : "green", `${pass} passed, ${fail} failed`);
}
