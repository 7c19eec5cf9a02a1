import type { Delivery, Task } from "../../core/engine/records.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { failureText, isFailing, stateText } from "../../core/reports/delivery-text.js";
import { deliveryState } from "../../server/control/record-views.js";

interface Holder {
  readonly namespace: Namespace;
}

/** How a delivery stands, in words. */
export function deliveryStateOf({ namespace }: Holder, delivery: Delivery): string {
  return stateText(deliveryState(namespace.engine.state, delivery, namespace.findHold(delivery)));
}

/** True for a failing delivery whose receiver is on. */
export function isOpenFailure({ namespace }: Holder, delivery: Delivery): boolean {
  return (
    isFailing(delivery) && namespace.engine.state.get("endpoints", delivery.webhook_id)?.enabled !== false
  );
}

/** Tasks in the order of their times, without retries at a receiver that is turned off. */
export function* dueTasks(context: Holder): Generator<Task> {
  const { state } = context.namespace.engine;
  for (const task of state.tasks.inOrder()) {
    const delivery = task.kind === "attempt" && state.get("deliveries", task.ref);
    if (!delivery || deliveryStateOf(context, delivery) !== "off") yield task;
  }
}

/** Status or error of the last attempt, with the first line of the response. */
export function deliveryFailureText({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last === undefined ? "no attempt yet" : failureText(last);
}
