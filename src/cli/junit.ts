import type { RunReport, StepReport } from "../scenario/steps/report.js";
import { failureLines } from "./report.js";

/** The report as JUnit XML: a suite a file, a case a step; what was not run counts as skipped. */
export function junitXml(reports: readonly RunReport[]): string {
  const all = reports.flatMap(({ steps }) => steps);
  const total = reports.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const errors = reports.filter(({ error }) => error !== undefined).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: "payments-sandbox", ...counts(all, errors), time: seconds(total) })}>`,
    ...reports.flatMap(suiteLines),
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteLines(report: RunReport): string[] {
  const { name, file, steps, error, duration_ms } = report;
  const count = counts(steps, error === undefined ? 0 : 1);
  return [
    `  <testsuite ${attributes({ name, ...count, time: seconds(duration_ms), file })}>`,
    // A run that did not come to its steps has nothing else to show it by.
    ...(error === undefined
      ? []
      : [
          `    <testcase ${attributes({ name: "run", classname: name, time: "0.000", file })}>`,
          `      <error ${attributes({ message: error, type: "CannotRun" })}/>`,
          "    </testcase>",
        ]),
    ...steps.flatMap((step) => caseLines(report, step)),
    "  </testsuite>",
  ];
}

function caseLines({ name, file }: RunReport, step: StepReport): string[] {
  const { title, number, line, duration_ms, outcome, failure } = step;
  const open = `    <testcase ${attributes({
    name: `${number}. ${title}`,
    classname: name,
    time: seconds(duration_ms),
    file,
    line: String(line),
  })}`;
  if (outcome === "passed") return [`${open}/>`];
  if (outcome === "not_run") return [`${open}>`, "      <skipped/>", "    </testcase>"];
  const tag = outcome === "failed" ? "failure" : "error";
  const message = failure?.message ?? "";
  const text =
    failure === undefined
      ? ""
      : failureLines(failure, `${file}:${line}`, (_style, plain) => plain).join("\n");
  return [
    `${open}>`,
    `      <${tag} ${attributes({ message, type: outcome === "failed" ? "StepFailure" : "CannotRun" })}>${escaped(text)}</${tag}>`,
    "    </testcase>",
  ];
}

function counts(steps: readonly StepReport[], runErrors: number) {
  const of = (outcome: StepReport["outcome"]) => steps.filter((step) => step.outcome === outcome).length;
  return {
    tests: String(steps.length + runErrors),
    failures: String(of("failed")),
    errors: String(of("error") + runErrors),
    skipped: String(of("not_run")),
  };
}

function seconds(durationMs: number): string {
  return (durationMs / 1_000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        `${name}="${escaped(value).replace(/[\t\n\r]/g, (space) => `&#${space.charCodeAt(0)};`)}"`,
    )
    .join(" ");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text for XML 1.0; what may not stand in it in any form is shown by a replacement character. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}
