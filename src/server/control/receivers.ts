import type { Delivery, Endpoint } from "../../core/engine/records.js";
import type { State } from "../../core/engine/state.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { failureText, isFailing } from "../../core/reports/delivery-text.js";
import type { ReceiverHealth } from "../../core/schema/control-log-responses.js";
import { isSuccessStatus } from "../../core/schema/http-response.js";

/** Number of deliveries that the health of a receiver is computed from. */
const RECENT_MAX = 50;

/** Deliveries that a receiver has not accepted, newest first. */
export function openFailures(state: State, { webhook_id }: Endpoint, limit = Number.POSITIVE_INFINITY) {
  const isOpen = (delivery: Delivery) => delivery.webhook_id === webhook_id && isFailing(delivery);
  return state.pageOfKinds("deliveries", isOpen, 0, limit);
}

/** Deliveries that wait for a receiver, newest first; none if the first of them is only being sent. */
export function heldDeliveries(namespace: Namespace, { webhook_id }: Endpoint): Delivery[] {
  const isWaiting = ({ status, ...own }: Delivery) => status === "pending" && own.webhook_id === webhook_id;
  const held = namespace.engine.state
    .allOfKinds("deliveries", isWaiting)
    .filter((delivery) => namespace.findHold(delivery) !== null);
  return held.some(({ task }) => task !== null) ? held : [];
}

export function receiverHealth(namespace: Namespace, endpoint: Endpoint): ReceiverHealth {
  const { state } = namespace.engine;
  const { webhook_id, enabled } = endpoint;
  const isTried = ({ attempts, ...own }: Delivery) => own.webhook_id === webhook_id && attempts.length > 0;
  const tried = state.pageOfKinds("deliveries", isTried, 0, RECENT_MAX).items;
  const attempts = tried.flatMap((delivery) => delivery.attempts);
  const failed = attempts.filter(({ status }) => !isSuccessStatus(status));
  const last = failed.sort((a, b) => a.order - b.order).at(-1);
  const times = attempts
    .flatMap(({ status, duration_ms }) => (status === null ? [] : duration_ms))
    .sort((a, b) => a - b);
  const delivered = tried.filter(({ status }) => status === "delivered").length;
  const open = openFailures(state, endpoint, 0).total;
  const isHeld = () => heldDeliveries(namespace, endpoint).length > 0;
  return {
    state: !enabled ? "off" : open > 0 ? "failing" : isHeld() ? "held" : "ok",
    open_failures: open,
    last_error: last === undefined ? null : failureText(last),
    recent: tried.length,
    p50_ms: percentile(times, 50),
    p95_ms: percentile(times, 95),
    delivered_share: tried.length === 0 ? null : delivered / tried.length,
  };
}

/** The nearest-rank percentile of ascending values; null without any. */
function percentile(ascending: readonly number[], percent: number): number | null {
  return ascending[Math.ceil((percent / 100) * ascending.length) - 1] ?? null;
}
