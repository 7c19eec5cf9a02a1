import { emptyBalances, holdingsKey } from "../../domain/ledger.js";
import { add, compare, isZero, sumToZero } from "../../domain/money.js";
import { LEDGER_ACCOUNTS, type LedgerAccount, type Mode } from "../../schema/common.js";
import type { State } from "../state.js";
import { type Faults, placeOf } from "./faults.js";

type Sums = Record<LedgerAccount, string>;

/** Holds the accounts against the postings they come from, and against what is still to be settled or sent. */
export function checkLedger({ tables }: State, faults: Faults): void {
  const posted = new Map<string, Sums>();
  const open = new Map<string, Pick<Sums, "pending" | "in_transit">>();
  let index = 0;
  for (const { mode, organization_id, currency, postings } of tables.entries.values()) {
    const place = placeOf("entries", index++, "postings");
    const key = holdingsKey(mode, organization_id, currency);
    if (!tables.holdings.has(key)) faults.add(place, `is of ${key}, which has no accounts`);
    if (!sumToZero(postings.map(({ amount }) => amount))) faults.add(place, "must come to nothing together");
    if (faults.isFull) return;
    const sums = sumsOf(posted, key, () => emptyBalances(0));
    for (const { account, amount } of postings) sums[account] = add(sums[account], amount);
  }
  const owe = (owed: Owed, account: "pending" | "in_transit", amount: string) => {
    const sums = sumsOf(open, holdingsKey(owed.mode, owed.organization_id, owed.currency), () => ({
      pending: "0",
      in_transit: "0",
    }));
    sums[account] = add(sums[account], amount);
  };
  for (const charge of tables.charges.values())
    if (charge.status === "COMPLETED" && charge.settled_at === null && charge.settlement_amount !== null)
      owe(charge, "pending", charge.settlement_amount);
  for (const withdrawal of tables.withdrawals.values())
    if (withdrawal.status === "PENDING" || withdrawal.status === "PROCESSING")
      owe(withdrawal, "in_transit", add(withdrawal.amount, withdrawal.fee));
  index = 0;
  for (const { key, mode, organization_id, currency, balances } of tables.holdings.values()) {
    const at = index++;
    if (key !== holdingsKey(mode, organization_id, currency))
      faults.add(placeOf("holdings", at, "key"), "must be made of mode, organization and currency");
    const sums = posted.get(key);
    const due = open.get(key);
    open.delete(key);
    for (const account of LEDGER_ACCOUNTS) {
      const wanted = sums?.[account] ?? "0";
      const place = placeOf("holdings", at, "balances", account);
      if (compare(balances[account], wanted) !== 0)
        faults.add(place, `must be ${wanted}, what its entries come to`);
      else if (account === "pending" || account === "in_transit") {
        const owed = due?.[account] ?? "0";
        if (compare(balances[account], owed) !== 0)
          faults.add(
            place,
            `must be ${owed}, what waits to be ${account === "pending" ? "settled" : "sent"}`,
          );
      }
    }
    if (faults.isFull) return;
  }
  for (const [key, { pending, in_transit }] of open)
    if (!isZero(pending) || !isZero(in_transit))
      faults.add("collections.holdings", `must have the accounts of ${key}`);
}

interface Owed {
  readonly mode: Mode;
  readonly organization_id: string;
  readonly currency: string;
}

function sumsOf<Value>(all: Map<string, Value>, key: string, none: () => Value): Value {
  let sums = all.get(key);
  if (sums === undefined) all.set(key, (sums = none()));
  return sums;
}
