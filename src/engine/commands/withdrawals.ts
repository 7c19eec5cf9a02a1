import type { Actor } from "../../domain/charge.js";
import {
  withdrawalDonePostings,
  withdrawalPostings,
  withdrawalReturnedPostings,
} from "../../domain/ledger.js";
import { add, toCanonical } from "../../domain/money.js";
import { readWithdrawalRequest } from "../../domain/requests.js";
import { choose, type Subject } from "../../domain/scenario.js";
import { entryAt, verdictOn } from "../../domain/timeline.js";
import { transitionWithdrawal, WITHDRAWAL_RULES, type Withdrawal } from "../../domain/withdrawal.js";
import type { WithdrawalStatus } from "../../schema/common.js";
import { isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import type { CurrencyFixture } from "../../schema/fixtures.js";
import type { WithdrawalBody } from "../../schema/requests.js";
import type { Caller } from "../caller.js";
import { emit } from "../events.js";
import { post } from "../ledger.js";
import { findOwned } from "../queries.js";
import type { Destination, Task } from "../records.js";
import { askedScenario, scenariosFor } from "../scenarios.js";
import type { Command, Transaction } from "../transaction.js";
import { withdrawalView } from "../views.js";

/** Takes amount and fee out of available and sends them on their way (contract section 2: withdrawal). */
export function createWithdrawal(
  caller: Caller,
  raw: unknown,
  scenarioHeader: string | null,
): Command<Withdrawal | Refusal> {
  return (tx) => {
    const asked = askedScenario(tx.state, scenarioHeader, (raw as { metadata?: unknown } | null)?.metadata);
    const request = readWithdrawalRequest(
      tx.catalogue,
      raw,
      (id) => findOwned(tx.state, "destinations", caller, id)?.fields.currency,
      asked.fault === undefined ? {} : { sandbox_scenario: asked.fault },
    );
    if (isRefusal(request)) return request;
    const { amount, currency, body } = request;
    const withdrawal = newWithdrawal(tx, caller, {
      body: { ...body, amount },
      currency,
      scenarioAsked: asked.name,
    });
    const refusal = postFor(tx, withdrawal, "withdrawal", withdrawalPostings(add(amount, withdrawal.fee)));
    if (refusal !== undefined) return refusal;
    const destination = tx.get("destinations", body.destination_id)!;
    return beginTimeline(tx, withdrawal, destination);
  };
}

export interface NewWithdrawal {
  /** Its amount is canonical. */
  readonly body: Pick<WithdrawalBody, "destination_id" | "amount" | "reference" | "metadata">;
  readonly currency: CurrencyFixture;
  readonly scenarioAsked: string | null;
}

/** A withdrawal as it is before its funds have gone anywhere. */
export function newWithdrawal(tx: Transaction, caller: Caller, wanted: NewWithdrawal): Withdrawal {
  const { body, currency } = wanted;
  return {
    withdrawal_id: tx.id("withdrawal"),
    destination_id: body.destination_id,
    organization_id: caller.organization.organization_id,
    amount: body.amount,
    fee: toCanonical(currency.withdrawal_fee ?? "0", currency.decimals),
    currency: currency.code,
    status: "PENDING",
    failure_reason: null,
    reference: body.reference ?? null,
    metadata: body.metadata ?? {},
    created_at: tx.at,
    updated_at: tx.at,
    seq: tx.next("withdrawal_seq"),
    mode: caller.mode,
    scenario_asked: wanted.scenarioAsked,
    scenario: null,
    timeline: [],
    timeline_task: null,
    notes: [],
  };
}

function postFor(
  tx: Transaction,
  withdrawal: Withdrawal,
  kind: string,
  postings: ReturnType<typeof withdrawalPostings>,
): Refusal | undefined {
  return post(tx, {
    kind,
    mode: withdrawal.mode,
    organizationId: withdrawal.organization_id,
    currency: withdrawal.currency,
    objectId: withdrawal.withdrawal_id,
    postings,
  });
}

/** What the scenarios' withdrawal rules are held against. */
export function withdrawalSubject(withdrawal: Withdrawal, destination: Destination | undefined): Subject {
  return {
    metadata: withdrawal.metadata,
    fields: {
      ...destination?.fields,
      withdrawal_id: withdrawal.withdrawal_id,
      mode: withdrawal.mode,
      organization_id: withdrawal.organization_id,
      currency: withdrawal.currency,
      amount: withdrawal.amount,
      destination_id: withdrawal.destination_id,
      reference: withdrawal.reference,
    },
  };
}

function beginTimeline(tx: Transaction, withdrawal: Withdrawal, destination: Destination): Withdrawal {
  const asked = withdrawal.scenario_asked;
  const choice = choose(
    "withdrawals",
    scenariosFor(tx.state, asked),
    withdrawalSubject(withdrawal, destination),
  );
  const matched: Withdrawal = {
    ...withdrawal,
    scenario: choice?.scenario ?? null,
    timeline: choice?.rule.timeline ?? [],
    notes:
      asked !== null && choice?.scenario !== asked
        ? [{ at: tx.at, note: `no rule of scenario ${asked} matches; ${choice?.scenario ?? "none"} applies` }]
        : [],
  };
  return planEntry(tx, matched, 0);
}

/** Plans the entry at `step` and puts the withdrawal. */
function planEntry(tx: Transaction, withdrawal: Withdrawal, step: number): Withdrawal {
  const entry = entryAt(withdrawal.timeline, step, tx.atMs, undefined);
  const planned: Withdrawal = {
    ...withdrawal,
    timeline_task:
      entry === undefined
        ? null
        : tx.schedule({
            due_ms: entry.dueMs,
            rank: 1,
            kind: "withdrawal",
            ref: withdrawal.withdrawal_id,
            step,
          }),
  };
  tx.put("withdrawals", planned.withdrawal_id, planned);
  return planned;
}

/** Changes a withdrawal's status by way of `transitionWithdrawal()`; puts it, or refuses and changes nothing. */
export function moveWithdrawal(
  tx: Transaction,
  withdrawal: Withdrawal,
  to: WithdrawalStatus,
  actor: Actor,
  reason?: string,
): Withdrawal | Refusal {
  const moved = transitionWithdrawal(withdrawal, to, tx.atMs, actor, reason);
  if (moved === "illegal")
    return refuse("INVALID_TRANSITION", `A withdrawal that is ${withdrawal.status} cannot become ${to}.`);
  let next = moved.withdrawal;
  const { amount, fee } = next;
  const refusal =
    moved.funds === "arrived"
      ? postFor(tx, next, "withdrawal_completed", withdrawalDonePostings(amount, fee))
      : moved.funds === "returned"
        ? postFor(tx, next, "withdrawal_returned", withdrawalReturnedPostings(add(amount, fee)))
        : undefined;
  if (refusal !== undefined) return refusal;
  if (moved.cancelTimeline && next.timeline_task !== null) {
    tx.cancel(next.timeline_task);
    next = { ...next, timeline_task: null };
  }
  emit(tx, {
    type: moved.event,
    mode: next.mode,
    organizationId: next.organization_id,
    objectId: next.withdrawal_id,
    source: moved.withdrawal,
    toJson: (record) => JSON.stringify(withdrawalView(record)),
    subject: () => withdrawalSubject(next, tx.get("destinations", next.destination_id)),
    scenario: next.scenario_asked,
  });
  tx.put("withdrawals", next.withdrawal_id, next);
  return next;
}

/** The next entry of a withdrawal's timeline is due; an illegal one is noted, and the next counts from it. */
export function runWithdrawalEntry(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const found = tx.get("withdrawals", task.ref);
    const step = task.step!;
    const entry = found?.timeline[step];
    if (found === undefined || entry === undefined) return;
    let withdrawal: Withdrawal = { ...found, timeline_task: null };
    const stopped = withdrawal;
    const isThere = verdictOn(WITHDRAWAL_RULES, withdrawal.status, entry.to) === "already";
    const moved = isThere
      ? undefined
      : tx.attempt(() => moveWithdrawal(tx, stopped, entry.to, "scenario", entry.reason));
    if (moved !== undefined && !isRefusal(moved)) withdrawal = moved;
    else {
      const why = moved === undefined ? `the withdrawal is ${entry.to} already` : moved.message;
      const note = `timeline entry ${step + 1} (${entry.to}) did nothing: ${why}`;
      withdrawal = { ...withdrawal, notes: [...withdrawal.notes, { at: tx.at, note }] };
    }
    planEntry(tx, withdrawal, step + 1);
  };
}

/** A person or test moves a withdrawal by the control API. */
export function transitionWithdrawalById(
  withdrawalId: string,
  to: WithdrawalStatus,
  reason?: string,
): Command<Withdrawal | Refusal> {
  return (tx) => {
    const withdrawal = tx.get("withdrawals", withdrawalId);
    if (withdrawal === undefined) return refuse("NOT_FOUND", "Withdrawal not found");
    return moveWithdrawal(tx, withdrawal, to, "control", reason);
  };
}
