import {
  type Actor,
  CHARGE_STATUS_RULES,
  type Charge,
  type ChargeTasks,
  computeTransition,
  firstExpiredMs,
  markSettled,
} from "../../domain/charge-transition.js";
import { paymentPostings, refundPostings, settlementPostings } from "../../domain/ledger-postings.js";
import { compareAmounts } from "../../domain/money.js";
import {
  nextStatusesText,
  type PlannedEntry,
  planEntry,
  planEntryAfterExpiry,
} from "../../domain/timeline.js";
import type { ChargeStatus } from "../../schema/common.js";
import { isRefusal, type Refusal, refuse } from "../../schema/refusals.js";
import { isOpen } from "../../schema/statuses.js";
import { emitEvent } from "../event-emission.js";
import { amountReturned, postToLedger, requireBookedPayment } from "../ledger-posting.js";
import { chargeSubject } from "../match-fields.js";
import type { Task } from "../records.js";
import { applyTimelineEntry, assignTimeline, planTimelineEntry } from "../timeline-tasks.js";
import type { Command, Transaction } from "../transaction.js";
import { chargeDetailView } from "../wire-views.js";

/** Sets the charge's timeline from the matching rule. Later changes of the scenario do not affect the timeline. */
export function setMatchingTimeline(tx: Transaction, charge: Charge): Charge {
  return assignTimeline(tx, "charges", charge, chargeSubject(charge));
}

/** Sets the charge's timeline and plans its first entry; puts the charge. */
export function beginTimeline(tx: Transaction, charge: Charge): Charge {
  const matched = setMatchingTimeline(tx, charge);
  const first = planNext(tx, matched, planEntry(matched.timeline, 0, tx.atMs, undefined));
  return putWithTasks(tx, matched, withTask(matched.tasks, "timeline", first));
}

function planNext(tx: Transaction, charge: Charge, entry: PlannedEntry | undefined): number | undefined {
  return planTimelineEntry(tx, "timeline", charge.charge_id, entry);
}

/** Replaces one task; undefined removes it. `Object.assign`, as in `chargeDetailView`. */
function withTask(tasks: ChargeTasks, name: keyof ChargeTasks, taskId: number | undefined): ChargeTasks {
  if (taskId !== undefined) return Object.assign({}, tasks, { [name]: taskId });
  const { [name]: _removed, ...others } = tasks;
  return others;
}

/** Changes a charge's status with its postings, tasks and event, and puts the charge. Refuses an illegal change. */
export function changeChargeStatus(
  tx: Transaction,
  charge: Charge,
  to: ChargeStatus,
  actor: Actor,
  reason?: string,
): Charge | Refusal {
  const moved = applyTransition(tx, charge, charge.tasks, to, actor, reason);
  return isRefusal(moved) ? moved : putWithTasks(tx, moved.charge, moved.tasks);
}

interface Moved {
  readonly charge: Charge;
  readonly tasks: ChargeTasks;
}

function putWithTasks(tx: Transaction, charge: Charge, tasks: ChargeTasks): Charge {
  return putCharge(tx, { ...charge, tasks });
}

export function putCharge(tx: Transaction, charge: Charge): Charge {
  tx.put("charges", charge.charge_id, charge);
  return charge;
}

/** Like `changeChargeStatus`, but does not put the charge. Reads the tasks in `waiting` instead of `charge.tasks`. */
function applyTransition(
  tx: Transaction,
  charge: Charge,
  waiting: ChargeTasks,
  to: ChargeStatus,
  actor: Actor,
  reason?: string,
): Moved | Refusal {
  const moved = computeTransition(charge, to, tx.atMs, actor, reason);
  if (moved === "illegal")
    return refuse("INVALID_TRANSITION", `A charge that is ${charge.status} cannot become ${to}.`, {
      status: nextStatusesText(CHARGE_STATUS_RULES, charge.status),
    });
  if (moved === "unpriced")
    return refuse(
      "INVALID_TRANSITION",
      `The charge cannot become ${to}: the price is zero with every payment method.`,
    );
  const next = moved.charge;
  let tasks = waiting;
  for (const effect of moved.effects) {
    switch (effect.do) {
      case "post": {
        const refusal = postCharge(tx, next, effect.kind);
        if (refusal !== undefined) return refusal;
        break;
      }
      case "schedule_settlement": {
        const due_ms = tx.atMs + effect.afterMs;
        const task = tx.schedule({ due_ms, rank: 1, kind: "settle", ref: next.charge_id });
        tasks = withTask(tasks, "settlement", task);
        break;
      }
      case "cancel_task":
        if (tasks[effect.task] !== undefined) {
          tx.cancel(tasks[effect.task]);
          tasks = withTask(tasks, effect.task, undefined);
        }
        break;
      case "schedule_late_entries":
        tasks = withTask(tasks, "timeline", planNext(tx, next, planEntryAfterExpiry(next.timeline, tx.atMs)));
        break;
      case "emit":
        emitEvent(tx, {
          type: effect.type,
          owner: next,
          objectId: next.charge_id,
          data: JSON.stringify(chargeDetailView(next)),
          subject: () => chargeSubject(next),
        });
        break;
    }
  }
  return { charge: next, tasks };
}

function postCharge(
  tx: Transaction,
  charge: Charge,
  kind: "payment" | "settlement" | "refund",
): Refusal | undefined {
  const booked = requireBookedPayment(charge);
  const { amount, currency } = booked;
  const returned = kind === "refund" ? amountReturned(tx.state, charge) : "0";
  if (kind === "refund" && compareAmounts(returned, amount) === 0)
    return refuse("INVALID_TRANSITION", "Nothing of the charge is left to refund.");
  const postings =
    kind === "payment"
      ? paymentPostings(booked)
      : kind === "settlement"
        ? settlementPostings(booked.settlement_amount)
        : refundPostings(booked, returned, amount);
  const { mode, organization_id } = charge;
  const refusal = postToLedger(tx, kind, { mode, organization_id, currency }, charge.charge_id, postings);
  // 409, because the request is valid and only the funds are lacking.
  return refusal === undefined ? undefined : { ...refusal, status: 409 };
}

export function expireCharge(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const charge = tx.get("charges", task.ref);
    if (charge === undefined) return;
    const waiting = withTask(charge.tasks, "expiry", undefined);
    if (!isOpen(charge.status)) {
      putWithTasks(tx, charge, waiting);
      return;
    }
    const moved = applyTransition(tx, charge, waiting, "EXPIRED", "clock");
    if (isRefusal(moved)) throw new Error(moved.message);
    putWithTasks(tx, moved.charge, moved.tasks);
  };
}

/** Runs a due timeline entry, then plans the next entry from now. An entry without effect is recorded in `notes`. */
export function runChargeTimelineEntry(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const found = tx.get("charges", task.ref);
    const step = task.step!;
    if (found?.timeline[step] === undefined) return;
    const waiting = withTask(found.tasks, "timeline", undefined);
    const already =
      found.actors.at(-1) === "api" ? "reached when a payment method was chosen" : "reached before";
    const moved = applyTimelineEntry(tx, CHARGE_STATUS_RULES, found, step, already, (to, reason) =>
      applyTransition(tx, found, waiting, to, "scenario", reason),
    );
    const planFollowing = (charge: Charge) =>
      planNext(tx, charge, planEntry(charge.timeline, step + 1, tx.atMs, firstExpiredMs(charge)));
    if (typeof moved === "string") {
      const noted = { ...found, notes: [...found.notes, { at: tx.at, note: moved }] };
      putWithTasks(tx, noted, withTask(waiting, "timeline", planFollowing(found)));
    } else {
      // The transition to EXPIRED has itself planned the next entry.
      const next = moved.charge.status === "EXPIRED" ? undefined : planFollowing(moved.charge);
      putWithTasks(
        tx,
        moved.charge,
        next === undefined ? moved.tasks : withTask(moved.tasks, "timeline", next),
      );
    }
  };
}

/** Settles a charge after its confirmations or delay. */
export function settleCharge(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const found = tx.get("charges", task.ref);
    if (found === undefined) return;
    const charge = { ...found, tasks: withTask(found.tasks, "settlement", undefined) };
    const refusal = postCharge(tx, charge, "settlement");
    if (refusal !== undefined) throw new Error(`settlement of ${charge.charge_id}: ${refusal.message}`);
    putCharge(tx, markSettled(charge, tx.atMs));
  };
}
