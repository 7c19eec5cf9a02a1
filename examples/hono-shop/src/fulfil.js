import { orderStatus } from "./status.js";

/**
 * Takes news of one of an order's charges, as often and in whatever order they come. A charge's history only grows.
 * What is not longer than what is known came twice, or was overtaken on the way.
 *
 * In a database the checks, the shipment and the updates are one transaction, with the order's row locked.
 */
export function fulfil(order, charge, ship) {
  const length = charge.status_history.length;
  if (length <= (order.history_lengths.get(charge.charge_id) ?? 0)) return;
  order.history_lengths.set(charge.charge_id, length);
  // Who opens two checkouts can pay both. The goods go out for the first; the second is to be refunded.
  if (charge.status === "COMPLETED" && !order.paid_by) {
    order.paid_by = charge.charge_id;
    ship(order);
  }
  // The charge that paid says how the order stands; until one has, the newest.
  if (charge.charge_id === (order.paid_by ?? order.charge_id)) order.status = orderStatus(charge);
}
