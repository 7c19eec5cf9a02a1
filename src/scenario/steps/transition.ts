import type { StepOf } from "../../schema/steps.js";
import { checkAnswer } from "./answers.js";
import type { Executor } from "./context.js";

/** `transition`: what a person at the control API does. */
export const transition: Executor<StepOf<"transition">> = async (step, { client }) => {
  const { charge_id, withdrawal_id, to, reason, expect } = step.transition;
  const id = charge_id ?? withdrawal_id!;
  const answer = await client.control(
    "POST",
    `/${charge_id === undefined ? "withdrawals" : "charges"}/${encodeURIComponent(id)}/transition`,
    { to, ...(reason === undefined ? {} : { reason }) },
  );
  checkAnswer(step.expect ?? expect, answer);
  return answer.body;
};
