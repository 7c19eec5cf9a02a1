import { CHARGE_STATUSES, type ChargeStatus, WITHDRAWAL_STATUSES, type WithdrawalStatus } from "./common.js";
import { didYouMean } from "./nearest.js";
import { REVERSAL_EVENT_TYPES, REVERSALS } from "./reversal-kinds.js";

/** What the event of a charge's new status is called. */
export function chargeEventType(status: ChargeStatus): string {
  return `charge.${status.toLowerCase()}`;
}

/** What the event of a withdrawal's new status is called. */
export function withdrawalEventType(status: WithdrawalStatus): string {
  return `withdrawal.${status.toLowerCase()}`;
}

/** The event that says nothing of any object: it tries a receiver. */
export const TEST_EVENT_TYPE = "webhook.test";

/** Every type of event there is. Creation makes none, so there is none for PENDING. */
export const EVENT_TYPES: readonly string[] = [
  ...CHARGE_STATUSES.filter((status) => status !== "PENDING").map(chargeEventType),
  ...WITHDRAWAL_STATUSES.filter((status) => status !== "PENDING").map(withdrawalEventType),
  TEST_EVENT_TYPE,
];

/** Those, and the types of the sandbox's own extensions. */
export const ALL_EVENT_TYPES: readonly string[] = [...EVENT_TYPES, ...REVERSAL_EVENT_TYPES];

/** What an event of that type tells of; undefined where it tells of no object. */
export function toldBy(
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

/** The type a name stands for: the sandbox's own, or the one the config has events of that type sent under. */
export function eventTypeOf(
  name: string,
  eventNames: Readonly<Record<string, string>> = {},
): string | undefined {
  if (ALL_EVENT_TYPES.includes(name)) return name;
  return EVENT_TYPES.find((type) => Object.hasOwn(eventNames, type) && eventNames[type] === name);
}

/** What is wrong with a name that stands for no type, with the one that may have been meant. */
export function unknownEventType(name: string, known: readonly string[] = EVENT_TYPES): string {
  return `is an unknown event type${didYouMean(name, known, ".")} Known: ${known.join(", ")}`;
}
