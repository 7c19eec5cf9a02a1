import { emptyBalances, holdingsKey } from "../../domain/ledger.js";
import { add, compare, isZero, sumToZero } from "../../domain/money.js";
import { LEDGER_ACCOUNTS, type LedgerAccount, type Mode } from "../../schema/common.js";
import type { State } from "../state.js";
import { type Faults, placeOf } from "./faults.js";

type Sums = Record<LedgerAccount, string>;

type Open = Pick<Sums, "pending" | "in_transit">;

/** Holds the accounts against the postings they come from, and against what is still to be settled or sent. */
export function checkLedger(state: State, faults: Faults): void {
  const posted = checkEntries(state, faults);
  if (faults.isFull) return;
  const open = openSums(state);
  checkHoldings(state, posted, open, faults);
  if (faults.isFull) return;
  for (const [key, { pending, in_transit }] of open)
    if (!isZero(pending) || !isZero(in_transit))
      faults.add("collections.holdings", `must have the accounts of ${key}`);
}

/** What the postings of each account come to. */
function checkEntries({ tables }: State, faults: Faults): Map<string, Sums> {
  const posted = new Map<string, Sums>();
  let index = 0;
  for (const { mode, organization_id, currency, postings } of tables.entries.values()) {
    const place = placeOf("entries", index++, "postings");
    const key = holdingsKey(mode, organization_id, currency);
    if (!tables.holdings.has(key)) faults.add(place, `is of ${key}, which has no accounts`);
    if (!sumToZero(postings.map(({ amount }) => amount))) faults.add(place, "must come to nothing together");
    if (faults.isFull) break;
    const sums = sumsOf(posted, key, () => emptyBalances(0));
    for (const { account, amount } of postings) sums[account] = add(sums[account], amount);
  }
  return posted;
}

/** What paid charges and withdrawals under way still have in pending and in transit. */
function openSums({ tables }: State): Map<string, Open> {
  const open = new Map<string, Open>();
  const owe = ({ mode, organization_id, currency }: Owed, account: keyof Open, amount: string) => {
    const sums = sumsOf(open, holdingsKey(mode, organization_id, currency), () => ({
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
  return open;
}

/** What waits in an account, and for what. */
const WAITS: Readonly<Partial<Record<LedgerAccount, string>>> = { pending: "settled", in_transit: "sent" };

/** Each account against its postings and what waits in it; those looked at are taken out of `open`. */
function checkHoldings(
  { tables }: State,
  posted: ReadonlyMap<string, Sums>,
  open: Map<string, Partial<Sums>>,
  faults: Faults,
): void {
  let index = 0;
  for (const { key, mode, organization_id, currency, balances } of tables.holdings.values()) {
    const at = index++;
    if (key !== holdingsKey(mode, organization_id, currency))
      faults.add(placeOf("holdings", at, "key"), "must be made of mode, organization and currency");
    for (const account of LEDGER_ACCOUNTS) {
      const wanted = posted.get(key)?.[account] ?? "0";
      const owed = open.get(key)?.[account] ?? "0";
      const place = placeOf("holdings", at, "balances", account);
      if (compare(balances[account], wanted) !== 0)
        faults.add(place, `must be ${wanted}, what its entries come to`);
      else if (WAITS[account] !== undefined && compare(balances[account], owed) !== 0)
        faults.add(place, `must be ${owed}, what waits to be ${WAITS[account]}`);
    }
    open.delete(key);
    if (faults.isFull) return;
  }
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
