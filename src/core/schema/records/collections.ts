import type * as z from "zod/mini";
import type { CollectionName } from "./collection-names.js";
import {
  type ClockRecord,
  clockRecordSchema,
  faultRecordSchema,
  type KeyOverride,
  keyRecordSchema,
  type NamespaceRecord,
  namespaceRecordSchema,
  type OrganizationOverride,
  organizationRecordSchema,
  type RateOverride,
  rateRecordSchema,
  type StoredFault,
  type StoredScenario,
  scenarioRecordSchema,
  type Task,
  taskRecordSchema,
} from "./namespace-records.js";
import {
  type Charge,
  chargeRecordSchema,
  type Destination,
  destinationRecordSchema,
  type Holdings,
  holdingsRecordSchema,
  type IdempotentResponse,
  idempotencyRecordSchema,
  type LedgerEntry,
  ledgerEntryRecordSchema,
  type Quote,
  quoteRecordSchema,
  type Withdrawal,
  withdrawalRecordSchema,
} from "./payment-records.js";
import {
  type Delivery,
  deliveryRecordSchema,
  type Endpoint,
  type EventRecord,
  endpointRecordSchema,
  eventRecordSchema,
  type Lane,
  laneRecordSchema,
} from "./webhook-records.js";

/**
 * Index of the stored records: one schema per collection. Types are inferred from the schemas; `engine/intake` checks
 * loaded state (imports, snapshot files, data files) with them. Records made at run time are never parsed.
 */
export interface Collections extends Record<CollectionName, unknown> {
  quotes: Quote;
  charges: Charge;
  withdrawals: Withdrawal;
  destinations: Destination;
  idempotency: IdempotentResponse;
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
  keys: KeyOverride;
  organizations: OrganizationOverride;
  clock: ClockRecord;
  world: NamespaceRecord;
}

export const RECORD_SCHEMAS: { readonly [Name in CollectionName]: z.ZodMiniType } = {
  quotes: quoteRecordSchema,
  charges: chargeRecordSchema,
  withdrawals: withdrawalRecordSchema,
  destinations: destinationRecordSchema,
  idempotency: idempotencyRecordSchema,
  holdings: holdingsRecordSchema,
  entries: ledgerEntryRecordSchema,
  events: eventRecordSchema,
  deliveries: deliveryRecordSchema,
  endpoints: endpointRecordSchema,
  lanes: laneRecordSchema,
  tasks: taskRecordSchema,
  scenarios: scenarioRecordSchema,
  faults: faultRecordSchema,
  rates: rateRecordSchema,
  keys: keyRecordSchema,
  organizations: organizationRecordSchema,
  clock: clockRecordSchema,
  world: namespaceRecordSchema,
};
