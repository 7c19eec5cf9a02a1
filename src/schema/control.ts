import * as z from "zod/mini";
import { chargeStatusSchema } from "./common.js";
import { durationSchema } from "./duration.js";
import { clockOptionSchema } from "./options.js";
import { parseInstant } from "./time.js";

/** What the control API is asked (contract section 7). Unknown fields are faults here: a slip would go unseen. */
export const instantSchema = z
  .string()
  .check(
    z.refine(
      (text) => parseInstant(text) !== undefined,
      "must be an ISO 8601 instant such as 2026-01-31T09:00:00.000Z",
    ),
  );

function given(body: object): number {
  return Object.values(body).filter((value) => value !== undefined).length;
}

export const advanceRequestSchema = z
  .strictObject({
    by: z.optional(durationSchema),
    to: z.optional(instantSchema),
    until: z.optional(z.enum(["next", "idle"])),
  })
  .check(z.refine((body) => given(body) === 1, "needs exactly one of by, to and until"));

export const clockRequestSchema = z
  .strictObject({
    mode: z.optional(clockOptionSchema),
    speed: z.optional(z.number().check(z.positive(), z.lte(1_000_000))),
    now: z.optional(instantSchema),
  })
  .check(z.refine((body) => given(body) > 0, "needs at least one of mode, speed and now"));

export const resetRequestSchema = z.strictObject({
  keep: z.optional(z.array(z.enum(["webhooks", "keys", "scenarios"]))),
  ids: z.optional(z.enum(["repeat"])),
});

export const transitionRequestSchema = z.strictObject({
  to: chargeStatusSchema,
  reason: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
});

export const waitQuerySchema = z.object({ wait: z.optional(durationSchema) });
