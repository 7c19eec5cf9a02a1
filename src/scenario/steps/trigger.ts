import type { StepOf } from "../../schema/steps.js";
import type { Executor } from "./context.js";

/** `trigger`: an event that nothing has caused. */
export const trigger: Executor<StepOf<"trigger">> = (step, { client }) =>
  client.must("POST", "/events", step.trigger);
