import { CHARGE_STATUSES, type ChargeStatus, WITHDRAWAL_STATUSES, type WithdrawalStatus } from "./common.js";
import { didYouMean } from "./nearest.js";

/**
 * Reversals of completed charges and withdrawals. A reversal changes only the ledger, because the service has no status
 * for a reversal; people read `status`. The prefix `sandbox.` marks an extension of the sandbox.
 */
export const REVERSALS = {
  partial_refund: { of: "charge", event: "sandbox.charge.partially_refunded", status: "PARTLY REFUNDED" },
  chargeback: { of: "charge", event: "sandbox.charge.charged_back", status: "CHARGED BACK" },
  bounce: { of: "withdrawal", event: "sandbox.withdrawal.bounced", status: "BOUNCED" },
} as const;
export type ReversalKind = keyof typeof REVERSALS;
export const REVERSAL_KINDS = Object.keys(REVERSALS) as [ReversalKind, ...ReversalKind[]];

/** Status of a reversed charge, as queries name it → type of its event. */
export const CHARGE_REVERSALS = new Map([
  ["PARTLY_REFUNDED", REVERSALS.partial_refund.event],
  ["CHARGED_BACK", REVERSALS.chargeback.event],
] as const);

const REVERSAL_EVENT_TYPES: readonly string[] = REVERSAL_KINDS.map((kind) => REVERSALS[kind].event);

export function chargeEventType(status: ChargeStatus): string {
  return `charge.${status.toLowerCase()}`;
}

export function withdrawalEventType(status: WithdrawalStatus): string {
  return `withdrawal.${status.toLowerCase()}`;
}

/** An event without an object, to test a receiver. */
export const TEST_EVENT_TYPE = "webhook.test";

/** Event types of the service. Creation has no event, so PENDING has none. */
export const SERVICE_EVENT_TYPES: readonly string[] = [
  ...CHARGE_STATUSES.filter((status) => status !== "PENDING").map(chargeEventType),
  ...WITHDRAWAL_STATUSES.filter((status) => status !== "PENDING").map(withdrawalEventType),
  TEST_EVENT_TYPE,
];

export const ALL_EVENT_TYPES: readonly string[] = [...SERVICE_EVENT_TYPES, ...REVERSAL_EVENT_TYPES];

/** The object of an event type, and its status; undefined for an event without an object. */
export function parseEventType(
  type: string,
):
  | { readonly object: "charge"; readonly status: ChargeStatus }
  | { readonly object: "withdrawal"; readonly status: WithdrawalStatus }
  | undefined {
  const reversal = Object.values(REVERSALS).find(({ event }) => event === type);
  if (reversal !== undefined) return { object: reversal.of, status: "COMPLETED" };
  const charge = CHARGE_STATUSES.find((status) => chargeEventType(status) === type);
  if (charge !== undefined) return { object: "charge", status: charge };
  const withdrawal = WITHDRAWAL_STATUSES.find((status) => withdrawalEventType(status) === type);
  return withdrawal && { object: "withdrawal", status: withdrawal };
}

/** Finds an event type by its own name or its configured name; undefined for an unknown name. */
export function eventTypeOf(
  name: string,
  eventNames: Readonly<Record<string, string>> = {},
): string | undefined {
  if (ALL_EVENT_TYPES.includes(name)) return name;
  return SERVICE_EVENT_TYPES.find((type) => Object.hasOwn(eventNames, type) && eventNames[type] === name);
}

export function unknownEventTypeMessage(
  name: string,
  known: readonly string[] = SERVICE_EVENT_TYPES,
): string {
  return `is an unknown event type${suggestEventType(name, known, ".")} Known: ${known.join(", ")}`;
}

/** Words of other services' event types → the word here. By letters, `succeeded` would be nearest to `cancelled`. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["payment", "charge"],
  ["payment_intent", "charge"],
  ["payout", "withdrawal"],
  ["transfer", "withdrawal"],
  ["succeeded", "completed"],
  ["success", "completed"],
  ["successful", "completed"],
  ["paid", "completed"],
  ["captured", "completed"],
  ["payment_failed", "failed"],
  ["canceled", "cancelled"],
]);

/** Suffix of an error message: suggests an event type of the same meaning, else the nearest, else the fallback. */
export function suggestEventType(name: string, known: readonly string[], fallback = ""): string {
  const parts = name.split(".").map((word) => OTHER_WORDS.get(word) ?? word);
  return didYouMean(known.includes(parts.join(".")) ? parts.join(".") : name, known, fallback);
}
