import * as z from "zod/mini";
import { findMismatches } from "../../../core/domain/deep-match.js";
import { compareAmounts, subtract } from "../../../core/domain/money.js";
import { modeSchema } from "../../../core/schema/common.js";
import type { Difference } from "../../../core/schema/control-scenario-responses.js";
import { type BalanceRow, readBalanceRows } from "../running/control-lists.js";
import { StepFailure } from "../running/failure.js";
import { waitUntilIdle } from "./expect-records.js";
import { defineStep, expectedTextSchema, stepSchema, textSchema } from "./step-definition.js";

const SIGNED = 'must be a signed decimal string such as "+500.00"';
const changeSchema = z
  .string('must be a signed decimal string in quotes, such as "+500.00"')
  .check(z.regex(/^[+-]?\d{1,30}(\.\d{1,18})?$/, SIGNED));

const balanceSchema = z
  .strictObject({
    currency: textSchema,
    mode: z.optional(modeSchema),
    organization_id: z.optional(textSchema),
    available_balance: expectedTextSchema,
    pending_balance: expectedTextSchema,
    change: z.optional(changeSchema),
  })
  .check(
    z.refine(
      (expected) =>
        expected.available_balance !== undefined ||
        expected.pending_balance !== undefined ||
        expected.change !== undefined,
      "needs available_balance, pending_balance or change",
    ),
  );

export const expectBalance = defineStep(["checks"], {
  description: "A balance by value, or how much the available balance has changed since the run began.",
  schema: stepSchema({ expect_balance: balanceSchema }),
  run: async (step, context) => {
    const { currency, mode = "test", organization_id, change, ...values } = step.expect_balance;
    await waitUntilIdle(context);
    const now = await readBalanceRows(context.client);
    const organization = organization_id ?? context.organization;
    const isSelected = (row: BalanceRow): boolean =>
      row.currency === currency && row.mode === mode && row.organization_id === organization;
    const found = now.find(isSelected);
    const available = found?.available_balance ?? "0";
    const pending = found?.pending_balance ?? "0";
    const difference: Difference[] = [];
    const got: Record<string, string> = { currency, available_balance: available, pending_balance: pending };
    const check = (path: string, expected: unknown, actual: string): void => {
      if (expected !== undefined && !isAmount(expected, actual))
        difference.push({ path, expected, got: actual });
    };
    check("available_balance", values.available_balance, available);
    check("pending_balance", values.pending_balance, pending);
    if (change !== undefined) {
      const before = context.startState.balance(isSelected)?.available_balance ?? "0";
      const difference = subtract(available, before);
      got.change = difference.startsWith("-") ? difference : `+${difference}`;
      check("change", change, got.change);
    }
    if (difference.length > 0)
      throw new StepFailure(
        { message: `the ${currency} balance differs`, expected: step.expect_balance, got, difference },
        "expect_balance",
      );
    return got;
  },
});

/** Compares decimals by value, so `5.0` equals `5.00`; other expectations are matchers. */
function isAmount(expected: unknown, actual: string): boolean {
  if (typeof expected === "string" && /^[+-]?\d+(\.\d+)?$/.test(expected))
    return compareAmounts(expected.replace("+", ""), actual.replace("+", "")) === 0;
  return findMismatches(expected, actual).length === 0;
}
