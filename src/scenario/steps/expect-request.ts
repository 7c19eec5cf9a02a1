import type { StepOf } from "../../schema/steps.js";
import type { Executor } from "./context.js";
import { idOf } from "./lists.js";
import { findCounted } from "./matching.js";
import { settle } from "./settle.js";

/** `expect_request`: what the app has sent since the run began; the run's own requests are not the app's. */
export const expectRequest: Executor<StepOf<"expect_request">> = async (step, context) => {
  const { count, ...expected } = step.expect_request;
  await settle(context);
  const requests = await context.baseline.since("requests");
  return findCounted({
    what: "request",
    expected,
    count,
    rows: requests.filter((row) => row.runner === null || row.runner === undefined),
    idOf: (row) => `request ${idOf("requests", row)} ${String(row.method)} ${String(row.path)}`,
  });
};
