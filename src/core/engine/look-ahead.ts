import { CHARGE_RULES, type Charge, expiredAtMs } from "../domain/charge.js";
import { holdingsKey } from "../domain/ledger.js";
import { compare } from "../domain/money.js";
import { follow, type Standing, type StatusRules } from "../domain/timeline.js";
import type { ChargeStatus } from "../schema/common.js";
import { type Refusal, refuse } from "../schema/errors.js";
import type { State } from "./state.js";
import type { Transaction } from "./transaction.js";

/** What is looked up: the state, or what a command is about to make of it. */
type Records = Pick<State | Transaction, "get">;

function standingOf(records: Records, charge: Charge): Standing<ChargeStatus> {
  const taskOf = (id: number | undefined) => (id === undefined ? undefined : records.get("tasks", id));
  const entry = taskOf(charge.tasks.timeline);
  return {
    status: charge.status,
    expiredMs: expiredAtMs(charge),
    expiryMs: taskOf(charge.tasks.expiry)?.due_ms,
    next: entry === undefined ? undefined : { step: entry.step!, dueMs: entry.due_ms },
  };
}

/** A refund of what has settled can lack funds; one of what has not brings its own along. */
function rulesFor(records: Records, charge: Charge): StatusRules<ChargeStatus> {
  const { status, settled_at, settlement_amount, mode, organization_id, currency } = charge;
  if (status !== "COMPLETED" || settled_at === null || settlement_amount === null) return CHARGE_RULES;
  const held = records.get("holdings", holdingsKey(mode, organization_id, currency));
  if (held === undefined || compare(held.balances.available, settlement_amount) >= 0) return CHARGE_RULES;
  return { ...CHARGE_RULES, statuses: { ...CHARGE_RULES.statuses, COMPLETED: { next: [] } } };
}

/**
 * Whether the charge gets that status, or has it, when its own tasks are run at this instant, one after the other:
 * each entry plans the next from the instant it is run at.
 */
export function leadsTo(records: Records, charge: Charge, until: ChargeStatus, nowMs: number): boolean {
  if (charge.status === until) return true;
  for (const { status } of turnsOf(records, charge, () => nowMs)) if (status === until) return true;
  return false;
}

/** The status the charge gets next as planned, and when; what is planned and changes nothing is passed over. */
export function nextStatus(
  records: Records,
  charge: Charge,
): { readonly to: ChargeStatus; readonly dueMs: number } | undefined {
  let dueMs = 0;
  const turns = turnsOf(records, charge, (ms) => {
    dueMs = ms;
    return ms;
  });
  for (const { verdict, status } of turns) if (verdict === "moves") return { to: status, dueMs };
  return undefined;
}

function turnsOf(records: Records, charge: Charge, timeOf: (dueMs: number) => number) {
  const timeline = charge.overruled ? [] : charge.timeline;
  return follow(rulesFor(records, charge), timeline, standingOf(records, charge), timeOf);
}

export function nothingLeadsTo(until: ChargeStatus): Refusal {
  return refuse("INVALID_TRANSITION", `No scheduled task makes the charge ${until}.`);
}
