/** What a namespace keeps, by kind of record. */
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
  "world",
] as const;
/** What a namespace keeps records of. */
export type CollectionName = (typeof COLLECTION_NAMES)[number];
