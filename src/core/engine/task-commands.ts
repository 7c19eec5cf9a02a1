import { expireCharge, runTimelineEntry, settleCharge } from "./commands/charge-life.js";
import { runWithdrawalEntry } from "./commands/withdrawal-commands.js";
import type { Task } from "./records.js";
import type { Command } from "./transaction.js";

/** Command of a due task. Attempts at deliveries have none: the dispatcher sends them. */
export function commandOf(task: Task): Command<void> {
  switch (task.kind) {
    case "expire":
      return expireCharge(task);
    case "timeline":
      return runTimelineEntry(task);
    case "withdrawal":
      return runWithdrawalEntry(task);
    case "settle":
      return settleCharge(task);
    default:
      throw new Error(`task ${task.task_id} of kind ${task.kind} cannot be run`);
  }
}
