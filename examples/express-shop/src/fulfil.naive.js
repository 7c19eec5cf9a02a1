import { orderStatus } from "./status.js";

/**
 * What one writes first. It is right as long as every webhook comes once and in order; webhooks do not promise
 * that. `tests/bad-days.test.js` shows what becomes of it.
 */
export function fulfil(order, charge, ship) {
  if (charge.status === "COMPLETED") ship(order);
  order.status = orderStatus(charge);
}
