import type { Charge } from "../domain/charge-transition.js";
import {
  applyPostings,
  type BookedPayment,
  bookedPayment,
  emptyBalances,
  type Holdings,
  holdingsKey,
  type Posting,
} from "../domain/ledger-postings.js";
import { add, decimalsOf, zeroAmount } from "../domain/money.js";
import type { Mode } from "../schema/common.js";
import { type Refusal, refuse } from "../schema/refusals.js";
import type { State } from "./state.js";
import type { Transaction } from "./transaction.js";

/** Accounts of an organization in a currency; opens them if needed. */
export function findOrOpenHoldings(
  tx: Transaction,
  mode: Mode,
  organizationId: string,
  currency: string,
): Holdings {
  const key = holdingsKey(mode, organizationId, currency);
  const account = tx.get("holdings", key);
  if (account !== undefined) return account;
  const { decimals } = tx.catalogue.requireCurrency(currency);
  const opened: Holdings = {
    key,
    mode,
    organization_id: organizationId,
    currency,
    seq: tx.next("holdings"),
    decimals,
    balances: emptyBalances(decimals),
  };
  tx.put("holdings", key, opened);
  return opened;
}

/** Amount that partial refunds and chargebacks have returned to the customer. */
export function amountReturned(state: State, charge: Charge): string {
  const { charge_id, amount, amount_paid = amount } = charge;
  return state
    .entriesOf(charge_id)
    .filter(({ kind }) => kind === "partial_refund" || kind === "chargeback")
    .flatMap(({ postings }) => postings.filter(({ account }) => account === "outside"))
    .reduce((sum, { amount }) => add(sum, amount), zeroAmount(decimalsOf(amount_paid)));
}

export function requireBookedPayment(charge: Charge): BookedPayment {
  const booked = bookedPayment(charge);
  if (booked === undefined) throw new Error(`charge ${charge.charge_id} has no price`);
  return booked;
}

export type AccountOwner = Pick<Holdings, "mode" | "organization_id" | "currency">;

/** Refuses with INSUFFICIENT_BALANCE if an account would be overdrawn. `objectId` names what the entry is for. */
export function postToLedger(
  tx: Transaction,
  kind: string,
  { mode, organization_id, currency }: AccountOwner,
  objectId: string,
  postings: readonly Posting[],
): Refusal | undefined {
  const account = findOrOpenHoldings(tx, mode, organization_id, currency);
  const applied = applyPostings(account, postings);
  if ("overdrawn" in applied)
    return refuse("INSUFFICIENT_BALANCE", `The ${applied.overdrawn} balance in ${currency} is too low.`);
  tx.put("holdings", account.key, applied.holdings);
  const seq = tx.next("entry");
  const entry_id = `le_${seq}`;
  tx.put("entries", entry_id, {
    entry_id,
    seq,
    at: tx.at,
    kind,
    mode,
    organization_id,
    currency,
    object_id: objectId,
    postings,
  });
  return undefined;
}
