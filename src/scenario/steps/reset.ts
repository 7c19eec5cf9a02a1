import type { StepOf } from "../../schema/steps.js";
import type { Executor } from "./context.js";

/** `reset`: the namespace goes back to its initial state, and the run's own rules are put in place again. */
export const reset: Executor<StepOf<"reset">> = async (step, { client, begin }) => {
  const body = step.reset === true || step.reset === null ? {} : step.reset;
  const answer = await client.must("POST", "/reset?wait=10s", body);
  await begin();
  return answer;
};
