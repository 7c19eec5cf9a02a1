import type { ProbeRow, WebhookReport } from "./report.js";

/** The report as JUnit XML, for the test views of CI: a case each probe, skipped where it could not tell. */
export function junitReport(report: WebhookReport): string {
  const { url, outcome, error, duration_ms, probes } = report;
  const count = (tag: string): number => probes.filter((row) => tagOf(row) === tag).length;
  const suite = attributes({
    name: `check-webhook ${url}`,
    tests: probes.length,
    failures: count("failure"),
    errors: outcome === "unreachable" ? 1 : 0,
    skipped: outcome === "unreachable" ? probes.length - 1 : count("skipped"),
    time: seconds(duration_ms),
    timestamp: report.started_at,
  });
  const cases = probes.map((row, index) =>
    outcome === "unreachable" && index === 0
      ? testcase(row, `<error ${attributes({ message: `cannot be reached: ${error}` })}/>`)
      : testcase(row, outcome === "unreachable" ? "<skipped/>" : resultOf(row)),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite ${suite}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testcase(row: ProbeRow, result: string): string {
  const time = row.answers.reduce((sum, answer) => sum + answer.duration_ms, 0);
  const head = attributes({ classname: "check-webhook", name: row.title, time: seconds(time) });
  return `    <testcase ${head}>${result}</testcase>`;
}

function tagOf({ verdict, because, answers }: ProbeRow): "failure" | "skipped" | "none" {
  if (verdict === "fail") return "failure";
  return because !== null || answers.length === 0 ? "skipped" : "none";
}

function resultOf(row: ProbeRow): string {
  const lines = [`sent: ${row.sent}`, `expected: ${row.expected}`, `came back: ${row.came_back}`];
  if (row.advice !== null) lines.push(`advice: ${row.advice}`);
  const text = escaped(lines.join("\n"));
  switch (tagOf(row)) {
    case "failure":
      return `<failure ${attributes({ type: row.fault ?? "", message: row.came_back })}>${text}</failure>`;
    case "skipped":
      return `<skipped ${attributes({ message: row.because === null ? row.came_back : `see ${row.because}` })}/>`;
    case "none":
      return `<system-out>${text}</system-out>`;
  }
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(" ");
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

/** XML has no way to write most control characters, not even escaped. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
