/**
 * Reversals of completed payments and payouts, an extension of the sandbox. The service has no status for them, so only
 * the ledger changes; the `sandbox.` prefix marks their events.
 */
export const REVERSALS = {
  partial_refund: { of: "charge", event: "sandbox.charge.partially_refunded" },
  chargeback: { of: "charge", event: "sandbox.charge.charged_back" },
  bounce: { of: "withdrawal", event: "sandbox.withdrawal.bounced" },
} as const;
export type ReversalKind = keyof typeof REVERSALS;
export const REVERSAL_KINDS = Object.keys(REVERSALS) as [ReversalKind, ...ReversalKind[]];

export const REVERSAL_EVENT_TYPES: readonly string[] = REVERSAL_KINDS.map((kind) => REVERSALS[kind].event);
