import type { RawStep } from "../../scenario/loaded-steps.js";
import type { StepRole } from "../deviable.js";

/** A step of a run, with its purpose. */
export interface Placed {
  readonly step: RawStep;
  readonly role: StepRole;
}

export function withRole(role: StepRole, steps: readonly RawStep[]): Placed[] {
  return steps.map((step) => ({ step, role }));
}
