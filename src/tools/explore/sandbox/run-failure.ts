import { isJsonObject } from "../../../core/schema/json-objects.js";
import { leafSteps, type StepReport } from "../../scenario/running/run-report.js";
import type { RunSummary } from "../../scenario/running/run-session.js";
import type { RunFailure, StepRole } from "../deviable.js";

/** Describes the first step that failed, with its role; undefined if the run passed. */
export function failureOf(report: RunSummary, roles: readonly StepRole[]): RunFailure | undefined {
  if (report.passed) return undefined;
  const hasFailed = ({ outcome }: StepReport) => outcome === "failed" || outcome === "error";
  const step = leafSteps(report.steps).find((leaf) => hasFailed(leaf.step))?.step;
  const { message, got, difference = [] } = step?.failure ?? {};
  const index = report.steps.findIndex(hasFailed);
  return {
    isIncomplete: step === undefined || report.outcome === "error",
    error: report.error,
    role: roles[index],
    ...(index === -1 ? {} : { index }),
    title: step?.title,
    message: message ?? (step === undefined ? "it could not be carried out" : ""),
    isCallToApp: step?.kind === "app",
    ending: endingOf(message ?? ""),
    body: isJsonObject(got) ? got.body : undefined,
    differences: difference,
  };
}

/** Recognizes the scenario runner's messages for calls without a response. */
function endingOf(message: string): RunFailure["ending"] {
  if (message.endsWith("nothing listens there")) return "unreachable";
  if (message.startsWith("no answer within")) return "timeout";
  return message.startsWith("the app did not respond") ? "broken" : undefined;
}

/** Returns true for a step that checks the end of a run, or prepares such checks. */
export function isCheck(role: StepRole | undefined): boolean {
  return role !== undefined && role !== "reset" && role !== "drive" && role !== "tail";
}
