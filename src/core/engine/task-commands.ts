import { expireCharge, runChargeTimelineEntry, settleCharge } from "./commands/charge-life.js";
import { runWithdrawalTimelineEntry } from "./commands/withdrawal-commands.js";
import type { Task } from "./records.js";
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
