import { runIdFromText } from "../../../core/domain/repeatable-run-id.js";
import { generateSeed } from "../../../core/time/wall-clock.js";
import type { StepKind } from "../steps/step-kinds.js";
import type { Failure } from "./failure.js";

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
  /** The step's action. */
  readonly kind: StepKind;
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

/** Where a file has a rule, or a step that sets a fault. */
export interface RulePlace {
  /** Name in `never_happened`. */
  readonly rule: string;
  /** From 1. */
  readonly line: number;
  /** The rule's file, if that is not the file being run. */
  readonly file?: string;
}

/** Report of the run of a scenario file. */
export interface RunReport {
  /** Path as passed by the caller. */
  readonly file: string;
  /** The scenario's name. */
  readonly name: string;
  /** `error` if the run could not be carried out to its end. */
  readonly outcome: Outcome;
  /** True if every step passed. */
  readonly passed: boolean;
  /** Value of `${run.id}`. */
  readonly run_id: string;
  /** Name of the namespace that was created because another run held the requested namespace. */
  readonly namespace?: string;
  /** Wall time in milliseconds. */
  readonly duration_ms: number;
  /** The steps of the file in order, with nested steps. */
  readonly steps: readonly StepReport[];
  /** Rule of the file, such as `webhooks.0`, or fault set by a step → number of times it applied. */
  readonly applied: Readonly<Record<string, number>>;
  /** Rules and faults that never applied, so the run did not test their effects. */
  readonly never_happened: readonly string[];
  /** Lines of the rules and faults in `never_happened`. */
  readonly never_happened_at: readonly RulePlace[];
  /** Reasons why a passed run proves little, such as no step with a check or no receiver that accepted a webhook. */
  readonly blind_spots: readonly string[];
  /** Error outside the steps. The run ended early because of the error. */
  readonly error?: string;
  /** Messages about changes that could not be undone. `run --json` adds warnings about the file. */
  readonly warnings: readonly string[];
}

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
