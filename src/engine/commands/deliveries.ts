import { judge } from "../../domain/retry.js";
import { iso } from "../../schema/time.js";
import { scheduleAttempt } from "../events.js";
import type { Attempt, Delivery, Task } from "../records.js";
import type { Command, Transaction } from "../transaction.js";

/** What came of one attempt: what the log shows, and how long the receiver asked us to wait. */
export interface Outcome extends Omit<Attempt, "attempt" | "at"> {
  readonly retryAfterMs: number | null;
}

/**
 * An attempt is over: its task goes, and with it in one change comes whatever follows. Until then the task
 * stays, so that an attempt lost in a crash is made again.
 */
export function recordAttempt(task: Task, outcome: Outcome): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const delivery = tx.get("deliveries", task.ref);
    if (delivery === undefined || delivery.status !== "pending") return;
    const { retryAfterMs, ...logged } = outcome;
    const attempts = [...delivery.attempts, { attempt: delivery.attempts.length + 1, at: tx.at, ...logged }];
    const verdict = judge(
      { status: outcome.status, retryAfterMs },
      attempts.length,
      tx.settings.retry_schedule_ms,
    );
    let next: Delivery = { ...delivery, attempts, next_attempt_at: null };
    switch (verdict.next) {
      case "delivered":
        next = { ...next, status: "delivered" };
        break;
      case "give_up":
        next = { ...next, status: "failed" };
        break;
      case "disable": {
        next = { ...next, status: "failed" };
        const endpoint = tx.get("endpoints", delivery.webhook_id);
        if (endpoint !== undefined) tx.put("endpoints", endpoint.webhook_id, { ...endpoint, enabled: false });
        break;
      }
      case "retry": {
        const dueMs = tx.atMs + verdict.afterMs;
        next = { ...next, next_attempt_at: iso(dueMs) };
        scheduleAttempt(tx, delivery.delivery_id, dueMs);
        break;
      }
    }
    tx.put("deliveries", delivery.delivery_id, next);
    if (attempts.length === 1) startNextInLane(tx, delivery);
  };
}

/** The endpoint is gone or switched off: what still waits for it is dropped, and said so. */
export function dropDelivery(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const delivery = tx.get("deliveries", task.ref);
    if (delivery === undefined) return;
    tx.put("deliveries", delivery.delivery_id, { ...delivery, status: "dropped", next_attempt_at: null });
    if (delivery.attempts.length === 0) startNextInLane(tx, delivery);
  };
}

/** The first attempt is over, however it went: the object's next event may go. */
function startNextInLane(tx: Transaction, done: Delivery): void {
  if (done.lane === null) return;
  const queue = tx.get("lanes", done.lane);
  if (queue === undefined || queue.waiting[0] !== done.delivery_id) return;
  const waiting = queue.waiting.slice(1);
  const nextId = waiting[0];
  if (nextId === undefined) {
    tx.remove("lanes", done.lane);
    return;
  }
  tx.put("lanes", done.lane, { lane: done.lane, waiting });
  const following = tx.get("deliveries", nextId);
  if (following !== undefined) tx.put("deliveries", nextId, { ...following, next_attempt_at: tx.at });
  scheduleAttempt(tx, nextId, tx.atMs);
}
