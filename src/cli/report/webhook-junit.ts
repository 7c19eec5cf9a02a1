import type { ProbeRow, WebhookReport } from "../../schema/receiver-report.js";
import { block, element, junitFile, seconds, xmlText } from "../../schema/xml.js";

/** The report as JUnit XML, for the test views of CI: a case each probe, skipped where it could not tell. */
export function junitReport(report: WebhookReport): string {
  const { url, outcome, error, duration_ms, probes } = report;
  const isUnreachable = outcome === "unreachable";
  const count = (tag: string): number => probes.filter((row) => tagOf(row) === tag).length;
  const suite = {
    name: `check-webhook ${url}`,
    tests: probes.length,
    failures: count("failure"),
    errors: isUnreachable ? 1 : 0,
    skipped: isUnreachable ? probes.length - 1 : count("skipped"),
    time: seconds(duration_ms),
    timestamp: report.started_at,
  };
  const unreached = (index: number): string =>
    index === 0 ? element("error", { message: `cannot be reached: ${error}` }) : element("skipped", {});
  const cases = probes.map((row, index) => testcase(row, isUnreachable ? unreached(index) : resultOf(row)));
  return junitFile({}, block("testsuite", suite, cases));
}

function testcase(row: ProbeRow, result: string): string {
  const time = row.answers.reduce((sum, answer) => sum + answer.duration_ms, 0);
  return element("testcase", { classname: "check-webhook", name: row.title, time: seconds(time) }, result);
}

function tagOf({ verdict, because, answers, seen }: ProbeRow): "failure" | "skipped" | "none" {
  if (verdict === "fail") return "failure";
  return because !== null || (answers.length === 0 && seen === null) ? "skipped" : "none";
}

function resultOf(row: ProbeRow): string {
  const lines = [`sent: ${row.sent}`, `expected: ${row.expected}`, `response: ${row.came_back}`];
  if (row.advice !== null) lines.push(`advice: ${row.advice}`);
  const text = xmlText(lines.join("\n"));
  switch (tagOf(row)) {
    case "failure":
      return element("failure", { type: row.fault ?? "", message: row.came_back }, text);
    case "skipped":
      return element("skipped", { message: row.because === null ? row.came_back : `see ${row.because}` });
    case "none":
      return element("system-out", {}, text);
  }
}
