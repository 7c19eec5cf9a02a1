export const COLLECTION_NAMES = [
  "quotes",
  "charges",
  "withdrawals",
  "destinations",
  "idempotency",
  "holdings",
  "entries",
  "events",
  "deliveries",
  "endpoints",
  "lanes",
  "tasks",
  "scenarios",
  "faults",
  "rates",
  "keys",
  "organizations",
  "clock",
  "namespace",
] as const;
/** A kind of record that a namespace stores. */
export type CollectionName = (typeof COLLECTION_NAMES)[number];
