import { type BookFinding, FINDING_KINDS, type FindingKind } from "../../schema/books.js";
import type { Charge } from "../charge.js";
import { compare } from "../money.js";
import type { BookRow } from "./rows.js";

/** The charges that rows may speak of. */
export interface Ledger {
  byId(chargeId: string): Charge | undefined;
  /** Those whose metadata has all of that, oldest first. */
  ofOrder(order: BookRow["order"]): readonly Charge[];
  /** Those that are paid and have to have a row, oldest first. */
  toBeSpokenOf(): readonly Charge[];
}

/** Holds rows against the charges of a ledger: what differs, by row. */
export function reconcile(rows: readonly BookRow[], ledger: Ledger): BookFinding[] {
  const spoken = new Set<Charge>();
  const ordersTwice = new Set<string>();
  const found = rows.flatMap((row) => {
    const of = chargesOf(row, ledger);
    for (const charge of of) spoken.add(charge);
    const order = JSON.stringify(row.order);
    const isTold = ordersTwice.has(order);
    const differences = differencesOf(row, of).filter(({ kind }) => kind !== "paid_twice" || !isTold);
    if (differences.some(({ kind }) => kind === "paid_twice")) ordersTwice.add(order);
    return differences;
  });
  const keys = new Set(rows.flatMap(({ order }) => Object.keys(order)));
  const unspoken = ledger.toBeSpokenOf().filter((charge) => !spoken.has(charge));
  return [
    ...found,
    ...unspoken.map((charge) => ({
      kind: "paid_not_marked" as const,
      row: null,
      charge_id: charge.charge_id,
      order: orderOf(Object.fromEntries(Object.entries(charge.metadata).filter(([key]) => keys.has(key)))),
      message: `${stateOf(charge)}, and no row mentions it`,
    })),
  ];
}

/** Those of the row's order, and the one it names. */
function chargesOf({ chargeId, order }: BookRow, ledger: Ledger): readonly Charge[] {
  const named = chargeId === undefined ? undefined : ledger.byId(chargeId);
  const ofOrder = Object.keys(order).length === 0 ? [] : ledger.ofOrder(order);
  return named === undefined || ofOrder.includes(named) ? ofOrder : [...ofOrder, named];
}

function differencesOf(row: BookRow, charges: readonly Charge[]): BookFinding[] {
  const { number, chargeId, status, marking, delivered = 0 } = row;
  const found: BookFinding[] = [];
  const differs = (kind: FindingKind, charge: Charge | undefined, message: string): void => {
    const charge_id = charge?.charge_id ?? chargeId ?? null;
    found.push({ kind, row: number, charge_id, order: orderOf(row.order), message });
  };
  const says = `the app says ${status}`;
  const has = `${says}${delivered > 0 ? ` and has delivered` : ""}`;
  const named = charges.find(({ charge_id }) => charge_id === chargeId);
  const paid = charges.filter((charge) => charge.status === "COMPLETED");
  const refunded = charges.filter((charge) => charge.status === "REFUNDED").at(-1);
  const newest = paid.at(-1) ?? named ?? charges.at(-1);
  if (chargeId !== undefined && named === undefined)
    differs("unknown_charge", undefined, `there is no charge ${chargeId}; ${says}`);
  else if (newest === undefined && (marking === "paid" || delivered > 0))
    differs("unknown_charge", undefined, `there is no charge of this order; ${has}`);
  if (newest === undefined) return found;
  if (paid.length > 0 && marking !== "paid")
    differs("paid_not_marked", newest, `${stateOf(newest)}; ${says}`);
  if (paid.length === 0 && (marking === "paid" || (delivered > 0 && refunded === undefined)))
    differs("marked_not_paid", newest, `${stateOf(newest)}; ${has}`);
  const bought = paid.length > 0 ? paid : [newest];
  if (!bought.some((charge) => isSameMoney(row, charge)))
    differs("amount_differs", newest, `${moneyOf(newest)}; the app says ${moneyOf(row)}`);
  if (paid.length > 1)
    differs(
      "paid_twice",
      newest,
      `${paid.length} completed charges: ${paid.map((one) => one.charge_id).join(", ")}`,
    );
  if (delivered > 1) differs("delivered_twice", newest, `delivered ${delivered} times`);
  if (paid.length === 0 && refunded !== undefined && delivered > 0)
    differs("refunded_and_delivered", refunded, `${stateOf(refunded)}; ${has}`);
  return found.sort((a, b) => FINDING_KINDS.indexOf(a.kind) - FINDING_KINDS.indexOf(b.kind));
}

function isSameMoney({ amount, currency }: BookRow, charge: Charge): boolean {
  return (
    (amount === undefined || compare(amount, charge.amount) === 0) &&
    (currency === undefined || currency === charge.currency)
  );
}

function moneyOf({
  amount,
  currency,
}: {
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
}) {
  return [amount, currency].filter((part) => part !== undefined).join(" ");
}

function stateOf(charge: Charge): string {
  return `${charge.status}, ${moneyOf(charge)}`;
}

function orderOf(order: Readonly<Record<string, string>>): Readonly<Record<string, string>> | null {
  return Object.keys(order).length === 0 ? null : order;
}
