import type * as z from "zod/mini";
import { runIdFromText } from "../../../core/domain/repeatable-run-id.js";
import type { Failure, runReportSchema } from "../../../core/schema/control-scenario-responses.js";
import type { DeepReadonly } from "../../../core/schema/records/record-fields.js";
import { generateSeed } from "../../../core/time/wall-clock.js";
import type { StepKind } from "../steps/step-kinds.js";

/** Result of a step or a run. `error` means that the step or run could not be carried out. */
export type Outcome = "passed" | "failed" | "error";

/** Report of a step. */
export interface StepReport {
  /** From 1. */
  readonly number: number;
  /** The step's name, or its action in a few words. */
  readonly title: string;
  /** The title before its variables are filled in, if it has some: the same in every run. */
  readonly text?: string;
  /** The step's action; `explore` for the deviations of a file that names a flow. */
  readonly kind: StepKind | "explore";
  /** Line in the file, from 1. */
  readonly line: number;
  /** `not_run` if an earlier step did not pass. */
  readonly outcome: Outcome | "not_run";
  /** Wall time in milliseconds. */
  readonly duration_ms: number;
  /** Why the step did not pass; absent if it passed or was not run. */
  readonly failure?: Failure;
  /** The step's file, if that is not the file being run. */
  readonly file?: string;
  /** Iteration or lane of the enclosing step. */
  readonly part?: string;
  /** Nested steps. For a repeated list, only the steps of the iteration that did not pass. */
  readonly steps?: readonly StepReport[];
}

/** Report of the run of a scenario file. */
export type RunReport = Omit<DeepReadonly<z.infer<typeof runReportSchema>>, "steps"> & {
  readonly steps: readonly StepReport[];
};

/** A step without nested ones, with its number: `4.2` is the second step within the fourth. */
export interface LeafStep {
  readonly step: StepReport;
  readonly number: string;
}

/** Lists the steps without nested ones. */
export function leafSteps(steps: readonly StepReport[], before = ""): LeafStep[] {
  return steps.flatMap((step) => {
    const number = `${before}${step.number}`;
    return step.steps === undefined ? [{ step, number }] : leafSteps(step.steps, `${number}.`);
  });
}

/** Returns a random run id, because the sandbox may remember the ids of earlier runs. */
export function generateRunId(): string {
  return runIdFromText(generateSeed());
}
