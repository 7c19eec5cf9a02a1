import * as z from "zod/mini";
import { chargeStatusSchema } from "../../../core/schema/common.js";
import { controlChargeSchema } from "../../../core/schema/control-responses.js";
import { withNameKind } from "../../../core/schema/name-kinds.js";
import { variableNameSchema } from "../../../core/schema/scenario-file.js";
import {
  pricingSchema,
  quoteRequestSchema,
  whitelabelRequestSchema,
} from "../../../core/schema/service-requests.js";
import type { RunContext } from "../running/context.js";
import { StepFailure } from "../running/failure.js";
import { NamedRecord } from "../scope.js";
import { checkCallResult } from "./check-response.js";
import { callService, DEFAULT_CALL_TIMEOUT_MS } from "./request.js";
import { defineStep, stepSchema } from "./step-definition.js";
import { saveSchema, textSchema } from "./step-schemas.js";

export const PAY_DEFAULTS = { currency: "KES", method: "card", until: "COMPLETED" } as const;
export const CUSTOMER_DEFAULTS: Readonly<Record<string, object>> = {
  mobile_money: { phone_number: "+254700000001" },
  bank_transfer: { bank_account_number: "0123456789" },
};

type Row = Readonly<Record<string, unknown>>;

const { payment_rail, to_currency } = quoteRequestSchema.shape;
const { phone_number, bank_account_number, customer_name, metadata, expires_in_minutes } =
  whitelabelRequestSchema.shape;
const paySchema = z.strictObject({
  amount: pricingSchema.shape.amount,
  currency: z.optional(withNameKind("currency", textSchema)),
  method: z.optional(withNameKind("payment method", textSchema)),
  to_currency,
  payment_rail,
  customer_email: z.optional(textSchema),
  customer_name,
  phone_number,
  bank_account_number,
  metadata,
  expires_in_minutes,
  until: z.optional(chargeStatusSchema),
  as: z.optional(variableNameSchema),
});

export const pay = defineStep(["checks", "ignores_start"], {
  description:
    "Creates and pays a charge: a quote, its checkout, and the tasks scheduled for it until it is COMPLETED, or `until` another status; the clock does not move. `as: c1` saves it as the variable c1, whose fields are c1.amount and so on.",
  schema: stepSchema({ pay: paySchema, save: saveSchema }),
  result: () => controlChargeSchema,
  namedResult: ({ pay }, charge) =>
    pay.as === undefined ? undefined : [pay.as, new NamedRecord(String((charge as Row).charge_id), charge)],
  run: async (step, context) => {
    const { amount, currency, method, to_currency, payment_rail, until, as, ...customer } = step.pay;
    const payment = {
      pricing: { base_currency: currency ?? PAY_DEFAULTS.currency, amount },
      payment_method: method ?? PAY_DEFAULTS.method,
      payment_rail,
    };
    const { quote_id } = await call(context, "quotes", { ...payment, to_currency });
    const { charge_id } = await call(context, "whitelabel", {
      ...payment,
      quote_id,
      customer_email: `${as ?? "customer"}@shop.test`,
      ...CUSTOMER_DEFAULTS[payment.payment_method],
      ...customer,
    });
    await advanceCharge(context, String(charge_id), until, "pay");
    return context.client.callOrFail("getCharge", { charge_id: String(charge_id) });
  },
});

/** Advances a charge's timeline to a status; fails the step if the timeline does not reach it. */
export async function advanceCharge(
  { client }: RunContext,
  charge_id: string,
  target: string = PAY_DEFAULTS.until,
  kind: string,
): Promise<void> {
  if (target === "PENDING") return;
  const { status, body } = await client.control("advanceCharge", { charge_id, until: target });
  if (status < 300) return;
  const { error } = body as { error?: { message?: string } };
  const message = `the charge ${charge_id} does not become ${target} by itself: ${error?.message ?? ""}`;
  const { scenario, timeline } = ((await client.callOrFail("getCharge", { charge_id })) as { sandbox: Row })
    .sandbox;
  throw new StepFailure({ message, got: { scenario, timeline } }, `${kind}.until`);
}

async function call(context: RunContext, path: string, body: object): Promise<Row> {
  const answer = await callService(
    context,
    "POST",
    `/api/v1/payments/${path}`,
    { body },
    DEFAULT_CALL_TIMEOUT_MS,
  );
  checkCallResult(undefined, answer, DEFAULT_CALL_TIMEOUT_MS);
  return typeof answer === "string" ? {} : (answer.body as Row);
}
