import type { Mismatch } from "../../../core/domain/deep-match.js";
import type { Difference, Failure } from "../../../core/schema/control-scenario-responses.js";
import { UserError } from "../../../core/schema/user-error.js";

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

export function toDifferences(mismatches: readonly Mismatch[]): Difference[] {
  return mismatches.map(({ path, expected, actual, why }) => ({
    path,
    expected,
    ...(actual === undefined ? {} : { got: actual }),
    ...(why === undefined ? {} : { why }),
  }));
}
