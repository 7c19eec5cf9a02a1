import type { Charge } from "../schema/records/payment-records.js";
import { proportionOf, subtract } from "./money.js";

export interface BookedPayment {
  readonly amount: string;
  readonly currency: string;
  readonly settlement: string;
  readonly totalFee: string;
}

/**
 * Returns the customer's payment, in the currency paid, split into settlement and fees in the same proportion as the
 * charge's amount. Undefined for a charge without a price.
 */
export function bookedPayment(
  charge: Charge,
  decimalsOf: (currency: string) => number,
): BookedPayment | undefined {
  const { amount, currency, settlement_amount: settlement, fees, amount_paid, currency_paid } = charge;
  if (settlement === null || fees === null) return undefined;
  if (amount_paid === undefined || currency_paid === undefined)
    return { amount, currency, settlement, totalFee: fees.total_fee };
  const settled = proportionOf(amount_paid, settlement, amount, decimalsOf(currency_paid));
  return {
    amount: amount_paid,
    currency: currency_paid,
    settlement: settled,
    totalFee: subtract(amount_paid, settled),
  };
}
