import type { Charge } from "../../domain/charge.js";
import { chargeDetail } from "../../engine/views.js";
import type { Namespace } from "../../namespace/namespace.js";
import { durationMs } from "../../schema/duration.js";
import { refuse } from "../../schema/errors.js";
import { okJson, type Reply } from "../reply.js";
import { refused } from "./admit.js";

/** The answer to a reading of a charge as a replica gives it that is so far behind; any other as it is. */
export function asOf(namespace: Namespace, reply: Reply, stale: string | undefined): Reply {
  if (stale === undefined || reply.status !== 200) return reply;
  const { charge_id, status_history } = JSON.parse(reply.json) as Partial<Charge>;
  // Only a charge read in full has a history.
  if (charge_id === undefined || status_history === undefined) return reply;
  const charge = namespace.engine.state.get("charges", charge_id);
  const then = charge && asItWas(charge, namespace.nowMs() - durationMs(stale));
  if (then === undefined) return refused(namespace, refuse("NOT_FOUND", "Charge not found"));
  return okJson(JSON.stringify(chargeDetail(then)));
}

/** Undefined where it had not been made yet. */
function asItWas(charge: Charge, atMs: number): Charge | undefined {
  const status_history = charge.status_history.filter(({ at }) => Date.parse(at) <= atMs);
  const last = status_history.at(-1);
  if (last === undefined) return undefined;
  const { status, at: updated_at } = last;
  const isSettled = charge.settled_at !== null && Date.parse(charge.settled_at) <= atMs;
  return {
    ...charge,
    status,
    updated_at,
    status_history,
    settled_at: isSettled ? charge.settled_at : null,
    failure_reason: status === charge.status ? charge.failure_reason : null,
  };
}
