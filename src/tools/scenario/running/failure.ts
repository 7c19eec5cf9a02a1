import type { Mismatch } from "../../../core/domain/deep-match.js";
import { UserError } from "../../../core/schema/user-error.js";

/** What was expected of a field and what it is. */
export interface Difference {
  /** Dotted path; empty for the whole. */
  readonly path: string;
  /** The value, or what it has to match. */
  readonly expected: unknown;
  /** Absent when there is nothing at that path. */
  readonly got?: unknown;
  /** Why the two cannot be compared at all. */
  readonly why?: string;
}

/** A record that nearly matches. */
export interface NearMiss {
  /** How it is called: its kind and its id. */
  readonly id: string;
  /** Where it is not as expected. */
  readonly difference: readonly Difference[];
}

/** Why a step failed, for people and programs. */
export interface Failure {
  /** In a line. */
  readonly message: string;
  /** What the step asked for. */
  readonly expected?: unknown;
  /** What there was in its place. */
  readonly got?: unknown;
  /** Where the two differ. */
  readonly difference?: readonly Difference[];
  /** Where in the file it says what is not so, from 1; absent where that is the step as a whole. */
  readonly line?: number;
  /** What else there is, and why it does not count. */
  readonly note?: string;
  /** Answers that no service gave: calls of the step, or of the app meanwhile, and the fault that made each. */
  readonly made_by?: readonly string[];
  /** The records that match most closely. */
  readonly nearest?: readonly NearMiss[];
}

/** Thrown by a step that did not come out as expected: the run has failed. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";

  /** @param at the field of the step, by its dotted path, that says what differs */
  constructor(
    readonly failure: Failure,
    readonly at?: string,
  ) {
    super(failure.message);
  }
}

/** Thrown when the run cannot go on, whatever the steps say: the sandbox is gone, there is no app. */
export class CannotRun extends UserError {}

export function differences(mismatches: readonly Mismatch[]): Difference[] {
  return mismatches.map(({ path, expected, actual, why }) => ({
    path,
    expected,
    ...(actual === undefined ? {} : { got: actual }),
    ...(why === undefined ? {} : { why }),
  }));
}
