import { triggerRequestSchema } from "../../../core/schema/control-log-requests.js";
import { triggeredEventSchema } from "../../../core/schema/control-log-responses.js";
import { defineStep, stepSchema } from "./step-definition.js";
import { saveSchema } from "./step-schemas.js";

export const trigger = defineStep(["ignores_start"], {
  description:
    "Emits an event that nothing has caused, about a charge or a sample of one, with `data` on top. `force: true` sends a type of your own.",
  schema: stepSchema({ trigger: triggerRequestSchema, save: saveSchema }),
  result: () => triggeredEventSchema,
  run: ({ trigger }, { client }) => client.callOrFail("POST", "/events", trigger),
});
