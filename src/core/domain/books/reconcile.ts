import type { BookFinding } from "../../schema/control-responses.js";
import { BOOK_FINDING_KINDS, type FindingKind } from "../../schema/reconciliation.js";
import { isPaid, isRefunded } from "../../schema/statuses.js";
import { iso } from "../../schema/time.js";
import type { Charge } from "../charge-transition.js";
import { compareAmounts } from "../money.js";
import type { BookRow } from "./parse-books.js";

interface Ledger {
  readonly nowMs: number;
  byId(chargeId: string): Charge | undefined;
  /** Charges whose metadata contains the metadata of the order, oldest first. */
  ofOrder(order: BookRow["orderMetadata"]): readonly Charge[];
  /** Paid charges that must have a row in the app's books, oldest first. */
  chargesNeedingRow(): readonly Charge[];
}

/** Compares the app's rows with the charges; returns the differences in the order of the rows. */
export function reconcileAppRows(rows: readonly BookRow[], ledger: Ledger): BookFinding[] {
  const mentioned = new Set<Charge>();
  const paidTwice = new Set<string>();
  const ofRows = rows.flatMap((row) => {
    const charges = chargesOf(row, ledger);
    for (const charge of charges) mentioned.add(charge);
    const order = JSON.stringify(row.orderMetadata);
    const isReported = paidTwice.has(order);
    const differences = differencesOf(row, charges, ledger.nowMs).filter(
      ({ kind }) => kind !== "paid_twice" || !isReported,
    );
    if (differences.some(({ kind }) => kind === "paid_twice")) paidTwice.add(order);
    return differences;
  });
  const keys = new Set(rows.flatMap(({ orderMetadata }) => Object.keys(orderMetadata)));
  const unmentioned = ledger.chargesNeedingRow().filter((charge) => !mentioned.has(charge));
  return [
    ...ofRows,
    ...unmentioned.map((charge) => ({
      kind: "paid_not_marked" as const,
      row: null,
      charge_id: charge.charge_id,
      order: orderOrNull(
        Object.fromEntries(Object.entries(charge.metadata).filter(([key]) => keys.has(key))),
      ),
      message: `${statusText(charge)}, and no row mentions it`,
    })),
  ];
}

function chargesOf({ chargeId, orderMetadata }: BookRow, ledger: Ledger): readonly Charge[] {
  const named = chargeId === undefined ? undefined : ledger.byId(chargeId);
  const ofOrder = Object.keys(orderMetadata).length === 0 ? [] : ledger.ofOrder(orderMetadata);
  return named === undefined || ofOrder.includes(named) ? ofOrder : [...ofOrder, named];
}

function differencesOf(row: BookRow, charges: readonly Charge[], nowMs: number): BookFinding[] {
  const { number, chargeId, status, marking, deliveredMs } = row;
  const { delivered = deliveredMs === undefined ? 0 : 1 } = row;
  const found: BookFinding[] = [];
  const add = (kind: FindingKind, charge: Charge | undefined, message: string): void => {
    const charge_id = charge?.charge_id ?? chargeId ?? null;
    found.push({ kind, row: number, charge_id, order: orderOrNull(row.orderMetadata), message });
  };
  const claim = `the app says ${status}`;
  const claimWithDelivery = `${claim}${delivered > 0 ? ` and has delivered` : ""}`;
  const named = charges.find(({ charge_id }) => charge_id === chargeId);
  const paid = charges.filter((charge) => isPaid(charge.status));
  const refunded = charges.findLast((charge) => isRefunded(charge.status));
  const newest = paid.at(-1) ?? named ?? charges.at(-1);
  if (chargeId !== undefined && named === undefined)
    add("unknown_charge", undefined, `there is no charge ${chargeId}; ${claim}`);
  else if (newest === undefined && (marking === "paid" || delivered > 0))
    add("unknown_charge", undefined, `there is no charge of this order; ${claimWithDelivery}`);
  if (newest === undefined) return found;
  if (paid.length > 0 && marking !== "paid")
    add("paid_not_marked", newest, `${statusText(newest)}; ${claim}`);
  if (paid.length === 0 && (marking === "paid" || (delivered > 0 && refunded === undefined)))
    add("marked_not_paid", newest, `${statusText(newest)}; ${claimWithDelivery}`);
  const bought = paid.length > 0 ? paid : [newest];
  if (!bought.some((charge) => isSameMoney(row, charge)))
    add(
      "amount_differs",
      newest,
      `${moneyText(newest)}${baseText(row, newest)}; the app says ${moneyText(row)}`,
    );
  if (paid.length > 1)
    add(
      "paid_twice",
      newest,
      `${paid.length} completed charges: ${paid.map((charge) => charge.charge_id).join(", ")}`,
    );
  if (delivered > 1) add("delivered_twice", newest, `delivered ${delivered} times`);
  // A delivery before the refund is right, so only a time proves a fault. A time in the future is not sandbox time.
  if (paid.length === 0 && refunded !== undefined && delivered > 0 && deliveredMs !== undefined) {
    const refundedMs = lastRefundMs(charges);
    if (deliveredMs > refundedMs && deliveredMs <= nowMs)
      add(
        "refunded_and_delivered",
        refunded,
        `${statusText(refunded)} at ${iso(refundedMs)}; the app delivered at ${iso(deliveredMs)}`,
      );
  }
  return found.sort((a, b) => BOOK_FINDING_KINDS.indexOf(a.kind) - BOOK_FINDING_KINDS.indexOf(b.kind));
}

function lastRefundMs(charges: readonly Charge[]): number {
  const changes = charges.flatMap((charge) => charge.status_history);
  return Math.max(...changes.filter(({ status }) => isRefunded(status)).map(({ at }) => Date.parse(at)));
}

function isSameMoney({ amount, currency, price }: BookRow, charge: Charge): boolean {
  const { pricing } = charge;
  const currencies = [charge.currency, ...(price === undefined ? [] : [pricing.base_currency])];
  return (
    (amount === undefined || compareAmounts(amount, charge.amount) === 0) &&
    (price === undefined || compareAmounts(price, pricing.amount) === 0) &&
    (currency === undefined || currencies.includes(currency))
  );
}

function moneyText({
  amount,
  currency,
  price,
}: Partial<Pick<BookRow, "amount" | "currency" | "price">>): string {
  const priceText = price === undefined ? undefined : `price ${price}`;
  return [amount, priceText, currency].filter((part) => part !== undefined).join(" ");
}

/** Adds the base amount if the row has a price. */
function baseText({ price }: BookRow, { pricing }: Charge): string {
  return price === undefined ? "" : ` (base amount ${pricing.amount} ${pricing.base_currency})`;
}

function statusText(charge: Charge): string {
  return `${charge.status}, ${moneyText(charge)}`;
}

function orderOrNull(order: Readonly<Record<string, string>>): Readonly<Record<string, string>> | null {
  return Object.keys(order).length === 0 ? null : order;
}
