import * as z from "zod/mini";
import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from "../../../core/schema/common.js";
import { checkResponse } from "./check-response.js";
import { defineStep, stepSchema } from "./step-definition.js";
import { responseSchema, saveSchema, textSchema } from "./step-schemas.js";

const transitionSchema = z
  .strictObject({
    charge_id: z.optional(textSchema),
    withdrawal_id: z.optional(textSchema),
    to: z.enum([...new Set([...CHARGE_STATUSES, ...WITHDRAWAL_STATUSES])]),
    reason: z.optional(textSchema),
    expect: z.optional(responseSchema),
  })
  .check(
    z.refine(
      ({ charge_id, withdrawal_id }) => (charge_id === undefined) !== (withdrawal_id === undefined),
      "needs either charge_id or withdrawal_id",
    ),
  );

export const transitionStep = defineStep(["ignores_start"], {
  description: "Moves a charge or withdrawal to a status, as the control API does.",
  schema: stepSchema({ transition: transitionSchema, expect: z.optional(responseSchema), save: saveSchema }),
  run: async (step, { client }) => {
    const { charge_id, withdrawal_id, to, reason, expect } = step.transition;
    const path =
      charge_id === undefined
        ? `/withdrawals/${encodeURIComponent(withdrawal_id!)}`
        : `/charges/${encodeURIComponent(charge_id)}`;
    const answer = await client.control("POST", `${path}/transition`, { to, reason });
    checkResponse(step.expect ?? expect, answer, step.expect ? "expect" : "transition.expect");
    return answer.body;
  },
});
