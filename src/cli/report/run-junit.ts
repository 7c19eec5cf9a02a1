import { type Leaf, leaves, type RunReport, type StepReport } from "../../scenario/running/report.js";
import { block, element, junitFile, seconds, xmlText } from "../../schema/xml.js";
import { plain } from "../paint.js";
import { failureLines, failurePlace } from "./run-text.js";

/** The report as JUnit XML: a suite a file, a case a step; what was not run counts as skipped. */
export function junitXml(reports: readonly RunReport[]): string {
  const all = reports.flatMap(({ steps }) => leaves(steps));
  const total = reports.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const errors = reports.filter(({ error }) => error !== undefined).length;
  return junitFile(
    { name: "payments-sandbox", ...counts(all, errors), time: seconds(total) },
    reports.flatMap(suiteLines),
  );
}

function suiteLines(report: RunReport): string[] {
  const { name, file, error, duration_ms } = report;
  const steps = leaves(report.steps);
  const count = counts(steps, error === undefined ? 0 : 1);
  return block("testsuite", { name, ...count, time: seconds(duration_ms), file }, [
    // A run that did not come to its steps has nothing else to show it by.
    ...(error === undefined
      ? []
      : block("testcase", { name: "run", classname: name, time: "0.000", file }, [
          element("error", { message: error, type: "CannotRun" }),
        ])),
    ...steps.flatMap((leaf) => caseLines(report, leaf)),
  ]);
}

function caseLines({ name, file: runFile }: RunReport, { step, number }: Leaf): string[] {
  const { title, part, file = runFile, duration_ms, outcome, failure } = step;
  const is = {
    name: `${number}. ${part === undefined ? "" : `${part}: `}${title}`,
    classname: name,
    time: seconds(duration_ms),
    file,
    line: failure?.line ?? step.line,
  };
  if (outcome === "passed") return [element("testcase", is)];
  if (outcome === "not_run") return block("testcase", is, [element("skipped", {})]);
  const text =
    failure === undefined ? "" : failureLines(failure, failurePlace(runFile, step), plain).join("\n");
  const [tag, type] = outcome === "failed" ? ["failure", "StepFailure"] : ["error", "CannotRun"];
  return block("testcase", is, [
    element(tag!, { message: failure?.message ?? "", type: type! }, xmlText(text)),
  ]);
}

function counts(steps: readonly Leaf[], runErrors: number) {
  const of = (outcome: StepReport["outcome"]) => steps.filter(({ step }) => step.outcome === outcome).length;
  return {
    tests: steps.length + runErrors,
    failures: of("failed"),
    errors: of("error") + runErrors,
    skipped: of("not_run"),
  };
}
