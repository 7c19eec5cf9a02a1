import * as z from "zod";
import { chargeStatusSchema } from "./common.js";
import { durationSchema } from "./duration.js";
import { clockOptionSchema } from "./options.js";
import { parseInstant } from "./time.js";

/** What the control API is asked (contract section 7). Unknown fields are faults here: a slip would go unseen. */
const instantSchema = z
  .string()
  .refine(
    (text) => parseInstant(text) !== undefined,
    "must be an ISO 8601 instant such as 2026-01-31T09:00:00.000Z",
  );

export const advanceRequestSchema = z
  .strictObject({
    by: durationSchema.optional(),
    to: instantSchema.optional(),
    until: z.enum(["next", "idle"]).optional(),
  })
  .refine((body) => Object.values(body).filter((value) => value !== undefined).length === 1, {
    error: "needs exactly one of by, to and until",
  });

export const clockRequestSchema = z
  .strictObject({
    mode: clockOptionSchema.optional(),
    speed: z.number().positive().max(1_000_000).optional(),
    now: instantSchema.optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    error: "needs at least one of mode, speed and now",
  });

export const resetRequestSchema = z.strictObject({
  keep: z.array(z.enum(["webhooks", "keys", "scenarios"])).optional(),
  ids: z.enum(["repeat"]).optional(),
});

export const transitionRequestSchema = z.strictObject({
  to: chargeStatusSchema,
  reason: z.string().min(1).max(500).optional(),
});

export const waitQuerySchema = z.object({ wait: durationSchema.optional() });
