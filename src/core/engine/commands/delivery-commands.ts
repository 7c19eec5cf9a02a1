import { decideRetry } from "../../domain/webhook-attempts.js";
import { type Refusal, refuse } from "../../schema/refusals.js";
import { planAttempt, planDelivery, planNextInLane, trimEventLog } from "../event-emission.js";
import { retryMishapAt } from "../event-mishaps.js";
import type { Attempt, Delivery, Task } from "../records.js";
import type { Command, Transaction } from "../transaction.js";

/** Result of one attempt: its log entry, and the receiver's Retry-After. */
export interface AttemptResult extends Omit<Attempt, "attempt" | "order" | "at" | "retry_after_ms"> {
  readonly retryAfterMs: number | null;
  /** True if the connection was refused. */
  readonly isUnreachable?: boolean;
}

/** Records an ended attempt, removes its task and plans the next. A crash before this call repeats the attempt. */
export function recordAttempt(task: Task, outcome: AttemptResult): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const delivery = tx.get("deliveries", task.ref);
    if (delivery === undefined || delivery.status !== "pending") return;
    const { retryAfterMs, isUnreachable: _refused, ...logged } = withLostResponse(delivery, outcome);
    const attempt = delivery.attempts.length + 1;
    const retryAfter = retryAfterMs === null ? {} : { retry_after_ms: retryAfterMs };
    const attempts = [
      ...delivery.attempts,
      { attempt, order: tx.next("attempt"), at: tx.at, ...logged, ...retryAfter },
    ];
    // False events are not retried.
    const isSingleAttempt = delivery.mishap?.forged !== undefined;
    const verdict = decideRetry(
      { status: logged.status, retryAfterMs },
      attempts.length,
      isSingleAttempt ? [] : tx.settings.retry_schedule_ms,
    );
    const ended: Delivery = { ...delivery, attempts, task: null, next_attempt_at: null };
    if (verdict.next === "retry") {
      const retried = retryMishapAt(delivery, attempt + 1);
      if (retried !== undefined) tx.noteRule({ ...retried, kind: "webhooks" });
      planAttempt(tx, ended, tx.atMs + verdict.afterMs + (retried?.delay_ms ?? 0));
    } else {
      const status = verdict.next === "delivered" ? "delivered" : "failed";
      tx.put("deliveries", ended.delivery_id, { ...ended, status });
    }
    const endpoint = verdict.next === "disable" ? tx.get("endpoints", ended.webhook_id) : undefined;
    if (endpoint !== undefined) tx.put("endpoints", endpoint.webhook_id, { ...endpoint, enabled: false });
    sendCopies(tx, delivery, attempt);
    if (attempts.length === 1) leaveLane(tx, delivery);
    trimEventLog(tx);
  };
}

/** Sends the copies that a scenario's rule adds to a retry; called after the retry has ended. */
function sendCopies(tx: Transaction, delivery: Delivery, attempt: number): void {
  const { copies = 1 } = retryMishapAt(delivery, attempt) ?? {};
  const event = tx.get("events", delivery.event_id);
  const endpoint = tx.get("endpoints", delivery.webhook_id);
  if (event === undefined || endpoint?.enabled !== true) return;
  for (let copy = 1; copy < copies; copy++) planDelivery(tx, event, endpoint, { skipsLane: true });
}

/** Replaces the response by an error if a scenario loses the response. The receiver has processed the event. */
function withLostResponse(delivery: Delivery, outcome: AttemptResult): AttemptResult {
  const scenario = losingScenario(delivery, delivery.attempts.length + 1);
  if (scenario === undefined || outcome.status === null) return outcome;
  return {
    ...outcome,
    status: null,
    response_body: null,
    retryAfterMs: null,
    error: lostResponseError(scenario),
  };
}

function losingScenario(delivery: Delivery, attempt: number): string | undefined {
  const { mishap } = delivery;
  const rule = attempt === 1 ? mishap : retryMishapAt(delivery, attempt);
  return rule?.response_lost === true ? rule.scenario : undefined;
}

function lostResponseError(scenario: string): string {
  return `the response was lost on the way back, by scenario ${scenario}`;
}

export function isResponseLost(delivery: Delivery, { attempt, error }: Attempt): boolean {
  const scenario = losingScenario(delivery, attempt);
  return scenario !== undefined && error === lostResponseError(scenario);
}

/** Makes a delivery's planned attempt now; a failed delivery gets an extra attempt. */
export function retryDelivery(deliveryId: string): Command<Delivery | Refusal> {
  return (tx) => {
    const delivery = tx.get("deliveries", deliveryId);
    if (delivery === undefined) return refuse("NOT_FOUND", "Delivery not found");
    const fault = retryFault(tx, delivery);
    if (fault !== undefined) return refuse("INVALID_TRANSITION", fault);
    return planAttempt(tx, { ...delivery, status: "pending" }, tx.atMs);
  };
}

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
    trimEventLog(tx);
  };
}

function leaveLane(tx: Transaction, done: Delivery): void {
  const queue = done.lane === null ? undefined : tx.get("lanes", done.lane);
  if (queue === undefined) return;
  const waiting = queue.waiting.filter((id) => id !== done.delivery_id);
  const swapped = queue.swapped.filter((id) => id !== done.delivery_id);
  if (waiting.length === 0 && swapped.length === 0) tx.remove("lanes", queue.lane);
  else tx.put("lanes", queue.lane, { lane: queue.lane, waiting, swapped });
  planNextInLane(tx, queue.lane);
}
