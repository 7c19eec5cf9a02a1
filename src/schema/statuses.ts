import type { ChargeStatus } from "./common.js";

/** All there is to say of a charge's status but what its coming about does to the ledger. */
export interface StatusRow {
  /** What it means, in half a sentence. */
  readonly says: string;
  /** What it may become. */
  readonly next: readonly ChargeStatus[];
  /** `open`: the customer can still pay or give up, and time can run out. `paid`, `unpaid`: how it ended for the shop. */
  readonly stage: "open" | "processing" | "paid" | "unpaid";
  /** Only a charge with a price can have it. */
  readonly priced?: true;
  /** The word that makes it so, on a button or in a command. */
  readonly verb?: string;
  /** How a list shows it. */
  readonly tone?: "good" | "bad";
  /** How a sample comes to it: from which, how long after the creation (default: when its time has run out), why. */
  readonly sample?: { readonly from: ChargeStatus; readonly afterMs?: number; readonly reason?: string };
}

/**
 * PROCESSING is paid and does not expire; a payment after expiry may still be processed. Those that may become
 * nothing are final.
 */
export const STATUSES: Readonly<Record<ChargeStatus, StatusRow>> = {
  PENDING: {
    says: "the customer has yet to act",
    next: ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
    stage: "open",
  },
  AWAITING_PAYMENT: {
    says: "the customer has started to pay; confirmation is pending",
    next: ["PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
    stage: "open",
    priced: true,
    sample: { from: "PENDING", afterMs: 1_000 },
  },
  PROCESSING: {
    says: "it is being processed",
    next: ["COMPLETED", "FAILED"],
    stage: "processing",
    priced: true,
    verb: "process",
    sample: { from: "AWAITING_PAYMENT", afterMs: 3_000 },
  },
  COMPLETED: {
    says: "it is paid",
    next: ["REFUNDED"],
    stage: "paid",
    priced: true,
    verb: "complete",
    tone: "good",
    sample: { from: "PROCESSING", afterMs: 5_000 },
  },
  FAILED: {
    says: "the payment failed",
    next: [],
    stage: "unpaid",
    verb: "fail",
    tone: "bad",
    sample: { from: "AWAITING_PAYMENT", afterMs: 3_000, reason: "declined" },
  },
  CANCELLED: {
    says: "the customer cancelled",
    next: [],
    stage: "unpaid",
    verb: "cancel",
    tone: "bad",
    sample: { from: "AWAITING_PAYMENT", afterMs: 3_000, reason: "cancelled_by_customer" },
  },
  EXPIRED: {
    says: "it expired",
    next: ["PROCESSING", "COMPLETED"],
    stage: "unpaid",
    verb: "expire",
    tone: "bad",
    sample: { from: "AWAITING_PAYMENT" },
  },
  REFUNDED: {
    says: "the money was returned",
    next: [],
    stage: "paid",
    priced: true,
    verb: "refund",
    sample: { from: "COMPLETED", afterMs: 65_000, reason: "requested_by_merchant" },
  },
};

export function isOpen(status: ChargeStatus): boolean {
  return STATUSES[status].stage === "open";
}

/** Nothing more comes of it, save a payment after expiry or a refund, which concern the shop. */
export function isOver(status: ChargeStatus): boolean {
  return isPaid(status) || STATUSES[status].stage === "unpaid";
}

export function isPaid(status: ChargeStatus): boolean {
  return STATUSES[status].stage === "paid";
}
