import type * as z from "zod/mini";
import type { CollectionName } from "./names.js";
import {
  type Charge,
  chargeRecord,
  type Destination,
  destinationRecord,
  entryRecord,
  type Holdings,
  holdingsRecord,
  type IdempotentAnswer,
  idempotencyRecord,
  type LedgerEntry,
  type Quote,
  quoteRecord,
  type Withdrawal,
  withdrawalRecord,
} from "./payments.js";
import {
  type Delivery,
  deliveryRecord,
  type Endpoint,
  type EventRecord,
  endpointRecord,
  eventRecord,
  type Lane,
  laneRecord,
} from "./webhooks.js";
import {
  type ChangedKey,
  type ChangedOrganization,
  type ClockRecord,
  clockRecord,
  faultRecord,
  keyRecord,
  organizationRecord,
  type RateOverride,
  rateRecord,
  type StoredFault,
  type StoredScenario,
  scenarioRecord,
  type Task,
  taskRecord,
  type WorldRecord,
  worldRecord,
} from "./world.js";

/**
 * The records of a namespace, one schema each: their types are made of these, and a state from outside (an import, a
 * snapshot's file, the data of an earlier run) is checked with them. A run without such a state needs the types only.
 */
export interface Collections extends Record<CollectionName, unknown> {
  quotes: Quote;
  charges: Charge;
  withdrawals: Withdrawal;
  destinations: Destination;
  idempotency: IdempotentAnswer;
  holdings: Holdings;
  entries: LedgerEntry;
  events: EventRecord;
  deliveries: Delivery;
  endpoints: Endpoint;
  lanes: Lane;
  tasks: Task;
  scenarios: StoredScenario;
  faults: StoredFault;
  rates: RateOverride;
  keys: ChangedKey;
  organizations: ChangedOrganization;
  clock: ClockRecord;
  world: WorldRecord;
}

/** Collection name → the schema of the records it holds. */
export const RECORDS: { readonly [Name in CollectionName]: z.ZodMiniType } = {
  quotes: quoteRecord,
  charges: chargeRecord,
  withdrawals: withdrawalRecord,
  destinations: destinationRecord,
  idempotency: idempotencyRecord,
  holdings: holdingsRecord,
  entries: entryRecord,
  events: eventRecord,
  deliveries: deliveryRecord,
  endpoints: endpointRecord,
  lanes: laneRecord,
  tasks: taskRecord,
  scenarios: scenarioRecord,
  faults: faultRecord,
  rates: rateRecord,
  keys: keyRecord,
  organizations: organizationRecord,
  clock: clockRecord,
  world: worldRecord,
};
