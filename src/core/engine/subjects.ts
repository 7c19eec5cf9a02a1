import type { Charge } from "../domain/charge-transition.js";
import type { MatchSubject } from "../domain/rule-matching.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import type { Destination } from "./records.js";

/** Fields and metadata of a charge that scenario rules match. */
export function chargeSubject(charge: Charge): MatchSubject {
  return {
    metadata: charge.metadata,
    fields: {
      charge_id: charge.charge_id,
      mode: charge.mode,
      organization_id: charge.organization_id,
      currency: charge.currency,
      amount: charge.amount,
      customer_email: charge.customer_email,
      customer_name: charge.customer_name,
      payment_method: charge.payment_method,
      payment_rail: charge.payment_rail,
      phone_number: charge.phone_number,
      bank_account_number: charge.bank_account_number,
      base_currency: charge.pricing.base_currency,
      base_amount: charge.pricing.amount,
    },
  };
}

/** Fields of a withdrawal and its destination that rules are matched against. */
export function withdrawalSubject(
  withdrawal: Withdrawal,
  destination: Destination | undefined,
): MatchSubject {
  return {
    metadata: withdrawal.metadata,
    fields: {
      ...destination?.fields,
      withdrawal_id: withdrawal.withdrawal_id,
      mode: withdrawal.mode,
      organization_id: withdrawal.organization_id,
      currency: withdrawal.currency,
      amount: withdrawal.amount,
      destination_id: withdrawal.destination_id,
      reference: withdrawal.reference,
    },
  };
}
