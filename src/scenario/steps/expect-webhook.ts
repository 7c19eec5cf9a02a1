import type { StepOf } from "../../schema/steps.js";
import type { Executor } from "./context.js";
import { idOf } from "./lists.js";
import { findCounted } from "./matching.js";
import { settle } from "./settle.js";

/** `expect_webhook`: events emitted since the run began, whether or not anybody heard them. */
export const expectWebhook: Executor<StepOf<"expect_webhook">> = async (step, context) => {
  const { count, ...expected } = step.expect_webhook;
  await settle(context);
  return findCounted({
    what: "event",
    expected,
    count,
    rows: await context.baseline.since("events"),
    idOf: (row) => `${String(row.type)} ${idOf("events", row)}`,
  });
};
