import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from "../../schema/common.js";
import { ERROR_STATUS } from "../../schema/errors.js";
import { ok, type Reply } from "../reply.js";
import { OPERATIONS } from "../service/operations.js";
import type { ControlCall } from "./operations.js";

/** Codes that only the control API answers with. */
const CONTROL_CODES = new Set(["WAIT_TIMEOUT", "INVALID_TRANSITION", "CLOCK_BUSY", "NAMESPACE_EXISTS"]);

/** What the app has met so far of what the service can do, and what it has not. */
export function coverage({ namespace }: ControlCall): Reply {
  namespace.settle();
  const { counters } = namespace;
  const events = [
    ...CHARGE_STATUSES.filter((status) => status !== "PENDING").map(
      (status) => `charge.${status.toLowerCase()}`,
    ),
    ...WITHDRAWAL_STATUSES.filter((status) => status !== "PENDING").map(
      (status) => `withdrawal.${status.toLowerCase()}`,
    ),
  ];
  return ok({
    operations: split(
      OPERATIONS.map((operation) => operation.id),
      counters.operations,
    ),
    statuses: split(CHARGE_STATUSES, counters.statuses),
    events: split(events, counters.events),
    error_codes: split(
      Object.keys(ERROR_STATUS).filter((code) => !CONTROL_CODES.has(code)),
      counters.errorCodes,
    ),
  });
}

function split(known: readonly string[], met: ReadonlyMap<string, number>) {
  return {
    met: Object.fromEntries(known.filter((name) => met.has(name)).map((name) => [name, met.get(name)])),
    not_met: known.filter((name) => !met.has(name)),
  };
}
