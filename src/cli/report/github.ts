import { appendFileSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { systemErrorText } from "../../core/schema/system-error-text.js";
import { toPrintableLine } from "../../core/schema/text-format.js";
import { printErrorLine, printPaintedError } from "../terminal.js";
import { countsOf, leavesOf } from "./junit.js";
import type { Report, ReportCase } from "./report.js";

// Output for a job of GitHub Actions: annotations, which are lines of the log, and the job's summary, a file.

function isOnGitHub(): boolean {
  return process.env.GITHUB_ACTIONS === "true";
}

/** Annotates each failed case, and adds the reports to the job's summary. Does nothing outside of GitHub Actions. */
export function writeReportsToGitHub(reports: readonly Report[]): void {
  if (!isOnGitHub()) return;
  // On standard error, because standard output may be JSON. GitHub reads both.
  for (const { name, cases } of reports)
    for (const one of failedOf(cases)) printPaintedError(annotation(name, one));
  appendToSummary(reportsMarkdown(reports));
}

/** Adds the end of a command of `exec` to the job's summary, with what was printed about it. */
export function writeCommandSummary(title: string, isPassed: boolean, lines: readonly string[]): void {
  if (!isOnGitHub()) return;
  const heading = `### ${isPassed ? "✓" : "✗"} ${markdownText(title)}`;
  appendToSummary([heading, ...(lines.length === 0 ? [] : codeBlock(lines))]);
}

function failedOf(cases: readonly ReportCase[]): ReportCase[] {
  return leavesOf(cases).filter(({ outcome }) => outcome === "failed" || outcome === "error");
}

function annotation(
  report: string,
  { name, message = "", details = [], source, place = source }: ReportCase,
): string {
  const properties = {
    ...(place === undefined ? {} : { file: pathInRepository(place[0]), line: place[1] }),
    title: `${report}: ${name}`,
  };
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${propertyValue(String(value))}`);
  const text = [message, ...details.map(([label, detail]) => `${label}: ${detail}`)].join("\n");
  return `::error ${pairs.join(",")}::${commandData(text)}`;
}

/** Escapes the data of a workflow command. */
function commandData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes the value of a property of a workflow command. */
function propertyValue(text: string): string {
  return commandData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** GitHub takes paths from the root of the repository. */
function pathInRepository(file: string): string {
  const path = relative(process.env.GITHUB_WORKSPACE || process.cwd(), resolve(file));
  return path.startsWith("..") || isAbsolute(path) ? file : path.replaceAll(sep, "/");
}

function reportsMarkdown(reports: readonly Report[]): string[] {
  const rows = reports.map(({ name, verdict, cases, durationMs = 0 }) => {
    const { tests, failures, errors, skipped } = countsOf(leavesOf(cases));
    const failed = failures + errors;
    const counts = [tests - failed - skipped, failed, skipped];
    const mark = verdict === "passed" ? "✓" : verdict === "note" ? "○" : "✗";
    return `| ${mark} | ${markdownText(name)} | ${counts.join(" | ")} | ${(durationMs / 1_000).toFixed(1)} s |`;
  });
  const failures = reports.flatMap(({ name, cases }) =>
    failedOf(cases).map((one) => {
      const place = one.place === undefined ? "" : ` (${markdownText(one.place.join(":"))})`;
      return `- **${markdownText(name)}: ${markdownText(one.name)}**${place}: ${markdownText(one.message ?? "")}`;
    }),
  );
  return [
    "| | payments-sandbox | passed | failed | not run | time |",
    "|---|---|---|---|---|---|",
    ...rows,
    ...(failures.length === 0 ? [] : ["", ...failures]),
  ];
}

function markdownText(text: string): string {
  return toPrintableLine(text.replace(/\s+/g, " ")).replace(/[\\`*_{}[\]<>#|~&]/g, "\\$&");
}

/** A block of text as it is, fenced by more backticks than it has in a row. */
function codeBlock(lines: readonly string[]): string[] {
  const end = lines.findLastIndex((line) => line !== "") + 1;
  const text = lines.slice(0, end).map((line) => toPrintableLine(stripVTControlCharacters(line)));
  const longest = Math.max(2, ...text.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return ["", `${fence}text`, ...text, fence];
}

/** GitHub refuses a larger summary. */
const SUMMARY_MAX_BYTES = 1024 * 1024;

function appendToSummary(lines: readonly string[]): void {
  const file = process.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  const text = `${lines.join("\n")}\n\n`;
  try {
    if (Buffer.byteLength(text) <= SUMMARY_MAX_BYTES) appendFileSync(file, text);
    else printErrorLine("the job's summary is left out: it is larger than the 1 MiB that GitHub takes");
  } catch (error) {
    printErrorLine(`GITHUB_STEP_SUMMARY ${file} cannot be written: ${systemErrorText(error)}`);
  }
}
