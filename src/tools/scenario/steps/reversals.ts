import * as z from "zod/mini";
import type { RunContext } from "../running/context.js";
import { checkResponse } from "./check-response.js";
import { defineStep, stepSchema } from "./step-definition.js";
import { type ExpectedResponse, responseSchema, saveSchema, textSchema } from "./step-schemas.js";

/* Reversals of completed charges and withdrawals: calls of the control API, which the service does not have. */

const companions = { expect: z.optional(responseSchema), save: saveSchema };
const reason = z.optional(textSchema);

async function reverse(
  { client }: RunContext,
  path: string,
  body: object,
  expect: ExpectedResponse | undefined,
): Promise<unknown> {
  const answer = await client.control("POST", path, body);
  checkResponse(expect, answer, "expect");
  return answer.body;
}

export const partialRefund = defineStep(["checks", "ignores_start"], {
  description: "Refunds part of a completed charge. The service has no such operation.",
  schema: stepSchema({
    partial_refund: z.strictObject({ charge_id: textSchema, amount: textSchema, reason }),
    ...companions,
  }),
  run: ({ partial_refund: { charge_id, ...body }, expect }, context) =>
    reverse(context, `/charges/${encodeURIComponent(charge_id)}/partial-refund`, body, expect),
});

export const chargeback = defineStep(["checks", "ignores_start"], {
  description: "The customer's bank takes a completed charge back. The service has no such operation.",
  schema: stepSchema({ chargeback: z.strictObject({ charge_id: textSchema, reason }), ...companions }),
  run: ({ chargeback: { charge_id, ...body }, expect }, context) =>
    reverse(context, `/charges/${encodeURIComponent(charge_id)}/chargeback`, body, expect),
});

export const bounce = defineStep(["checks", "ignores_start"], {
  description: "Returns a completed withdrawal. The service has no such operation.",
  schema: stepSchema({ bounce: z.strictObject({ withdrawal_id: textSchema, reason }), ...companions }),
  run: ({ bounce: { withdrawal_id, ...body }, expect }, context) =>
    reverse(context, `/withdrawals/${encodeURIComponent(withdrawal_id)}/bounce`, body, expect),
});
