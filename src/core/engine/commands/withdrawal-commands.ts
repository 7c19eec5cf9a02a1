import type { Actor } from "../../domain/charge-transition.js";
import {
  withdrawalCompletedPostings,
  withdrawalPostings,
  withdrawalReturnedPostings,
} from "../../domain/ledger-postings.js";
import { add, toCanonicalAmount } from "../../domain/money.js";
import { readDestinationRequest, readWithdrawalRequest } from "../../domain/requests/payout-requests.js";
import type { MatchSubject } from "../../domain/rule-matching.js";
import { nextStatusesText, planEntry } from "../../domain/timeline.js";
import { transitionWithdrawal, WITHDRAWAL_STATUS_RULES, type Withdrawal } from "../../domain/withdrawal.js";
import type { WithdrawalStatus } from "../../schema/common.js";
import type { CurrencyFixture } from "../../schema/fixtures-file.js";
import { isRefusal, type Refusal, refuse } from "../../schema/refusals.js";
import type { WithdrawalBody } from "../../schema/service-requests.js";
import { emitEvent } from "../event-emission.js";
import { postToLedger } from "../ledger-posting.js";
import { withdrawalSubject } from "../match-fields.js";
import { findOwnRecord } from "../queries.js";
import type { Destination, Task } from "../records.js";
import { readRequestedScenario } from "../scenario-lookup.js";
import { applyTimelineEntry, assignTimeline, planTimelineEntry } from "../timeline-tasks.js";
import type { Caller, Command, Transaction } from "../transaction.js";
import { withdrawalView } from "../wire-views.js";

export function createDestination(
  caller: Caller,
  raw: unknown,
  scenarioHeader: string | null,
): Command<Destination | Refusal> {
  return (tx) => {
    const { faults } = readRequestedScenario(tx.state, scenarioHeader, undefined);
    const fields = readDestinationRequest(tx.catalogue, caller.organization, raw, faults);
    if (isRefusal(fields)) return fields;
    const destination: Destination = {
      destination_id: tx.id("destination"),
      seq: tx.next("destination_seq"),
      mode: caller.mode,
      organization_id: caller.organization.organization_id,
      created_at: tx.at,
      fields,
    };
    tx.put("destinations", destination.destination_id, destination);
    return destination;
  };
}

/** Creates a withdrawal; moves amount and fee from available to in transit. */
export function createWithdrawal(
  caller: Caller,
  raw: unknown,
  scenarioHeader: string | null,
): Command<Withdrawal | Refusal> {
  return (tx) => {
    const requested = readRequestedScenario(tx.state, scenarioHeader, raw);
    const currencyOf = (id: string) => findOwnRecord(tx, "destinations", caller, id)?.fields.currency;
    const request = readWithdrawalRequest(tx.catalogue, raw, currencyOf, requested.faults);
    if (isRefusal(request)) return request;
    const { amount, currency, body } = request;
    const values = { body: { ...body, amount }, currency, scenarioAsked: requested.name };
    const withdrawal = buildWithdrawal(tx, caller, values);
    const postings = withdrawalPostings(add(amount, withdrawal.fee));
    const refusal = postToLedger(tx, "withdrawal", withdrawal, withdrawal.withdrawal_id, postings);
    if (refusal !== undefined) return refusal;
    return planStep(tx, assignTimeline(tx, "withdrawals", withdrawal, subjectOf(tx, withdrawal)), 0);
  };
}

interface NewWithdrawal {
  /** Request body with a canonical amount. */
  readonly body: Pick<WithdrawalBody, "destination_id" | "amount" | "reference" | "metadata">;
  readonly currency: CurrencyFixture;
  readonly scenarioAsked: string | null;
}

/** Creates a withdrawal; the caller must put it and make its postings. */
export function buildWithdrawal(tx: Transaction, caller: Caller, values: NewWithdrawal): Withdrawal {
  const { body, currency } = values;
  return {
    withdrawal_id: tx.id("withdrawal"),
    destination_id: body.destination_id,
    organization_id: caller.organization.organization_id,
    amount: body.amount,
    fee: toCanonicalAmount(currency.withdrawal_fee ?? "0", currency.decimals),
    currency: currency.code,
    status: "PENDING",
    failure_reason: null,
    reference: body.reference ?? null,
    metadata: body.metadata ?? {},
    created_at: tx.at,
    updated_at: tx.at,
    seq: tx.next("withdrawal_seq"),
    mode: caller.mode,
    scenario_asked: values.scenarioAsked,
    scenario: null,
    timeline: [],
    status_history: [{ status: "PENDING", at: tx.at }],
    actors: ["api"],
    rule: null,
    timeline_task: null,
    notes: [],
  };
}

function subjectOf(tx: Transaction, withdrawal: Withdrawal): MatchSubject {
  return withdrawalSubject(withdrawal, tx.get("destinations", withdrawal.destination_id));
}

/** Plans the entry at `step`, if there is one, and puts the withdrawal. */
function planStep(tx: Transaction, withdrawal: Withdrawal, step: number): Withdrawal {
  const entry = planEntry(withdrawal.timeline, step, tx.atMs, undefined);
  const task = planTimelineEntry(tx, "withdrawal", withdrawal.withdrawal_id, entry);
  return putWithdrawal(tx, { ...withdrawal, timeline_task: task ?? null });
}

function putWithdrawal(tx: Transaction, withdrawal: Withdrawal): Withdrawal {
  tx.put("withdrawals", withdrawal.withdrawal_id, withdrawal);
  return withdrawal;
}

/** Changes a withdrawal's status with its postings and event, and puts the withdrawal. Refuses an illegal change. */
function moveWithdrawal(
  tx: Transaction,
  withdrawal: Withdrawal,
  to: WithdrawalStatus,
  actor: Actor,
  reason?: string,
): Withdrawal | Refusal {
  const moved = transitionWithdrawal(withdrawal, to, tx.atMs, actor, reason);
  if (moved === "illegal")
    return refuse("INVALID_TRANSITION", `A withdrawal that is ${withdrawal.status} cannot become ${to}.`, {
      status: nextStatusesText(WITHDRAWAL_STATUS_RULES, withdrawal.status),
    });
  const { withdrawal: next, funds } = moved;
  const { withdrawal_id, amount, fee } = next;
  if (funds !== null) {
    const postings =
      funds === "completed"
        ? withdrawalCompletedPostings(amount, fee)
        : withdrawalReturnedPostings(add(amount, fee));
    const refusal = postToLedger(tx, `withdrawal_${funds}`, next, withdrawal_id, postings);
    if (refusal !== undefined) return refusal;
  }
  if (moved.shouldCancelTimeline) tx.cancel(next.timeline_task);
  emitEvent(tx, {
    type: moved.event,
    owner: next,
    objectId: withdrawal_id,
    data: JSON.stringify(withdrawalView(next)),
    subject: () => subjectOf(tx, next),
  });
  return putWithdrawal(tx, moved.shouldCancelTimeline ? { ...next, timeline_task: null } : next);
}

/** Runs a due timeline entry, then plans the next entry from now. An entry without effect is recorded in `notes`. */
export function runWithdrawalTimelineEntry(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const found = tx.get("withdrawals", task.ref);
    const step = task.step!;
    if (found?.timeline[step] === undefined) return;
    const stopped: Withdrawal = { ...found, timeline_task: null };
    const moved = applyTimelineEntry(
      tx,
      WITHDRAWAL_STATUS_RULES,
      stopped,
      step,
      "reached before",
      (to, reason) => moveWithdrawal(tx, stopped, to, "scenario", reason),
    );
    const withdrawal =
      typeof moved === "string"
        ? { ...stopped, notes: [...stopped.notes, { at: tx.at, note: moved }] }
        : moved;
    planStep(tx, withdrawal, step + 1);
  };
}

export function transitionWithdrawalById(
  withdrawalId: string,
  to: WithdrawalStatus,
  actor: Actor,
  reason?: string,
): Command<Withdrawal | Refusal> {
  return (tx) => {
    const withdrawal = tx.get("withdrawals", withdrawalId);
    if (withdrawal === undefined) return refuse("NOT_FOUND", "Withdrawal not found");
    return moveWithdrawal(tx, withdrawal, to, actor, reason);
  };
}
