import { LEDGER_ACCOUNTS, type LedgerAccount, type Mode } from "../schema/common.js";
import type { Charge, Fees, Holdings, Posting } from "../schema/records/payment-records.js";
import {
  add,
  decimalsOf,
  isNegative,
  isZero,
  isZeroSum,
  negate,
  prorateAmount,
  subtract,
  zeroAmount,
} from "./money.js";

export type { Holdings, Posting } from "../schema/records/payment-records.js";

export function holdingsKey(mode: Mode, organizationId: string, currency: string): string {
  return `${mode}|${organizationId}|${currency}`;
}

export function emptyBalances(decimals: number): Record<LedgerAccount, string> {
  const none = zeroAmount(decimals);
  return { available: none, pending: none, in_transit: none, fees: none, outside: none };
}

/** A customer's payment as it is booked: the customer's amount is `settlement_amount` plus the fees. */
export interface BookedPayment {
  readonly amount: string;
  readonly currency: string;
  readonly settlement_amount: string;
  readonly fees: Fees;
}

/**
 * Returns the customer's payment in the currency that was paid. A payment that differs from the charge's amount changes
 * settlement amount and fees in proportion. Returns undefined for a charge without a price.
 */
export function bookedPayment(charge: Charge): BookedPayment | undefined {
  const { amount, currency, settlement_amount, fees, amount_paid, currency_paid } = charge;
  if (settlement_amount === null || fees === null) return undefined;
  if (amount_paid === undefined || currency_paid === undefined)
    return { amount, currency, settlement_amount, fees };
  const settled = prorateAmount(amount_paid, settlement_amount, amount, decimalsOf(amount_paid));
  return {
    amount: amount_paid,
    currency: currency_paid,
    settlement_amount: settled,
    fees: scaleFees(fees, subtract(amount_paid, settled)),
  };
}

/** Divides another total in the proportion of the fees; the gateway fee is the rest. */
function scaleFees({ total_fee, fee_breakdown }: Fees, total: string): Fees {
  const platform_fee = isZero(total)
    ? total
    : prorateAmount(total, fee_breakdown.platform_fee, total_fee, decimalsOf(total));
  return { total_fee: total, fee_breakdown: { platform_fee, gateway_fee: subtract(total, platform_fee) } };
}

/** Divides a customer's payment into the merchant's share and the fees. */
export function paymentPostings({ amount, settlement_amount, fees }: BookedPayment): Posting[] {
  return [
    { account: "outside", amount: negate(amount) },
    { account: "pending", amount: settlement_amount },
    { account: "fees", amount: fees.total_fee },
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
 * A refund, a part of one, or a chargeback. Merchant and fees each return their share in proportion, so parts add up to
 * the whole: the share of all that is returned after this one, less the share of what was returned before.
 */
export function refundPostings(
  { amount, settlement_amount }: Pick<BookedPayment, "amount" | "settlement_amount">,
  returnedBefore: string,
  returnedAfter: string,
): Posting[] {
  const shareOf = (returned: string) =>
    isZero(returned)
      ? returned
      : prorateAmount(returned, settlement_amount, amount, decimalsOf(settlement_amount));
  const settled = subtract(shareOf(returnedAfter), shareOf(returnedBefore));
  const returned = subtract(returnedAfter, returnedBefore);
  return [
    { account: "available", amount: negate(settled) },
    { account: "fees", amount: negate(subtract(returned, settled)) },
    { account: "outside", amount: returned },
  ];
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
