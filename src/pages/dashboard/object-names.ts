import type { Charge } from "../../core/domain/charge-transition.js";
import type { Namespace } from "../../core/namespace/namespace.js";

/** Characters of a metadata entry in a row. */
const MAX_ORDER_LENGTH = 60;

/** The app's order, or else the first entry of a charge's metadata with its name. */
export function orderOf({ metadata }: Charge): string | false {
  const entries = Object.entries(metadata);
  const order = entries.find(([name]) => /order/i.test(name))?.[1] ?? entries[0]?.join(" ");
  if (order === undefined) return false;
  return order.length > MAX_ORDER_LENGTH ? `${order.slice(0, MAX_ORDER_LENGTH)}…` : order;
}

/** The app's order or payout reference, else the id. */
export function objectName({ engine: { state } }: Namespace, id = ""): string {
  const charge = state.get("charges", id);
  return (charge === undefined ? state.get("withdrawals", id)?.reference : orderOf(charge)) || id;
}
