import type { RawStep } from "../../scenario/loaded-steps.js";
import type { StepRole } from "../deviable.js";

/** A step of a run, with its purpose. */
export interface Placed {
  readonly step: RawStep;
  readonly role: StepRole;
}

/** Expects a response, whatever its status. */
export const ANY_RESPONSE = { status: { gte: 100 } };

/** Waits for a condition of the sandbox. A timeout is no failure. */
export function waitStep(condition: object, timeout: string): RawStep {
  return {
    request: "POST /_sandbox/wait",
    body: { ...condition, timeout },
    expect: { status: { lt: 500 } },
  };
}

export function withRole(role: StepRole, steps: readonly RawStep[]): Placed[] {
  return steps.map((step) => ({ step, role }));
}
