import { judge } from "../../domain/retry.js";
import { type Refusal, refuse } from "../../schema/errors.js";
import { planAttempt, planDelivery, trimLog } from "../events.js";
import type { Attempt, Delivery, Task } from "../records.js";
import { retriedAt } from "../retried.js";
import type { Command, Transaction } from "../transaction.js";

/** What came of one attempt: what the log shows, and how long the receiver asked us to wait. */
export interface Outcome extends Omit<Attempt, "attempt" | "order" | "at"> {
  readonly retryAfterMs: number | null;
  /** Nobody listens there: the connection was refused. */
  readonly isUnreachable?: boolean;
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
    const { retryAfterMs, isUnreachable: _refused, ...logged } = asItCameBack(delivery, outcome);
    const attempt = delivery.attempts.length + 1;
    const attempts = [...delivery.attempts, { attempt, order: tx.next("attempt"), at: tx.at, ...logged }];
    // Nobody sends again what nobody has sent, or what somebody has tried by hand.
    const isOnce = delivery.mishap?.forged !== undefined || delivery.mishap?.by_hand === true;
    const verdict = judge(
      { status: logged.status, retryAfterMs },
      attempts.length,
      isOnce ? [] : tx.settings.retry_schedule_ms,
    );
    const over: Delivery = { ...delivery, attempts, task: null, next_attempt_at: null };
    switch (verdict.next) {
      case "delivered":
        tx.put("deliveries", over.delivery_id, { ...over, status: "delivered" });
        break;
      case "give_up":
        tx.put("deliveries", over.delivery_id, { ...over, status: "failed" });
        break;
      case "disable": {
        tx.put("deliveries", over.delivery_id, { ...over, status: "failed" });
        const endpoint = tx.get("endpoints", over.webhook_id);
        if (endpoint !== undefined && !delivery.mishap?.by_hand)
          tx.put("endpoints", endpoint.webhook_id, { ...endpoint, enabled: false });
        break;
      }
      case "retry": {
        const retried = retriedAt(delivery, attempt + 1);
        if (retried !== undefined) tx.apply({ ...retried, kind: "webhooks" });
        planAttempt(tx, over, tx.atMs + verdict.afterMs + (retried?.delay_ms ?? 0));
        break;
      }
    }
    sendCopies(tx, delivery, attempt);
    if (attempts.length === 1) leaveLane(tx, delivery);
    trimLog(tx);
  };
}

/** A further attempt that a scenario has come more than once: the others follow when it is over. */
function sendCopies(tx: Transaction, delivery: Delivery, attempt: number): void {
  const { copies = 1 } = retriedAt(delivery, attempt) ?? {};
  const event = tx.get("events", delivery.event_id);
  const endpoint = tx.get("endpoints", delivery.webhook_id);
  if (event === undefined || endpoint?.enabled !== true) return;
  for (let copy = 1; copy < copies; copy++) planDelivery(tx, event, endpoint, { goesAlone: true });
}

/** The receiver has done its work, and where a scenario loses its answer, that is not known here. */
function asItCameBack(delivery: Delivery, outcome: Outcome): Outcome {
  const losing = whoLoses(delivery, delivery.attempts.length + 1);
  if (losing === undefined || outcome.status === null) return outcome;
  return {
    ...outcome,
    status: null,
    response_body: null,
    retryAfterMs: null,
    error: lostBy(losing),
  };
}

/** The scenario that loses the answer to that attempt, if any does. */
function whoLoses(delivery: Delivery, attempt: number): string | undefined {
  const { mishap } = delivery;
  const by = attempt === 1 ? mishap : retriedAt(delivery, attempt);
  return by?.lose_answer === true ? by.scenario : undefined;
}

function lostBy(scenario: string): string {
  return `the answer was lost on the way back, by scenario ${scenario}`;
}

/** Whether a scenario has lost the answer to that attempt. */
export function isAnswerLost(delivery: Delivery, { attempt, error }: Attempt): boolean {
  const losing = whoLoses(delivery, attempt);
  return losing !== undefined && error === lostBy(losing);
}

/**
 * The next attempt at a delivery is made now: the one the ladder has planned for later, or one more after the
 * last has failed. It counts like any other.
 */
export function retryDelivery(deliveryId: string): Command<Delivery | Refusal> {
  return (tx) => {
    const delivery = tx.get("deliveries", deliveryId);
    if (delivery === undefined) return refuse("NOT_FOUND", "Delivery not found");
    const fault = retryFault(tx, delivery);
    if (fault !== undefined) return refuse("INVALID_TRANSITION", fault);
    return planAttempt(tx, { ...delivery, status: "pending" }, tx.atMs);
  };
}

/** Why a delivery cannot be tried again now. */
function retryFault(tx: Transaction, delivery: Delivery): string | undefined {
  const { status, task } = delivery;
  if (status === "delivered") return "The delivery has arrived; redeliver makes a new one of the same event.";
  if (status === "dropped") return "The delivery was dropped; redeliver makes a new one of the same event.";
  if (tx.get("endpoints", delivery.webhook_id)?.enabled !== true)
    return "The delivery's endpoint has been deleted or disabled.";
  if (status === "failed") return undefined;
  const planned = task === null ? undefined : tx.get("tasks", task);
  if (planned === undefined) return "The delivery waits for the object's event before it.";
  if (planned.due_ms <= tx.atMs) return "An attempt at the delivery is under way, or waits for its receiver.";
  return undefined;
}

/** The endpoint is gone or switched off: what still waits for it is dropped, and said so. */
export function dropDelivery(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const delivery = tx.get("deliveries", task.ref);
    if (delivery === undefined) return;
    tx.put("deliveries", delivery.delivery_id, {
      ...delivery,
      status: "dropped",
      task: null,
      next_attempt_at: null,
    });
    if (delivery.attempts.length === 0) leaveLane(tx, delivery);
    trimLog(tx);
  };
}

/** The first attempt is over, however it went: the object's next event may go. */
function leaveLane(tx: Transaction, done: Delivery): void {
  const queue = done.lane === null ? undefined : tx.get("lanes", done.lane);
  if (queue === undefined) return;
  const wasNext = queue.waiting[0] === done.delivery_id;
  const waiting = queue.waiting.filter((id) => id !== done.delivery_id);
  const swapped = queue.swapped.filter((id) => id !== done.delivery_id);
  if (waiting.length === 0 && swapped.length === 0) tx.remove("lanes", queue.lane);
  else tx.put("lanes", queue.lane, { lane: queue.lane, waiting, swapped });
  const following = wasNext && waiting[0] !== undefined ? tx.get("deliveries", waiting[0]) : undefined;
  if (following !== undefined) planAttempt(tx, following, tx.atMs);
}
