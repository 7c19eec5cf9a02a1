import type { Charge } from "../domain/charge.js";
import { plainCharge } from "../domain/charge-state.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import { toldBy } from "../schema/event-types.js";
import type { Collections } from "./records.js";
import type { State } from "./state.js";

/** Records that are read as they were at an earlier moment, as a replica has them that is behind. */
export type DatedName = "charges" | "destinations" | "withdrawals";

/** The moment, in milliseconds, or before whatever has changed each record last: it is there in any case. */
export type AsOf = number | "last_change";

/** What a record was then; undefined where it had not been made yet. */
export function recordAsOf<Name extends DatedName>(
  state: State,
  name: Name,
  record: Collections[Name],
  asOf: AsOf,
): Collections[Name] | undefined {
  const createdMs = Date.parse(record.created_at);
  if (asOf === "last_change") return THEN[name](record, Math.max(createdMs, changedMs(record) - 1), state);
  return createdMs > asOf ? undefined : THEN[name](record, asOf, state);
}

function changedMs(record: Collections[DatedName]): number {
  const at = "status_history" in record ? record.status_history.at(-1)!.at : undefined;
  return Date.parse(at ?? ("updated_at" in record ? record.updated_at : record.created_at));
}

const THEN: {
  readonly [Name in DatedName]: (record: Collections[Name], atMs: number, state: State) => Collections[Name];
} = {
  charges: chargeThen,
  withdrawals: withdrawalThen,
  destinations: (destination) => destination,
};

/** What a hosted charge has before its customer picks a method. */
const UNPRICED = {
  payment_method: null,
  payment_rail: null,
  fees: null,
  exchange_rate: null,
  settlement_amount: null,
  payment_instructions: null,
} as const;

function chargeThen(charge: Charge, atMs: number): Charge {
  const status_history = charge.status_history.filter(({ at }) => Date.parse(at) <= atMs);
  if (status_history.length === charge.status_history.length && isSettledBy(charge, atMs)) return charge;
  const { status, at: updated_at } = status_history.at(-1)!;
  const { base_currency: currency, amount } = charge.pricing;
  const isUnpriced = charge.kind === "hosted" && status === "PENDING";
  return {
    ...plainCharge(charge),
    ...(isUnpriced ? { ...UNPRICED, amount, currency } : {}),
    status,
    updated_at,
    status_history,
    settled_at: isSettledBy(charge, atMs) ? charge.settled_at : null,
    failure_reason: status === charge.status ? charge.failure_reason : null,
  };
}

function isSettledBy({ settled_at }: Charge, atMs: number): boolean {
  return settled_at === null || Date.parse(settled_at) <= atMs;
}

/** A withdrawal keeps no history: its events tell, which are there for longer than anything is behind. */
function withdrawalThen(withdrawal: Withdrawal, atMs: number, state: State): Withdrawal {
  if (Date.parse(withdrawal.updated_at) <= atMs) return withdrawal;
  const last = state.eventsOf(withdrawal.withdrawal_id).find(({ at }) => Date.parse(at) <= atMs);
  const told = last && toldBy(last.type);
  return {
    ...withdrawal,
    status: told?.object === "withdrawal" ? told.status : "PENDING",
    updated_at: last?.at ?? withdrawal.created_at,
    failure_reason: null,
  };
}
