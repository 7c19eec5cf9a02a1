import { amountOf, type Order } from "./order.js";
import type { Traits } from "./traits.js";

type View = Record<string, unknown>;

/** Shows an order as the shop's traits have it. */
export function viewOf(order: Order, traits: Traits, all: readonly Order[]): View {
  const money = (minor: number) =>
    ({ none: undefined, text: amountOf(minor), number: minor / 100, minor })[traits.amounts];
  const time = (ms: number | undefined) =>
    traits.times === "none" || ms === undefined
      ? undefined
      : traits.times === "text"
        ? new Date(ms).toISOString()
        : Math.floor(ms / 1000);
  const refundedMinor = order.refunds.reduce((sum, { minor }) => sum + minor, 0);
  const state = { status: order.status, ...goodsOf(order, traits) };
  const sums = {
    total: money(order.priceMinor),
    received: money(order.paidBy === undefined ? 0 : order.priceMinor),
    refunded: traits.halves === "shown" ? money(refundedMinor) : undefined,
    // A customer with no view of the credit could not tell it from money that the shop keeps.
    credit:
      traits.late === "credited" ? (money(order.creditMinor) ?? amountOf(order.creditMinor)) : undefined,
  };
  const moments = { created_at: time(order.createdMs), paid_at: time(order.paidMs) };
  const rest = {
    ...(traits.id === "none" ? {} : { id: traits.id === "text" ? `N-${order.number}` : order.number }),
    ...listOf(order, traits, money),
    ...historyOf(order, traits),
    ...(traits.version === "none" ? {} : { version: order.version }),
    ...(traits.counters === "none" ? {} : { shop: countersOf(all) }),
  };
  return traits.shape === "flat"
    ? { ...state, ...sums, ...moments, ...rest }
    : { order: { ...state, ...moments }, payment: sums, customer: { email: order.email }, ...rest };
}

function goodsOf({ delivered, number }: Order, { goods }: Traits): View {
  const numbers = Array.from({ length: delivered }, (_, index) => index + 1);
  if (goods === "count") return { delivered };
  if (goods === "list") return { shipments: numbers.map(() => ({ sku: "lamp", quantity: 1 })) };
  return { tickets: numbers.map((ticket) => `T-${number}-${ticket}`) };
}

function listOf(
  { attempts, refunds, priceMinor }: Order,
  { list }: Traits,
  money: (minor: number) => unknown,
): View {
  if (list === "items") return { items: [{ sku: "lamp", quantity: 1, price: money(priceMinor) }] };
  if (list === "payments")
    return {
      payments: attempts.map(({ charge_id, status }) => ({ charge_id, status: status.toLowerCase() })),
    };
  if (list === "refunds") return { refunds: refunds.map(({ minor }) => ({ amount: amountOf(minor) })) };
  return {};
}

function historyOf(order: Order, { history }: Traits): View {
  if (history === "none") return {};
  const isPending = (status: string) => ["awaiting_payment", "processing"].includes(status);
  const entries = order.history.filter(({ status }) => history !== "marks" || !isPending(status));
  const texts = entries.map(({ status, atMs }) =>
    history === "steps with times" ? { status, at: new Date(atMs).toISOString() } : status,
  );
  return { history: texts };
}

/** Counts over all orders of the shop, whoever placed them. */
function countersOf(all: readonly Order[]): View {
  return { orders: all.length, sold: all.reduce((sum, { delivered }) => sum + delivered, 0) };
}

/** Shows what a customer has in all orders. */
export function accountOf(email: string, all: readonly Order[]): View {
  const own = all.filter((order) => order.email === email);
  const paidMinor = own.reduce(
    (sum, { paidBy, priceMinor }) => sum + (paidBy === undefined ? 0 : priceMinor),
    0,
  );
  return { orders: own.length, paid: amountOf(paidMinor) };
}
