import type { Charge } from "../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../core/domain/withdrawal.js";
import type { Reversal } from "../../core/engine/commands/reversal-commands.js";
import { plannedMoves, settableStatuses } from "../../core/engine/look-ahead.js";
import type { Delivery, EventRecord } from "../../core/engine/records.js";
import { requestedScenarioNamesOf, ruleConditions } from "../../core/engine/scenario-lookup.js";
import type { State } from "../../core/engine/state.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import {
  commandText,
  explainStatus,
  nextStepOf,
  type OpenWebhook,
  type StepFacts,
} from "../../core/reports/payment-text.js";
import type { ChargeStatus } from "../../core/schema/common.js";
import type { WebhookCounts } from "../../core/schema/control-insight-responses.js";
import { CHARGE_STATUS_TABLE, hasEnded } from "../../core/schema/statuses.js";
import { iso } from "../../core/schema/time.js";
import { deliveriesOfEvents } from "./deliveries.js";
import { deliveryState } from "./record-views.js";
import { nextOfWithdrawal } from "./tasks.js";

function reversalOfEvent({ type, body }: EventRecord): Reversal | undefined {
  if (!type.startsWith("sandbox.")) return undefined;
  return (JSON.parse(body).data as { readonly sandbox_extension?: Reversal }).sandbox_extension;
}

/** Why a payment has its status, what comes next, and how its webhooks stand. */
export function paymentReport(namespace: Namespace, payment: Charge | Withdrawal) {
  const { state } = namespace.engine;
  const id = idOf(payment);
  const events = state.eventsOf(id);
  const reversals = events.flatMap((event) => reversalOfEvent(event) ?? []);
  const { counts: webhooks, ...open } = sortWebhooks(namespace, deliveriesOfEvents(state, events));
  const tasks = state.tasksOf(id);
  // Most payments of a list have ended, and cost no look ahead.
  const isPlanned = tasks.some(({ kind }) => kind !== "settle");
  const moves = isPlanned ? plannedMoves(state, payment) : [];
  const planned = moves.map(({ to, dueMs }) => ({ to, at: iso(dueMs) }));
  const isOver = hasEnded(payment.status as ChargeStatus);
  return {
    why: explainStatus({
      payment,
      reversals,
      conditions: ruleConditions(state, payment),
      requested: requestedScenarioNamesOf(payment),
      isStuck: !isOver && tasks.length === 0,
    }),
    next_step: nextStepOf({
      payment,
      ...open,
      hasEnded: isOver,
      due: planned[0],
      verb: isOver ? undefined : verbByHand(state, payment),
      stoppedAtMs: namespace.isTimeRunning ? undefined : namespace.nowMs(),
      commandFor: (words) => commandText(words, namespace.name),
    }),
    webhooks,
    reversals,
    planned,
  };
}

export function idOf(payment: Charge | Withdrawal): string {
  return "charge_id" in payment ? payment.charge_id : payment.withdrawal_id;
}

/** True if a payment has not ended and no change of it is scheduled. */
export function isStuck(state: State, payment: Charge | Withdrawal): boolean {
  return !hasEnded(payment.status as ChargeStatus) && state.tasksOf(idOf(payment)).length === 0;
}

/** Selects payments by the filters `stuck` and `scenario` of a list; undefined without both. */
export function planFilter(
  state: State,
  { stuck, scenario }: { readonly stuck?: string | undefined; readonly scenario?: string | undefined },
): ((payment: Charge | Withdrawal) => boolean) | undefined {
  if (stuck === undefined && scenario === undefined) return undefined;
  return (payment) =>
    (stuck === undefined || isStuck(state, payment)) &&
    (scenario === undefined || (payment.scenario ?? "none") === scenario);
}

/** The verb that completes a payment, or else takes it on. */
export function verbByHand(state: State, payment: Charge | Withdrawal): string | undefined {
  const moves = "charge_id" in payment ? settableStatuses(state, payment) : nextOfWithdrawal(payment);
  const to = moves.find((one) => one === "COMPLETED") ?? moves[0];
  return to === undefined ? undefined : CHARGE_STATUS_TABLE[to as ChargeStatus].verb;
}

function sortWebhooks(
  namespace: Namespace,
  deliveries: readonly Delivery[],
): Pick<StepFacts, "failing" | "held"> & { readonly counts: WebhookCounts } {
  const { state } = namespace.engine;
  const counts = { delivered: 0, failing: 0, held: 0, given_up: 0 };
  const open: Record<"failing" | "held", OpenWebhook[]> = { failing: [], held: [] };
  for (const delivery of deliveries) {
    const hold = namespace.findHold(delivery);
    const stands = deliveryState(state, delivery, hold);
    if (stands in counts) counts[stands as keyof typeof counts]++;
    if (stands !== "failing" && stands !== "given_up" && stands !== "held") continue;
    const { delivery_id, next_attempt_at, attempts, webhook_id } = delivery;
    open[stands === "held" ? "held" : "failing"].push({
      delivery_id,
      url: state.get("endpoints", webhook_id)?.url ?? null,
      next_attempt_at,
      attempt: attempts.at(-1),
      holdReason: hold?.reason,
    });
  }
  return { counts, ...open };
}
