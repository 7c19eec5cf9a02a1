import type { ChargeStatus } from "./common.js";

/** The checkout page of a charge that has ended. */
export interface OutcomePage {
  /** HTTP status: a checkout that came to nothing is gone; one that was decided can still be looked at. */
  readonly httpStatus: 200 | 410;
  readonly mark: "good" | "bad" | "";
  readonly title: string;
  readonly text: string;
}

/** Everything about a charge's status but its effect on the ledger. */
export type StatusRow = StatusFields &
  (
    | { readonly stage: "open" | "processing" }
    /** `paid`, `unpaid`: how it ended for the shop. */
    | { readonly stage: "paid" | "unpaid"; readonly page: OutcomePage }
  );

interface StatusFields {
  /** What it means, in half a sentence. */
  readonly says: string;
  /** What it may become. */
  readonly next: readonly ChargeStatus[];
  /** `open`: the customer can still pay or give up, and time can run out. */
  readonly stage: "open" | "processing" | "paid" | "unpaid";
  /** Lists have a button for it in every row. */
  readonly usual?: true;
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
    usual: true,
    sample: { from: "AWAITING_PAYMENT", afterMs: 3_000 },
  },
  COMPLETED: {
    says: "it is paid",
    next: ["REFUNDED"],
    stage: "paid",
    priced: true,
    verb: "complete",
    usual: true,
    page: {
      httpStatus: 200,
      mark: "good",
      title: "Payment complete",
      text: "Thank you. The payment has arrived.",
    },
    tone: "good",
    sample: { from: "PROCESSING", afterMs: 5_000 },
  },
  FAILED: {
    says: "the payment failed",
    next: [],
    stage: "unpaid",
    verb: "fail",
    usual: true,
    page: {
      httpStatus: 200,
      mark: "bad",
      title: "Payment failed",
      text: "You have not been charged. Go back to the shop to try again.",
    },
    tone: "bad",
    sample: { from: "AWAITING_PAYMENT", afterMs: 3_000, reason: "declined" },
  },
  CANCELLED: {
    says: "the customer cancelled",
    next: [],
    stage: "unpaid",
    verb: "cancel",
    page: { httpStatus: 410, mark: "", title: "Payment cancelled", text: "You have not been charged." },
    tone: "bad",
    sample: { from: "AWAITING_PAYMENT", afterMs: 3_000, reason: "cancelled_by_customer" },
  },
  EXPIRED: {
    says: "it expired",
    next: ["PROCESSING", "COMPLETED"],
    stage: "unpaid",
    verb: "expire",
    page: {
      httpStatus: 410,
      mark: "bad",
      title: "This checkout has expired",
      text: "The time to pay has run out. If you have paid already, the merchant will still be notified.",
    },
    tone: "bad",
    sample: { from: "AWAITING_PAYMENT" },
  },
  REFUNDED: {
    says: "the money was returned",
    next: [],
    stage: "paid",
    priced: true,
    verb: "refund",
    usual: true,
    page: {
      httpStatus: 200,
      mark: "",
      title: "Payment refunded",
      text: "The whole amount has been paid back.",
    },
    sample: { from: "COMPLETED", afterMs: 65_000, reason: "requested_by_merchant" },
  },
};

export function isOpen(status: ChargeStatus): boolean {
  return STATUSES[status].stage === "open";
}

/** The page of an ended charge; undefined while the customer can act or the payment is being processed. */
export function outcomePage(status: ChargeStatus): OutcomePage | undefined {
  const row = STATUSES[status];
  return "page" in row ? row.page : undefined;
}

/** Tests whether a charge has ended; a late payment or a refund may still follow. */
export function isOver(status: ChargeStatus): boolean {
  return outcomePage(status) !== undefined;
}

export function isPaid(status: ChargeStatus): boolean {
  return STATUSES[status].stage === "paid";
}
