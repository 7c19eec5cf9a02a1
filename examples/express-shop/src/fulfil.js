import { orderStatus } from "./status.js";

/**
 * Takes news of an order's charge: from a webhook or from reading the charge, as often and in whatever order they come.
 * A charge's history only grows. What is not longer than what is known came twice, or was overtaken on the way.
 *
 * In a database the check, the shipment and the update are one transaction, with the order's row locked.
 */
export function fulfil(order, charge, ship) {
  const length = charge.status_history.length;
  if (length <= order.history_length) return;
  if (charge.status === "COMPLETED") ship(order);
  order.history_length = length;
  order.status = orderStatus(charge);
}
