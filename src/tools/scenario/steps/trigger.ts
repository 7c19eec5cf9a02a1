import { triggeredEventSchema } from "../../../core/schema/control-log-responses.js";
import { triggerRequestSchema } from "../../../core/schema/control-webhooks.js";
import { saveSchema } from "./parts.js";
import { step, stepSchema } from "./row.js";

export const trigger = step({
  description: "Emits an event that nothing has caused.",
  schema: stepSchema({ trigger: triggerRequestSchema, save: saveSchema }),
  result: () => triggeredEventSchema,
  run: ({ trigger }, { client }) => client.must("POST", "/events", trigger),
});
