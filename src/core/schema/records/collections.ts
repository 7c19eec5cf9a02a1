import type * as z from "zod/mini";
import type { CollectionName } from "./collection-names.js";
import * as namespace from "./namespace-records.js";
import * as payments from "./payment-records.js";
import * as webhooks from "./webhook-records.js";

/** `engine/intake` checks imports, snapshots and data files. Records made at run time are never parsed. */
export interface Collections extends Record<CollectionName, unknown> {
  quotes: payments.Quote;
  charges: payments.Charge;
  withdrawals: payments.Withdrawal;
  destinations: payments.Destination;
  idempotency: payments.IdempotentResponse;
  holdings: payments.Holdings;
  entries: payments.LedgerEntry;
  events: webhooks.EventRecord;
  deliveries: webhooks.Delivery;
  endpoints: webhooks.Endpoint;
  lanes: webhooks.Lane;
  tasks: namespace.Task;
  scenarios: namespace.StoredScenario;
  faults: namespace.StoredFault;
  rates: namespace.RateOverride;
  keys: namespace.KeyOverride;
  organizations: namespace.OrganizationOverride;
  clock: namespace.ClockRecord;
  namespace: namespace.NamespaceRecord;
}

export const RECORD_SCHEMAS: { readonly [Name in CollectionName]: z.ZodMiniType } = {
  quotes: payments.quoteRecordSchema,
  charges: payments.chargeRecordSchema,
  withdrawals: payments.withdrawalRecordSchema,
  destinations: payments.destinationRecordSchema,
  idempotency: payments.idempotencyRecordSchema,
  holdings: payments.holdingsRecordSchema,
  entries: payments.ledgerEntryRecordSchema,
  events: webhooks.eventRecordSchema,
  deliveries: webhooks.deliveryRecordSchema,
  endpoints: webhooks.endpointRecordSchema,
  lanes: webhooks.laneRecordSchema,
  tasks: namespace.taskRecordSchema,
  scenarios: namespace.scenarioRecordSchema,
  faults: namespace.faultRecordSchema,
  rates: namespace.rateRecordSchema,
  keys: namespace.keyRecordSchema,
  organizations: namespace.organizationRecordSchema,
  clock: namespace.clockRecordSchema,
  namespace: namespace.namespaceRecordSchema,
};
