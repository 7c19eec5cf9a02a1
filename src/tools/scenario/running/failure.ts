import type { Mismatch } from "../../../core/domain/deep-match.js";
import { UserError } from "../../../core/schema/user-error.js";

/** Expected and actual value of a field. */
export interface Difference {
  /** Dotted path; empty for the whole value. */
  readonly path: string;
  /** The expected value, or a matcher such as `{ gte: 1 }`. */
  readonly expected: unknown;
  /** Absent if nothing is at that path. */
  readonly got?: unknown;
  /** Why the values cannot be compared. */
  readonly why?: string;
}

/** A record that nearly matches. */
export interface NearMiss {
  /** Kind and id of the record. */
  readonly id: string;
  /** Fields of the record that differ from the expectation. */
  readonly difference: readonly Difference[];
}

/** Why a step failed, for people and programs. */
export interface Failure {
  /** One line. */
  readonly message: string;
  /** The expectation of the step. */
  readonly expected?: unknown;
  /** The actual value. */
  readonly got?: unknown;
  /** Fields that differ from the expectation. */
  readonly difference?: readonly Difference[];
  /** Line of the expectation in the file, from 1; absent if the expectation is the whole step. */
  readonly line?: number;
  /** Explains why some matching records do not count for the expectation. */
  readonly note?: string;
  /** Descriptions of API calls that a fault affected. Each description names the fault. */
  readonly made_by?: readonly string[];
  /** The records that match most closely. */
  readonly nearest?: readonly NearMiss[];
}

/** Thrown by a step whose expectation is not met. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";

  /** @param at dotted path of the expectation in the step */
  constructor(
    readonly failure: Failure,
    readonly at?: string,
  ) {
    super(failure.message);
  }
}

/** Thrown if the run cannot continue, for example without a sandbox or an app. */
export class CannotRunError extends UserError {}

export function errorMessage(caught: unknown): string {
  return caught instanceof Error ? caught.message : String(caught);
}

export function toDifferences(mismatches: readonly Mismatch[]): Difference[] {
  return mismatches.map(({ path, expected, actual, why }) => ({
    path,
    expected,
    ...(actual === undefined ? {} : { got: actual }),
    ...(why === undefined ? {} : { why }),
  }));
}
