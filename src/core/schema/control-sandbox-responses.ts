import * as z from "zod/mini";
import { timestampSchema } from "./common.js";
import { unboundedCountSchema } from "./control-log-responses.js";
import { field, recordShape } from "./descriptions.js";
import { keyFixtureSchema } from "./fixtures-file.js";
import { clockRecordSchema, keyRecordSchema } from "./records/namespace-records.js";
import { text } from "./records/record-fields.js";

/* Responses about the sandbox itself: health, clock, keys. */

export const healthSchema = recordShape("Health", "The server is ready.", {
  status: z.literal("ok"),
  version: text,
  pid: field(z.number(), "The process that serves the port."),
  started_at: field(timestampSchema, "When it started, in wall time."),
  storage: field(z.enum(["ok", "away"]), "`away` while the database does not answer."),
  owns: field(z.number(), "Number of namespaces that this process runs."),
});

export const clockSchema = recordShape("Clock", "Sandbox time and the clock's mode.", {
  mode: field(
    text.check(z.regex(/^(real|manual|\d+(\.\d+)?x)$/)),
    "`manual` is frozen, `real` runs with wall time, `60x` sixty times as fast.",
    { examples: ["60x"] },
  ),
  speed: field(clockRecordSchema.shape.speed, "Sandbox time per wall time; 1 unless it runs faster."),
  now: timestampSchema,
  next_due: field(z.nullable(timestampSchema), "When the next task is due; null if there is none."),
  advancing: z.boolean(),
  progress: field(
    z.optional(
      recordShape("AdvanceUnderWay", "How far an advance is.", {
        done: field(unboundedCountSchema, "Tasks that have run."),
        due: field(unboundedCountSchema, "Those and the ones still to run; more may be planned on the way."),
      }),
    ),
    "While an advance is under way.",
  ),
});

export const keySchema = recordShape("Key", "An API key. A `revoked` key gets 401.", {
  ...keyFixtureSchema.shape,
  status: keyRecordSchema.shape.status,
});
const countsSchema = recordShape("Counts", "The number of records of each kind.", {
  charges: unboundedCountSchema,
  quotes: unboundedCountSchema,
  withdrawals: unboundedCountSchema,
  events: unboundedCountSchema,
  deliveries: unboundedCountSchema,
  webhook_endpoints: unboundedCountSchema,
  scenarios: unboundedCountSchema,
  tasks: unboundedCountSchema,
});
export const namespaceKeyFields = {
  api_key: field(text, "Its key of test mode."),
  live_api_key: field(text, "Its key of live mode."),
  webhook_secret: text,
  seed: field(text, "The seed of its IDs and random outcomes."),
  clock: clockSchema,
};
export const sandboxSchema = recordShape("Sandbox", "The server and the namespace.", {
  version: text,
  namespace: text,
  keys: z.array(keySchema),
  ...namespaceKeyFields,
  counts: countsSchema,
});
