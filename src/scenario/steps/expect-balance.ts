import { mismatches } from "../../domain/deep-match.js";
import { compare, subtract } from "../../domain/money.js";
import type { StepOf } from "../../schema/steps.js";
import { type BalanceRow, balances } from "./baseline.js";
import type { Executor } from "./context.js";
import { type Difference, StepFailure } from "./failure.js";
import { settle } from "./settle.js";

/** `expect_balance`: by value, or by how much what is available has changed since the run began. */
export const expectBalance: Executor<StepOf<"expect_balance">> = async (step, context) => {
  const { currency, mode = "test", organization_id, change, ...values } = step.expect_balance;
  await settle(context);
  const now = await balances(context.client);
  const organization = organization_id ?? context.organization;
  const isMeant = (row: BalanceRow): boolean =>
    row.currency === currency && row.mode === mode && row.organization_id === organization;
  const found = now.find(isMeant);
  const available = found?.available_balance ?? "0";
  const pending = found?.pending_balance ?? "0";
  const difference: Difference[] = [];
  const got: Record<string, string> = { currency, available_balance: available, pending_balance: pending };
  const hold = (path: string, expected: unknown, actual: string): void => {
    if (expected !== undefined && !isAmount(expected, actual))
      difference.push({ path, expected, got: actual });
  };
  hold("available_balance", values.available_balance, available);
  hold("pending_balance", values.pending_balance, pending);
  if (change !== undefined) {
    const before = context.baseline.balance(isMeant)?.available_balance ?? "0";
    const moved = subtract(available, before);
    got.change = moved.startsWith("-") ? moved : `+${moved}`;
    hold("change", change, got.change);
  }
  if (difference.length > 0)
    throw new StepFailure({
      message: `the ${currency} balance differs`,
      expected: step.expect_balance,
      got,
      difference,
    });
  return got;
};

/** `5.0` is `5.00`; anything but a decimal is matched as everywhere else. */
function isAmount(expected: unknown, actual: string): boolean {
  if (typeof expected === "string" && /^[+-]?\d+(\.\d+)?$/.test(expected))
    return compare(expected.replace("+", ""), actual.replace("+", "")) === 0;
  return mismatches(expected, actual).length === 0;
}
