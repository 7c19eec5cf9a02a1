import type { Charge } from "../domain/charge-transition.js";
import type { ChargeStatus } from "../schema/common.js";
import { isRefusal, type Refusal, refuse } from "../schema/refusals.js";
import { expireCharge, runChargeTimelineEntry, settleCharge } from "./commands/charge-life.js";
import { chooseDefaultMethod } from "./commands/checkout-commands.js";
import { runWithdrawalTimelineEntry } from "./commands/withdrawal-commands.js";
import type { Engine } from "./engine.js";
import { willReachStatus } from "./look-ahead.js";
import type { Task } from "./records.js";
import { comesBefore } from "./task-queue.js";
import type { Command } from "./transaction.js";

const COMMANDS: Readonly<Record<Exclude<Task["kind"], "attempt">, (task: Task) => Command<void>>> = {
  expire: expireCharge,
  timeline: runChargeTimelineEntry,
  withdrawal: runWithdrawalTimelineEntry,
  settle: settleCharge,
};

/** Command of a due task. Attempts at deliveries have none: the dispatcher sends them. */
export function commandOf(task: Task): Command<void> {
  if (task.kind === "attempt") throw new Error(`task ${task.task_id} of kind attempt cannot be run`);
  return COMMANDS[task.kind](task);
}

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
