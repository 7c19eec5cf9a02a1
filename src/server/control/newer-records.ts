import type { Delivery } from "../../core/engine/records.js";
import { chargeDetailView } from "../../core/engine/wire-views.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Charge, Withdrawal } from "../../core/schema/records/payment-records.js";
import { chargeExtras } from "./charges.js";
import { deliveryRow } from "./record-views.js";
import { requestEntryView } from "./requests.js";
import { controlWithdrawalView } from "./withdrawals.js";

type Row = Record<string, unknown>;

const LISTS = {
  deliveries: {
    idOf: (one: Delivery) => one.delivery_id,
    viewIn: (namespace: Namespace) => (one: Delivery) =>
      deliveryRow(namespace.engine.state, one, namespace.findHold(one)),
  },
  charges: {
    idOf: (one: Charge) => one.charge_id,
    viewIn: (_: Namespace) => (one: Charge) => ({ ...chargeDetailView(one), ...chargeExtras(one) }),
  },
  withdrawals: {
    idOf: (one: Withdrawal) => one.withdrawal_id,
    viewIn: (namespace: Namespace) => (one: Withdrawal) => controlWithdrawalView(namespace, one),
  },
};

/** Number of records on the first page that is searched for the last one. */
const FIRST_PAGE = 16;

/**
 * Lists the records that are newer than the one with the id `last`, newest first, as the control API lists them. Leaves out
 * how a charge stands, and what a delivery carries: these take longer than the rest of the row.
 */
export async function newerRecords(
  namespace: Namespace,
  name: "requests" | keyof typeof LISTS,
  last: string | undefined,
): Promise<Row[]> {
  await namespace.catchUp();
  if (name === "requests")
    return upTo(namespace.journal.entries(), ({ id }) => String(id) === last).map(requestEntryView);
  namespace.runDueTasks();
  const { idOf, viewIn } = LISTS[name] as (typeof LISTS)["charges"];
  for (let limit = FIRST_PAGE; ; limit *= 4) {
    const items = namespace.engine.state.page(name as "charges", name, 0, limit);
    const found = upTo(items, (one) => idOf(one) === last);
    if (found.length < items.length || items.length < limit) return found.map(viewIn(namespace));
  }
}

/** Returns the items before the one that `isLast` finds; all if it finds none. */
function upTo<Item>(items: readonly Item[], isLast: (item: Item) => boolean): readonly Item[] {
  const end = items.findIndex(isLast);
  return end === -1 ? items : items.slice(0, end);
}
