import type { StepKind } from "../steps/kinds.js";
import type { Failure } from "./failure.js";

/** How a step or a whole run came out; `error` when it could not be run. */
export type Outcome = "passed" | "failed" | "error";

/** How a step came out. */
export interface StepReport {
  /** From 1. */
  readonly number: number;
  /** The step's own name, or what it does in a few words. */
  readonly title: string;
  /** The word for its action. */
  readonly kind: StepKind;
  /** Where it stands in the file, from 1. */
  readonly line: number;
  /** `not_run` when one before it did not pass. */
  readonly outcome: Outcome | "not_run";
  /** Wall time. */
  readonly duration_ms: number;
  /** Why it did not pass; absent where it did, or was not run. */
  readonly failure?: Failure;
  /** The file it is in, if that is not the file being run. */
  readonly file?: string;
  /** Which repetition or lane of the enclosing step this was. */
  readonly part?: string;
  /** The steps within it; of one that is repeated only those of the turn that did not pass. */
  readonly steps?: readonly StepReport[];
}

/** Where a rule, or a step that adds a fault, is in the file. */
export interface RulePlace {
  /** As `never_happened` names it. */
  readonly rule: string;
  /** From 1. */
  readonly line: number;
  /** The file it is in, if that is not the file being run. */
  readonly file?: string;
}

/** How the run of a scenario file came out. */
export interface RunReport {
  /** As it was given. */
  readonly file: string;
  /** The scenario's name. */
  readonly name: string;
  /** `error` when it could not be carried out to its end. */
  readonly outcome: Outcome;
  /** Whether every step passed. */
  readonly passed: boolean;
  /** What `${run.id}` stood for. */
  readonly run_id: string;
  /** The namespace it made for itself, because another run had the one meant; absent where it was in that. */
  readonly namespace?: string;
  /** Wall time. */
  readonly duration_ms: number;
  /** Every step of the file, in order, those within steps with the step around them. */
  readonly steps: readonly StepReport[];
  /** Rule of the file, such as `webhooks.0`, or fault that a step has set → how often it has been applied. */
  readonly applied: Readonly<Record<string, number>>;
  /** The rules and faults that never applied: what they stand for has not been tested. */
  readonly never_happened: readonly string[];
  /** Where those stand. */
  readonly never_happened_at: readonly RulePlace[];
  /** Why it could not be run, if that is not due to a step. */
  readonly error?: string;
  /** What could not be restored afterwards; with `run --json`, the warnings about the file too. */
  readonly warnings: readonly string[];
}

/** A step that has none within it, with the numbers that lead to it: `4.2` is the second within the fourth. */
export interface Leaf {
  readonly step: StepReport;
  readonly number: string;
}

/** Each step that did something itself. */
export function leaves(steps: readonly StepReport[], before = ""): Leaf[] {
  return steps.flatMap((step) => {
    const number = `${before}${step.number}`;
    return step.steps === undefined ? [{ step, number }] : leaves(step.steps, `${number}.`);
  });
}
