import type { StepOf } from "../../schema/steps.js";
import type { Executor } from "./context.js";

/** `fault`: from here on something goes wrong at the API, until the run is over or the step `fault: clear`. */
export const fault: Executor<StepOf<"fault">> = async (step, { client, leftovers }) => {
  if (step.fault === "clear") {
    await leftovers.clear((what) => what.startsWith("fault "));
    return null;
  }
  const set = (await client.must("POST", "/faults", step.fault)) as { fault_id: string };
  leftovers.add(`fault ${set.fault_id}`, () => client.undo("DELETE", `/faults/${set.fault_id}`));
  return set;
};
