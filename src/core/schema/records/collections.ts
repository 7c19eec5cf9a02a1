import type * as z from "zod/mini";
import type { CollectionName } from "./collection-names.js";
import {
  type ClockRecord,
  clockRecord,
  faultRecord,
  type KeyOverride,
  keyRecord,
  type NamespaceRecord,
  namespaceRecord,
  type OrganizationOverride,
  organizationRecord,
  type RateOverride,
  rateRecord,
  type StoredFault,
  type StoredScenario,
  scenarioRecord,
  type Task,
  taskRecord,
} from "./namespace-records.js";
import {
  type Charge,
  chargeRecord,
  type Destination,
  destinationRecord,
  type Holdings,
  holdingsRecord,
  type IdempotentResponse,
  idempotencyRecord,
  type LedgerEntry,
  ledgerEntryRecord,
  type Quote,
  quoteRecord,
  type Withdrawal,
  withdrawalRecord,
} from "./payment-records.js";
import {
  type Delivery,
  deliveryRecord,
  type Endpoint,
  type EventRecord,
  endpointRecord,
  eventRecord,
  type Lane,
  laneRecord,
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
  quotes: quoteRecord,
  charges: chargeRecord,
  withdrawals: withdrawalRecord,
  destinations: destinationRecord,
  idempotency: idempotencyRecord,
  holdings: holdingsRecord,
  entries: ledgerEntryRecord,
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
  world: namespaceRecord,
};
