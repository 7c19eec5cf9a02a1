import type { RunReport, StepReport } from "../../scenario/running/report.js";
import { block, element, junitFile, seconds, xmlText } from "../../schema/xml.js";
import { plain } from "../paint.js";
import { failureLines } from "./run-text.js";

/** The report as JUnit XML: a suite a file, a case a step; what was not run counts as skipped. */
export function junitXml(reports: readonly RunReport[]): string {
  const all = reports.flatMap(({ steps }) => steps);
  const total = reports.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const errors = reports.filter(({ error }) => error !== undefined).length;
  return junitFile(
    { name: "payments-sandbox", ...counts(all, errors), time: seconds(total) },
    reports.flatMap(suiteLines),
  );
}

function suiteLines(report: RunReport): string[] {
  const { name, file, steps, error, duration_ms } = report;
  const count = counts(steps, error === undefined ? 0 : 1);
  return block("testsuite", { name, ...count, time: seconds(duration_ms), file }, [
    // A run that did not come to its steps has nothing else to show it by.
    ...(error === undefined
      ? []
      : block("testcase", { name: "run", classname: name, time: "0.000", file }, [
          element("error", { message: error, type: "CannotRun" }),
        ])),
    ...steps.flatMap((step) => caseLines(report, step)),
  ]);
}

function caseLines({ name, file }: RunReport, step: StepReport): string[] {
  const { title, number, line, duration_ms, outcome, failure } = step;
  const is = { name: `${number}. ${title}`, classname: name, time: seconds(duration_ms), file, line };
  if (outcome === "passed") return [element("testcase", is)];
  if (outcome === "not_run") return block("testcase", is, [element("skipped", {})]);
  const text = failure === undefined ? "" : failureLines(failure, `${file}:${line}`, plain).join("\n");
  const [tag, type] = outcome === "failed" ? ["failure", "StepFailure"] : ["error", "CannotRun"];
  return block("testcase", is, [
    element(tag!, { message: failure?.message ?? "", type: type! }, xmlText(text)),
  ]);
}

function counts(steps: readonly StepReport[], runErrors: number) {
  const of = (outcome: StepReport["outcome"]) => steps.filter((step) => step.outcome === outcome).length;
  return {
    tests: steps.length + runErrors,
    failures: of("failed"),
    errors: of("error") + runErrors,
    skipped: of("not_run"),
  };
}
