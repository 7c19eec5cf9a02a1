import type { Charge } from "../domain/charge-transition.js";
import { chooseDefaultMethod } from "../engine/commands/checkout-commands.js";
import type { Engine } from "../engine/engine.js";
import { willReachStatus } from "../engine/look-ahead.js";
import type { Task } from "../engine/records.js";
import { commandOf } from "../engine/task-commands.js";
import { comesBefore } from "../engine/task-queue.js";
import type { ChargeStatus } from "../schema/common.js";
import { isRefusal, type Refusal, refuse } from "../schema/refusals.js";

/**
 * Runs a charge's own tasks at the current instant until the charge has the status; other tasks wait. Chooses the
 * default method if only the customer's choice of method is missing. Refuses if no planned task leads to the status.
 */
export function runChargeUntil(
  engine: Engine,
  chargeId: string,
  until: ChargeStatus,
  nowMs: number,
): Charge | Refusal {
  const findCharge = () => engine.state.get("charges", chargeId);
  let charge = findCharge();
  if (charge === undefined) return refuse("NOT_FOUND", "Charge not found");
  if (!willReachStatus(engine.state, charge, until, nowMs)) {
    const result = engine.execute(chooseDefaultMethod(chargeId, until), nowMs);
    if (isRefusal(result)) return result;
    charge = result;
  }
  while (charge.status !== until) {
    const next = nextTask(engine, charge);
    if (next === undefined)
      throw new Error(`charge ${chargeId} stays ${charge.status} on its way to ${until}`);
    engine.execute(commandOf(next), nowMs);
    charge = findCharge()!;
  }
  return charge;
}

function nextTask(engine: Engine, { tasks }: Charge): Task | undefined {
  let next: Task | undefined;
  for (const id of Object.values(tasks)) {
    const task = id === undefined ? undefined : engine.state.get("tasks", id);
    if (task !== undefined && (next === undefined || comesBefore(task, next))) next = task;
  }
  return next;
}
