import * as z from "zod/mini";
import { faultRuleSchema } from "../../../core/schema/scenario-rules.js";
import { defineStep, stepSchema } from "./step-definition.js";
import { saveSchema } from "./step-schemas.js";

export const fault = defineStep(["ignores_start"], {
  description:
    "From here on API calls fail; `clear` ends all that this run has set, the file's faults and webhook rules too.",
  schema: stepSchema({ fault: z.union([z.literal("clear"), faultRuleSchema]), save: saveSchema }),
  run: async ({ fault }, { client, cleanup, ruleCounts, location, text, removeMishaps }) => {
    if (fault === "clear") {
      await ruleCounts.readCounts();
      await cleanup.clear((what) => what.startsWith("fault "));
      await removeMishaps();
      return null;
    }
    const set = (await client.callOrFail("POST", "/faults", fault)) as { fault_id: string };
    ruleCounts.watchFault(set.fault_id, text, location);
    cleanup.add(`fault ${set.fault_id}`, () => client.undo("DELETE", `/faults/${set.fault_id}`));
    return set;
  },
});
