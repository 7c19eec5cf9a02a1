import type { Charge } from "../core/domain/charge-transition.js";
import type { Withdrawal } from "../core/domain/withdrawal.js";
import type { EventRecord } from "../core/engine/records.js";
import type { Namespace } from "../core/namespace/namespace.js";
import { reversalStatus, type ShownStatus, shownStatus } from "../core/reports/shown-status.js";

/** The reversal that an event reports, as a status; undefined for other events. */
export function reversalOf({ type, body, at }: EventRecord): ShownStatus | undefined {
  return type.startsWith("sandbox.") ? reversalStatus(at, JSON.parse(body).data) : undefined;
}

/** A payment's status as people read it. */
export function statusOf({ engine }: Namespace, record: Charge | Withdrawal): ShownStatus {
  const id = "charge_id" in record ? record.charge_id : record.withdrawal_id;
  return shownStatus(
    record,
    engine.state.eventsOf(id).flatMap((event) => reversalOf(event) ?? []),
  );
}
