import type { ChargeStatus } from "./common.js";

export interface OutcomePage {
  /** 410 for an abandoned checkout; 200 if the payment was decided. */
  readonly httpStatus: 200 | 410;
  readonly mark: "good" | "bad" | "";
  readonly title: string;
  readonly text: string;
}

/** A charge status. `stage` decides what the ledger books when a charge gets the status. */
export type StatusRow = StatusFields &
  (
    | { readonly stage: "open" | "processing" }
    | { readonly stage: "paid" | "refunded" | "unpaid"; readonly page: OutcomePage }
  );

interface StatusFields {
  /** Meaning as a clause, in which "it" is the charge. */
  readonly meaning: string;
  readonly next: readonly ChargeStatus[];
  /**
   * - open: the customer can pay or cancel, and the charge can expire
   * - processing: the customer cannot pay or cancel, and the charge cannot expire
   * - paid: the merchant has the money
   * - refunded: the customer has the money back
   * - unpaid: failed, cancelled or expired
   */
  readonly stage: "open" | "processing" | "paid" | "refunded" | "unpaid";
  /** Only a charge with a payment method can get this status. */
  readonly requiresMethod?: true;
  /** Verb in the dashboard. Each verb except `process` is also an action of the command `charge`. */
  readonly verb?: string;
  readonly tone?: "good" | "bad";
  /** A sample charge goes from `from` to this status after `afterMs`; by default, after the checkout's life. */
  readonly sample: {
    readonly from: ChargeStatus;
    readonly afterMs?: number;
    readonly reason?: string;
  } | null;
}

/** PROCESSING cannot expire. EXPIRED can still become PROCESSING or COMPLETED, because a payment may arrive late. */
export const CHARGE_STATUS_TABLE: Readonly<Record<ChargeStatus, StatusRow>> = {
  PENDING: {
    meaning: "the customer has yet to act",
    next: ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
    stage: "open",
    sample: null,
  },
  AWAITING_PAYMENT: {
    meaning: "the customer has started to pay; confirmation is pending",
    next: ["PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
    stage: "open",
    requiresMethod: true,
    sample: { from: "PENDING", afterMs: 1_000 },
  },
  PROCESSING: {
    meaning: "it is being processed",
    next: ["COMPLETED", "FAILED"],
    stage: "processing",
    requiresMethod: true,
    verb: "process",
    sample: { from: "AWAITING_PAYMENT", afterMs: 3_000 },
  },
  COMPLETED: {
    meaning: "it is paid",
    next: ["REFUNDED"],
    stage: "paid",
    requiresMethod: true,
    verb: "complete",
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
    meaning: "the payment failed",
    next: [],
    stage: "unpaid",
    verb: "fail",
    page: {
      httpStatus: 200,
      mark: "bad",
      title: "Payment failed",
      text: "You have not been charged. You can try again in the shop.",
    },
    tone: "bad",
    sample: { from: "AWAITING_PAYMENT", afterMs: 3_000, reason: "declined" },
  },
  CANCELLED: {
    meaning: "the customer cancelled",
    next: [],
    stage: "unpaid",
    verb: "cancel",
    page: { httpStatus: 410, mark: "", title: "Payment cancelled", text: "You have not been charged." },
    tone: "bad",
    sample: { from: "AWAITING_PAYMENT", afterMs: 3_000, reason: "cancelled_by_customer" },
  },
  EXPIRED: {
    meaning: "it expired",
    next: ["PROCESSING", "COMPLETED"],
    stage: "unpaid",
    verb: "expire",
    page: {
      httpStatus: 410,
      mark: "",
      title: "This checkout has expired",
      text: "The time to pay has run out. If you have paid already, the merchant will still be notified.",
    },
    tone: "bad",
    sample: { from: "AWAITING_PAYMENT" },
  },
  REFUNDED: {
    meaning: "the money was returned",
    next: [],
    stage: "refunded",
    requiresMethod: true,
    verb: "refund",
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
  return CHARGE_STATUS_TABLE[status].stage === "open";
}

/** The page of an ended charge; undefined while the customer can act or the payment is being processed. */
export function outcomePage(status: ChargeStatus): OutcomePage | undefined {
  const row = CHARGE_STATUS_TABLE[status];
  return "page" in row ? row.page : undefined;
}

/** Returns true if a charge has ended; a late payment or a refund may still follow. */
export function hasEnded(status: ChargeStatus): boolean {
  return outcomePage(status) !== undefined;
}

/** Returns true if the merchant has the money: paid, and not refunded. */
export function isPaid(status: ChargeStatus): boolean {
  return CHARGE_STATUS_TABLE[status].stage === "paid";
}

export function isRefunded(status: ChargeStatus): boolean {
  return CHARGE_STATUS_TABLE[status].stage === "refunded";
}
