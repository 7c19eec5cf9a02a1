import { LEDGER_ACCOUNTS, type LedgerAccount, type Mode } from "../schema/common.js";
import type { Charge, Holdings, Posting } from "../schema/records/payment-records.js";
import { add, isNegative, isZeroSum, negate, prorateAmount, subtract, zeroAmount } from "./money.js";

export type { Holdings, Posting } from "../schema/records/payment-records.js";

export function holdingsKey(mode: Mode, organizationId: string, currency: string): string {
  return `${mode}|${organizationId}|${currency}`;
}

export function emptyBalances(decimals: number): Record<LedgerAccount, string> {
  const none = zeroAmount(decimals);
  return { available: none, pending: none, in_transit: none, fees: none, outside: none };
}

export interface BookedPayment {
  readonly amount: string;
  readonly currency: string;
  readonly settlement: string;
  readonly totalFee: string;
}

/**
 * Returns the customer's payment in the currency that was paid. A payment that differs from the charge's amount changes
 * settlement and fee in proportion. Returns undefined for a charge without a price.
 */
export function bookedPayment(
  charge: Charge,
  decimalsOf: (currency: string) => number,
): BookedPayment | undefined {
  const { amount, currency, settlement_amount: settlement, fees, amount_paid, currency_paid } = charge;
  if (settlement === null || fees === null) return undefined;
  if (amount_paid === undefined || currency_paid === undefined)
    return { amount, currency, settlement, totalFee: fees.total_fee };
  const settled = prorateAmount(amount_paid, settlement, amount, decimalsOf(currency_paid));
  return {
    amount: amount_paid,
    currency: currency_paid,
    settlement: settled,
    totalFee: subtract(amount_paid, settled),
  };
}

/** Divides a customer's payment into the merchant's share and the fees. */
export function paymentPostings(amount: string, settlementAmount: string, totalFee: string): Posting[] {
  return [
    { account: "outside", amount: negate(amount) },
    { account: "pending", amount: settlementAmount },
    { account: "fees", amount: totalFee },
  ];
}

function transfer(from: LedgerAccount, to: LedgerAccount, amount: string): Posting[] {
  return [
    { account: from, amount: negate(amount) },
    { account: to, amount },
  ];
}

export function settlementPostings(settlementAmount: string): Posting[] {
  return transfer("pending", "available", settlementAmount);
}

/**
 * A full refund: the customer gets everything back, including the fee; the merchant returns what it received.
 *
 * @param givenBack amount refunded earlier, from the merchant's balance
 */
export function refundPostings(
  amount: string,
  settlementAmount: string,
  totalFee: string,
  givenBack?: string,
): Posting[] {
  const [settled, paid] =
    givenBack === undefined
      ? [settlementAmount, amount]
      : [subtract(settlementAmount, givenBack), subtract(amount, givenBack)];
  return [
    { account: "available", amount: negate(settled) },
    { account: "fees", amount: negate(totalFee) },
    { account: "outside", amount: paid },
  ];
}

/** A partial refund or a chargeback; the fee is not returned. */
export function partialRefundPostings(amount: string): Posting[] {
  return transfer("available", "outside", amount);
}

/** A completed payout comes back; the fee is not returned. */
export function withdrawalReversalPostings(amount: string): Posting[] {
  return transfer("outside", "available", amount);
}

/** Moves amount and fee out of the available balance; they are in transit until the withdrawal ends. */
export function withdrawalPostings(total: string): Posting[] {
  return transfer("available", "in_transit", total);
}

export function withdrawalCompletedPostings(amount: string, fee: string): Posting[] {
  return [
    { account: "in_transit", amount: negate(add(amount, fee)) },
    { account: "outside", amount },
    { account: "fees", amount: fee },
  ];
}

export function withdrawalReturnedPostings(total: string): Posting[] {
  return transfer("in_transit", "available", total);
}

export function openingBalancePostings(amount: string): Posting[] {
  return transfer("outside", "available", amount);
}

/**
 * Applies postings, or returns the account that they would overdraw. Throws for postings that do not sum to zero: these
 * are a bug of the sandbox, and nothing may be committed.
 */
export function applyPostings(
  holdings: Holdings,
  postings: readonly Posting[],
): { holdings: Holdings } | { overdrawn: LedgerAccount } {
  const balances = { ...holdings.balances };
  for (const { account, amount } of postings) balances[account] = add(balances[account], amount);
  const amounts = postings.map((posting) => posting.amount);
  if (!isZeroSum(amounts))
    throw new Error(`postings do not balance: ${JSON.stringify(postings)} sum to ${amounts.reduce(add)}`);
  for (const account of LEDGER_ACCOUNTS)
    if (account !== "outside" && isNegative(balances[account])) return { overdrawn: account };
  return { holdings: { ...holdings, balances } };
}

/** Throws unless the five accounts sum to zero; runs after each change. */
export function assertBalanced(holdings: Holdings): void {
  const { available, pending, in_transit, fees, outside } = holdings.balances;
  const amounts = [available, pending, in_transit, fees, outside];
  if (!isZeroSum(amounts))
    throw new Error(`ledger of ${holdings.key} is out of balance by ${amounts.reduce(add)}`);
}
