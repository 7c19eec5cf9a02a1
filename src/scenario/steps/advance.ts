import * as z from "zod/mini";
import { parseDuration } from "../../schema/duration.js";
import { parseInstant } from "../../schema/time.js";
import { step, stepSchema } from "./row.js";

/** What time is moved by, to or until; undefined for what is none of them. */
function targetOf(text: string): object | undefined {
  if (text === "next" || text === "idle") return { until: text };
  if (parseDuration(text) !== undefined) return { by: text };
  return parseInstant(text) === undefined ? undefined : { to: text };
}

/** Everything that falls due on the way has happened. */
export const advance = step({
  says: "Moves sandbox time: a duration, an ISO instant, next or idle.",
  schema: stepSchema({
    advance: z
      .string()
      .check(
        z.refine(
          (text) => targetOf(text) !== undefined,
          "must be a duration such as 10m, an ISO instant, next or idle",
        ),
      ),
  }),
  run: ({ advance }, { client }) => client.must("POST", "/clock/advance?wait=10s", targetOf(advance)),
});
