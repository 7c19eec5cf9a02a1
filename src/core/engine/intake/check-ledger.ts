import { bookedPayment, emptyBalances, holdingsKey } from "../../domain/ledger-postings.js";
import { add, compareAmounts, isZero, isZeroSum } from "../../domain/money.js";
import { LEDGER_ACCOUNTS, type LedgerAccount } from "../../schema/common.js";
import { isPaid } from "../../schema/statuses.js";
import type { AccountOwner } from "../ledger-posting.js";
import type { State } from "../state.js";
import { recordPath, type StateFaults } from "./check-records.js";

type Sums = Record<LedgerAccount, string>;

type Open = Pick<Sums, "pending" | "in_transit">;

/** Checks balances against their postings and against the amounts still to be settled or sent. */
export function checkLedger(state: State, faults: StateFaults): void {
  const posted = checkEntries(state, faults);
  if (faults.isFull) return;
  const open = openSums(state);
  checkHoldings(state, posted, open, faults);
  if (faults.isFull) return;
  for (const [key, { pending, in_transit }] of open)
    if (!isZero(pending) || !isZero(in_transit))
      faults.add("collections.holdings", `must have the accounts of ${key}`);
}

function checkEntries({ tables }: State, faults: StateFaults): Map<string, Sums> {
  const posted = new Map<string, Sums>();
  let index = 0;
  for (const { mode, organization_id, currency, postings } of tables.entries.values()) {
    const path = recordPath("entries", index++, "postings");
    const key = holdingsKey(mode, organization_id, currency);
    if (!tables.holdings.has(key)) faults.add(path, `belongs to ${key}, which has no accounts`);
    if (!isZeroSum(postings.map(({ amount }) => amount))) faults.add(path, "must sum to zero");
    if (faults.isFull) break;
    const sums = sumsOf(posted, key, () => emptyBalances(0));
    for (const { account, amount } of postings) sums[account] = add(sums[account], amount);
  }
  return posted;
}

/** Pending amounts of paid charges and in-transit amounts of open withdrawals. */
function openSums(state: State): Map<string, Open> {
  const { tables } = state;
  const open = new Map<string, Open>();
  const owe = ({ mode, organization_id, currency }: AccountOwner, account: keyof Open, amount: string) => {
    const key = holdingsKey(mode, organization_id, currency);
    const sums = sumsOf(open, key, () => ({ pending: "0", in_transit: "0" }));
    sums[account] = add(sums[account], amount);
  };
  for (const charge of tables.charges.values())
    if (isPaid(charge.status) && charge.settled_at === null) {
      const booked = bookedPayment(charge);
      if (booked !== undefined)
        owe({ ...charge, currency: booked.currency }, "pending", booked.settlement_amount);
    }
  for (const withdrawal of tables.withdrawals.values())
    if (withdrawal.status === "PENDING" || withdrawal.status === "PROCESSING")
      owe(withdrawal, "in_transit", add(withdrawal.amount, withdrawal.fee));
  return open;
}

/** Word that completes the message "the amount waiting to be …", by account. */
const AWAITS: Readonly<Partial<Record<LedgerAccount, string>>> = { pending: "settled", in_transit: "sent" };

/** Checks each account against its postings and waiting amounts; deletes the checked accounts from `open`. */
function checkHoldings(
  { tables }: State,
  posted: ReadonlyMap<string, Sums>,
  open: Map<string, Partial<Sums>>,
  faults: StateFaults,
): void {
  let index = 0;
  for (const { key, mode, organization_id, currency, balances } of tables.holdings.values()) {
    const position = index++;
    if (key !== holdingsKey(mode, organization_id, currency))
      faults.add(recordPath("holdings", position, "key"), "must be made of mode, organization and currency");
    for (const account of LEDGER_ACCOUNTS) {
      const expected = posted.get(key)?.[account] ?? "0";
      const owed = open.get(key)?.[account] ?? "0";
      const path = recordPath("holdings", position, "balances", account);
      if (compareAmounts(balances[account], expected) !== 0)
        faults.add(path, `must be ${expected}, the sum of its entries`);
      else if (AWAITS[account] !== undefined && compareAmounts(balances[account], owed) !== 0)
        faults.add(path, `must be ${owed}, the amount waiting to be ${AWAITS[account]}`);
    }
    open.delete(key);
    if (faults.isFull) return;
  }
}

function sumsOf<Value>(all: Map<string, Value>, key: string, none: () => Value): Value {
  let sums = all.get(key);
  if (sums === undefined) all.set(key, (sums = none()));
  return sums;
}
