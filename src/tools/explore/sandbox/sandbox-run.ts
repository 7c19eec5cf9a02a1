import type { LoadedScenario } from "../../scenario/files.js";
import type { LoadedStep } from "../../scenario/loaded-steps.js";
import { leafSteps } from "../../scenario/running/run-report.js";
import type { SessionRun } from "../../scenario/running/run-session.js";
import type { StepKind } from "../../scenario/steps/step-kinds.js";
import type { ObservedRun, RunFailure, StepRole } from "../deviable.js";
import type { CheckedRun } from "./end-check.js";
import { failureOf } from "./run-failure.js";

/** A run that the sandbox carried out, and that can go on. */
export interface SandboxRun extends CheckedRun {
  readonly loaded: LoadedScenario;
  /** Carries out more steps of the run, and describes the first that fails. */
  readonly resume: (
    steps: readonly LoadedStep[],
    roles: readonly StepRole[],
  ) => Promise<RunFailure | undefined>;
  /** Wall time of the longest `wait_for` step of the flow. */
  readonly waitedMs: number;
  /** Wall time of the longest step of the flow that calls the app. */
  readonly responseMs: number;
}

interface CarriedOut {
  readonly loaded: LoadedScenario;
  readonly observed: ObservedRun;
  readonly report: SessionRun;
  readonly roles: readonly StepRole[];
}

export function sandboxRunOf({ loaded, observed, report, roles }: CarriedOut): SandboxRun {
  const hasReachedApp = leafSteps(report.steps).some(
    ({ step: { kind, outcome } }) => kind === "app" && outcome === "passed",
  );
  const longestMs = (kind: StepKind) => {
    const driving = report.steps.filter((step, at) => step.kind === kind && roles[at] === "drive");
    return Math.max(0, ...driving.map(({ duration_ms }) => duration_ms));
  };
  return {
    loaded,
    observed,
    trace: { observed, failure: failureOf(report, roles), hasReachedApp },
    resume: async (steps, itsRoles) => failureOf(await report.resume(steps), itsRoles),
    waitedMs: longestMs("wait_for"),
    responseMs: longestMs("app"),
  };
}
