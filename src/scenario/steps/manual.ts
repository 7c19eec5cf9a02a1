import type { StepOf } from "../../schema/steps.js";
import type { Executor } from "./context.js";

/** `manual`: a person, or whatever drives the app, does it. */
export const manual: Executor<StepOf<"manual">> = async (step, context) => {
  await context.manual(step.manual);
  return null;
};
