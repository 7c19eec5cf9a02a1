/** What a charge's status means for the order it pays. */
const ORDER_STATUS = {
  COMPLETED: "paid",
  FAILED: "failed",
  CANCELLED: "cancelled",
  EXPIRED: "expired",
  REFUNDED: "refunded",
};

export function orderStatus(charge) {
  return ORDER_STATUS[charge.status] ?? "pending";
}
