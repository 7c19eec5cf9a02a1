import type { DocumentFault } from "../../core/files/documents.js";
import { requestTrouble } from "../../core/reports/request-text.js";
import type { Difference, Failure } from "../../core/schema/control-scenario-responses.js";
import { formatCount } from "../../core/schema/text-format.js";
import { leafSteps, type RunReport, type StepReport } from "../../tools/scenario/running/run-report.js";
import type { Report, ReportCase } from "./report.js";

/** With `isStrict`, unused rules and blind spots are failures. `fault` is why the file could not be read. */
export function reportOfRun(
  run: RunReport,
  isStrict = false,
  charges: readonly string[] = [],
  fault: Pick<DocumentFault, "file" | "line"> = { file: run.file, line: 1 },
): Report {
  const { name, file, outcome, error, duration_ms, namespace, never_happened_at, blind_spots, warnings } =
    run;
  const whole = {
    name: "run",
    title: "could not run",
    outcome: "error",
    type: "CannotRun",
    source: [fault.file, fault.line],
  } as const;
  return {
    name,
    group: name,
    verdict:
      isStrict && outcome === "passed" && never_happened_at.length + blind_spots.length > 0
        ? "failed"
        : outcome,
    heading: `${name}  ${file}`,
    file,
    durationMs: duration_ms,
    cases: [
      ...(error === undefined ? [] : [{ ...whole, message: error }]),
      ...run.steps.map((step) => stepCase(file, step)),
      ...never_happened_at.map(
        (rule): ReportCase => ({
          name: rule.rule,
          outcome: isStrict ? "failed" : "skipped",
          message: "never applied",
          type: "NeverHappened",
          place: [rule.file ?? file, rule.line],
        }),
      ),
      ...(isStrict ? blind_spots : []).map(
        (message): ReportCase => ({ name: "blind spot", outcome: "failed", message, type: "BlindSpot" }),
      ),
    ],
    notes: [
      ...charges,
      ...(namespace ? [`in its own namespace ${namespace}: another run is using the one requested`] : []),
      ...(isStrict ? [] : blind_spots),
      ...warnings.map((warning) => `warning: ${warning}`),
    ],
  };
}

function stepCase(runFile: string, step: StepReport, before = ""): ReportCase {
  const { part, outcome, duration_ms, failure, steps } = step;
  const number = `${before}${step.number}`;
  const inPart = (text: string) => (part === undefined ? text : `${part}: ${text}`);
  return {
    name: `${number}. ${inPart(step.text ?? step.title)}`,
    title: inPart(step.title),
    outcome: outcome === "not_run" ? "skipped" : outcome,
    column: outcome === "not_run" ? "not run" : `${duration_ms} ms`,
    type: outcome === "error" ? "CannotRun" : "StepFailure",
    place: [step.file ?? runFile, failure?.line ?? step.line],
    durationMs: duration_ms,
    // Omits the message of a step with nested steps, because the failed nested step has the message.
    ...(failure === undefined || steps !== undefined ? {} : { step: number, ...explanationOf(failure) }),
    cases: steps?.map((inner) => stepCase(runFile, inner, `${number}.`)),
  };
}

/** The first difference of the only record, or else the message; then only the other fields that differ. */
function explanationOf(failure: Failure): Pick<ReportCase, "message" | "details"> {
  const { message, expected, got, difference = [], made_by = [], note, nearest = [] } = failure;
  const [first, ...others] = difference;
  const isCount = first?.path === "count";
  const hasFields =
    first !== undefined &&
    !/^(|count|spacing.*)$/.test(first.path) &&
    (nearest.length > 0 || first.got !== undefined || /^(body|headers)\b/.test(first.path));
  const isDecided = hasFields && nearest.length <= 1;
  const { body: response_body } = Object(got) as { readonly body?: unknown };
  const response =
    isDecided && first.path === "status" && response_body !== undefined
      ? requestTrouble({ status: first.got, fault: null, response_body })
      : undefined;
  const findings = difference.filter((one) => one.path === "" && typeof one.expected === "string");
  const details: [string, string | undefined][] = [
    ["expected", hasFields || isCount || expected === undefined ? undefined : jsonOf(expected)],
    ["got", hasFields || got === undefined ? undefined : jsonOf(got)],
    ["response", response],
    ...(isDecided ? others : findings).map((one): [string, string] => ["difference", differenceText(one)]),
    ...made_by.map((one): [string, string] => ["fault", one]),
    ["note", note],
    ...nearest.map(({ id, difference: own }): [string, string] =>
      isDecided ? ["found", id] : ["nearest", `${id}, ${own.map(differenceText).join("; ")}`],
    ),
  ];
  return {
    message: isDecided ? differenceText(first) : message,
    details: details.filter((one): one is [string, string] => one[1] !== undefined),
  };
}

/** `body.delivered: expected 1, got 2` */
function differenceText({ path, expected, got, why }: Difference): string {
  const because = why === undefined ? "" : ` (${why})`;
  if (path === "") return typeof expected === "string" ? expected : jsonOf(expected);
  if (Array.isArray(expected) && Array.isArray(got) && expected.length !== got.length)
    return `${path}: expected ${formatCount(expected.length, "element")}, got ${got.length}${because}`;
  return `${path}: expected ${jsonOf(expected)}, got ${got === undefined ? "nothing" : jsonOf(got)}${because}`;
}

const LONGEST = 1_000;

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The last line of `run`: how many scenarios and steps passed. */
export function summaryOfRuns(runs: readonly RunReport[], isStrict: boolean): string {
  const steps = runs.flatMap((run) => leafSteps(run.steps));
  const count = (...outcomes: readonly StepReport["outcome"][]) =>
    steps.filter(({ step }) => outcomes.includes(step.outcome)).length;
  const parts = [
    `${formatCount(count("passed"), "step")} passed`,
    `${count("failed", "error")} failed`,
    `${count("not_run")} not run`,
  ].filter((part, index) => index === 0 || !part.startsWith("0 "));
  const good = runs.filter((run) => reportOfRun(run, isStrict).verdict === "passed").length;
  return `${good} of ${formatCount(runs.length, "scenario")} passed  (${parts.join(", ")})`;
}
