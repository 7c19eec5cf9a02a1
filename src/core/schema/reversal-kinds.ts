/**
 * What may come of a payment or a payout when it is over: an extension of the sandbox's own. The service has no word
 * for it, so no status changes; the ledger does, and an event tells of it whose type says whose it is.
 */
export const REVERSALS = {
  partial_refund: { of: "charge", event: "sandbox.charge.partially_refunded" },
  chargeback: { of: "charge", event: "sandbox.charge.charged_back" },
  bounce: { of: "withdrawal", event: "sandbox.withdrawal.bounced" },
} as const;
export type ReversalKind = keyof typeof REVERSALS;
export const REVERSAL_KINDS = Object.keys(REVERSALS) as [ReversalKind, ...ReversalKind[]];

/** The types of their events; the service has none of these. */
export const REVERSAL_EVENT_TYPES: readonly string[] = REVERSAL_KINDS.map((kind) => REVERSALS[kind].event);
