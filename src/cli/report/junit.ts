import { escapeXml } from "../../core/schema/text-format.js";
import { iso } from "../../core/schema/time.js";
import { machineNowMs } from "../../core/time/timers.js";
import type { Report, ReportCase } from "./report.js";

/**
 * Formats reports as JUnit XML: a suite per report, its notes as the suite's output. Follows `junit-10.xsd` of the
 * Jenkins plugin xUnit, in which cases have no `file` and `line`: a result's text begins with its place.
 */
export function junitXml(reports: readonly Report[]): string {
  const nowMs = machineNowMs();
  const totalMs = reports.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0);
  const all = reports.flatMap(({ cases }) => leavesOf(cases));
  const suites = reports.flatMap(({ name, group, cases, durationMs, startedAt, file, notes }) => {
    const leaves = leavesOf(cases);
    const time = durationMs === undefined ? undefined : seconds(durationMs);
    const timestamp = startedAt ?? iso(nowMs - (durationMs ?? 0));
    return element("testsuite", { name, ...countsOf(leaves), time, timestamp, file }, [
      ...leaves.flatMap((one) => caseLines(group, one)),
      ...(notes.length > 0 ? element("system-out", {}, notes.join("\n")) : []),
    ]);
  });
  const { skipped: _only, ...counts } = countsOf(all);
  const attributes = { name: "payments-sandbox", ...counts, time: seconds(totalMs) };
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...element("testsuites", attributes, suites), ""].join(
    "\n",
  );
}

/** The cases without nested ones. */
export function leavesOf(cases: readonly ReportCase[]): ReportCase[] {
  return cases.flatMap((one) => (one.cases === undefined ? [one] : leavesOf(one.cases)));
}

export function countsOf(cases: readonly ReportCase[]) {
  const count = (which: ReportCase["outcome"]) => cases.filter(({ outcome }) => outcome === which).length;
  return {
    tests: cases.length,
    failures: count("failed"),
    errors: count("error"),
    skipped: count("skipped"),
  };
}

function caseLines(classname: string, one: ReportCase): string[] {
  const { name, durationMs = 0 } = one;
  return element("testcase", { name, classname, time: seconds(durationMs) }, resultLines(one));
}

function resultLines({
  outcome,
  column = "",
  message = column,
  type,
  details = [],
  place,
}: ReportCase): string[] {
  const texts = details.map(([label, text]) => `${label}: ${text}`);
  if (outcome === "passed" || outcome === "note")
    return texts.length > 0 ? element("system-out", {}, texts.join("\n")) : [];
  const text = (place === undefined ? texts : [place.join(":"), ...texts]).join("\n");
  if (outcome === "skipped") return element("skipped", { message }, text);
  return element(outcome === "failed" ? "failure" : "error", { message, type }, text);
}

function seconds(durationMs: number): string {
  return (durationMs / 1_000).toFixed(3);
}

/** Formats an XML element. Text stays between the tags; child elements get indented lines of their own. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content: string | readonly string[] = "",
): string[] {
  const pairs = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}="${attributeText(String(value))}"`);
  const open = [name, ...pairs].join(" ");
  if (content.length === 0) return [`<${open}/>`];
  if (typeof content === "string") return [`<${open}>${xmlText(content)}</${name}>`];
  return [`<${open}>`, ...content.map((line) => `  ${line}`), `</${name}>`];
}

/** Escapes line ends and tabs too, because XML readers turn line ends and tabs in attributes into spaces. */
function attributeText(value: string): string {
  return xmlText(value).replace(/[\t\n\r]/g, (space) => `&#${space.charCodeAt(0)};`);
}

/** Escapes XML text. Replaces characters that XML 1.0 cannot represent with U+FFFD. */
function xmlText(text: string): string {
  return escapeXml(text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD"));
}
