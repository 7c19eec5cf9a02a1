import * as z from "zod/mini";
import { chargeStatusSchema, modeSchema, rateSchema, withdrawalStatusSchema } from "./common.js";
import { durationSchema } from "./duration.js";
import { clockOptionSchema } from "./options.js";
import { pageQuerySchema } from "./requests.js";
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

const reasonSchema = z
  .string()
  .check(z.minLength(1, "must not be empty"), z.maxLength(500, "must be at most 500 characters"));

export const transitionRequestSchema = z.strictObject({
  to: chargeStatusSchema,
  reason: z.optional(reasonSchema),
});

export const refundRequestSchema = z.strictObject({ reason: z.optional(reasonSchema) });

export const withdrawalTransitionRequestSchema = z.strictObject({
  to: withdrawalStatusSchema,
  reason: z.optional(reasonSchema),
});

export const ratesRequestSchema = z.record(z.string(), rateSchema);

/** Lists of the control API; `metadata.KEY` is read apart, for its name is open. */
export const chargeQuerySchema = z.object({
  ...pageQuerySchema.shape,
  mode: z.optional(modeSchema),
  customer_email: z.optional(z.string()),
  status: z.optional(chargeStatusSchema),
});

export const waitQuerySchema = z.object({ wait: z.optional(durationSchema) });
