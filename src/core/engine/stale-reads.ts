import type { Charge } from "../domain/charge-transition.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import type { WithdrawalStatus } from "../schema/common.js";
import { parseEventType } from "../schema/event-types.js";
import { amountBeforeMethod, priceAtCreation } from "./market.js";
import type { Collections, EventRecord } from "./records.js";
import type { ReadContext } from "./transaction.js";

/** Collections with stale reads: a lagging replica returns records as they were earlier. */
export type StaleReadCollection = "charges" | "destinations" | "withdrawals";

/** Sandbox time in milliseconds. `last_change` is just before a record's last change, but not before its creation. */
export type AsOf = number | "last_change";

/** The record as it was at `asOf`; undefined if `asOf` is before its creation. */
export function recordAsOf<Name extends StaleReadCollection>(
  context: ReadContext,
  name: Name,
  record: Collections[Name],
  asOf: AsOf,
): Collections[Name] | undefined {
  const createdMs = Date.parse(record.created_at);
  if (asOf === "last_change")
    return RECORD_AT[name](record, Math.max(createdMs, changedMs(record) - 1), context);
  return createdMs > asOf ? undefined : RECORD_AT[name](record, asOf, context);
}

function changedMs(record: Collections[StaleReadCollection]): number {
  const at = "status_history" in record ? record.status_history.at(-1)!.at : undefined;
  return Date.parse(at ?? ("updated_at" in record ? record.updated_at : record.created_at));
}

const RECORD_AT: {
  readonly [Name in StaleReadCollection]: (
    record: Collections[Name],
    atMs: number,
    context: ReadContext,
  ) => Collections[Name];
} = {
  charges: chargeAt,
  withdrawals: withdrawalAt,
  destinations: (destination) => destination,
};

/** Fields of a hosted charge before its customer picks a method; the price may be known from creation. */
function fieldsBeforeMethod({ pricing, offered_methods, quote_id }: Charge, context: ReadContext) {
  const picked = { payment_method: null, payment_rail: null, payment_instructions: null };
  if (quote_id !== null || priceAtCreation(context, pricing, offered_methods, undefined) !== undefined)
    return picked;
  return {
    ...picked,
    fees: null,
    exchange_rate: null,
    settlement_amount: null,
    amount: amountBeforeMethod(context, pricing, offered_methods),
    currency: pricing.base_currency,
  };
}

function chargeAt(charge: Charge, atMs: number, context: ReadContext): Charge {
  const status_history = charge.status_history.filter(({ at }) => Date.parse(at) <= atMs);
  if (status_history.length === charge.status_history.length && isSettledBy(charge, atMs)) return charge;
  const { status, at: updated_at } = status_history.at(-1)!;
  const isBeforeMethod = charge.kind === "hosted" && status === "PENDING" && charge.payment_method !== null;
  return {
    ...charge,
    ...(isBeforeMethod ? fieldsBeforeMethod(charge, context) : {}),
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

/** Takes the status from events: withdrawals have no history, and the log keeps most events long enough. */
function withdrawalAt(withdrawal: Withdrawal, atMs: number, { state }: ReadContext): Withdrawal {
  if (Date.parse(withdrawal.updated_at) <= atMs) return withdrawal;
  const events = state.eventsOf(withdrawal.withdrawal_id);
  const last = events.find(({ at }) => Date.parse(at) <= atMs);
  return {
    ...withdrawal,
    status: last === undefined ? statusBeforeEvents(withdrawal, events) : (statusOf(last) ?? "PENDING"),
    updated_at: last?.at ?? withdrawal.created_at,
    failure_reason: null,
  };
}

function statusOf({ type }: EventRecord): WithdrawalStatus | undefined {
  const meaning = parseEventType(type);
  return meaning?.object === "withdrawal" ? meaning.status : undefined;
}

/** Status before the events in the log. COMPLETED and FAILED follow PROCESSING, whose event may have left the log. */
function statusBeforeEvents({ status }: Withdrawal, events: readonly EventRecord[]): WithdrawalStatus {
  const hasBeenProcessing = status === "COMPLETED" || status === "FAILED";
  const hasEvent = events.some((event) => statusOf(event) === "PROCESSING");
  return hasBeenProcessing && !hasEvent ? "PROCESSING" : "PENDING";
}
