import {
  type Leaf,
  leaves,
  type RulePlace,
  type RunReport,
  type StepReport,
} from "../../scenario/running/report.js";
import { block, element, junitFile, seconds, xmlText } from "../../schema/xml.js";
import { plain } from "../paint.js";
import { failureLines, failurePlace } from "./run-text.js";

/**
 * The report as JUnit XML: a suite a file, a case a step. What was not run, and rules that never applied, count as
 * skipped; strictly, such rules as failed.
 */
export function junitXml(reports: readonly RunReport[], isStrict = false): string {
  const total = reports.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  return junitFile(
    { name: "payments-sandbox", ...counts(reports, isStrict), time: seconds(total) },
    reports.flatMap((report) => suiteLines(report, isStrict)),
  );
}

function suiteLines(report: RunReport, isStrict: boolean): string[] {
  const { name, file, steps, error, duration_ms } = report;
  const count = counts([report], isStrict);
  return block("testsuite", { name, ...count, time: seconds(duration_ms), file }, [
    // A run that did not come to its steps has nothing else to show it by.
    ...(error === undefined
      ? []
      : block("testcase", { name: "run", classname: name, time: "0.000", file }, [
          element("error", { message: error, type: "CannotRun" }),
        ])),
    ...leaves(steps).flatMap((leaf) => caseLines(report, leaf)),
    ...report.never_happened_at.flatMap((place) => neverLines(report, place, isStrict)),
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

/** A rule that never applied is no test that passed. */
function neverLines(
  { name, file: runFile }: RunReport,
  { rule, file = runFile, line }: RulePlace,
  isStrict: boolean,
): string[] {
  return block("testcase", { name: rule, classname: name, time: "0.000", file, line }, [
    isStrict
      ? element("failure", { message: "never applied", type: "NeverHappened" })
      : element("skipped", { message: "never applied" }),
  ]);
}

function counts(reports: readonly RunReport[], isStrict: boolean) {
  const steps = reports.flatMap((report) => leaves(report.steps));
  const of = (outcome: StepReport["outcome"]) => steps.filter(({ step }) => step.outcome === outcome).length;
  const broken = reports.filter(({ error }) => error !== undefined).length;
  const never = reports.flatMap(({ never_happened }) => never_happened).length;
  return {
    tests: steps.length + broken + never,
    failures: of("failed") + (isStrict ? never : 0),
    errors: of("error") + broken,
    skipped: of("not_run") + (isStrict ? 0 : never),
  };
}
