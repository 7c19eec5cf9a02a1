import { parseDuration } from "../../schema/duration.js";
import type { StepOf } from "../../schema/steps.js";
import type { Executor } from "./context.js";

/** `advance`: time leaps, and everything that falls due on the way has happened. */
export const advance: Executor<StepOf<"advance">> = async ({ advance: target }, { client }) => {
  const body =
    target === "next" || target === "idle"
      ? { until: target }
      : parseDuration(target) !== undefined
        ? { by: target }
        : { to: target };
  return client.must("POST", "/clock/advance?wait=10s", body);
};
