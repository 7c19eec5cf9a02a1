import type { Charge } from "../core/domain/charge-transition.js";
import type { Withdrawal } from "../core/domain/withdrawal.js";
import type { EventRecord } from "../core/engine/records.js";
import type { Namespace } from "../core/namespace/namespace.js";
import { type ShownStatus, shownStatus } from "../core/reports/shown-status.js";
import { reversalOfEvent, reversalsOf } from "../server/control/payment-report.js";

/** The reversal that an event reports, as a status; undefined for other events. */
export function reversalOf(event: EventRecord): ShownStatus | undefined {
  const reversal = reversalOfEvent(event);
  if (reversal === undefined) return undefined;
  return shownStatus({ status: "COMPLETED", updated_at: event.at, reversals: [reversal] });
}

/** A payment's status as people read it. */
export function statusOf({ engine }: Namespace, record: Charge | Withdrawal): ShownStatus {
  const id = "charge_id" in record ? record.charge_id : record.withdrawal_id;
  return shownStatus({ ...record, reversals: reversalsOf(engine.state.eventsOf(id)) });
}
