import type { Charge } from "../domain/charge.js";
import type { Holdings, Posting } from "../domain/ledger.js";

import type { Fees, Pricing } from "../domain/pricing.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import type { Mode } from "../schema/common.js";
import type { FaultRule, Scenario } from "../schema/scenario.js";
import type { Signature } from "../schema/webhooks.js";

/** The records of a namespace, by collection. All are immutable: a change puts a new record in place. */

export interface Quote {
  readonly quote_id: string;
  readonly seq: number;
  readonly mode: Mode;
  readonly organization_id: string;
  readonly pricing: Pricing;
  readonly payment_method: string;
  readonly payment_rail: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly exchange_rate: string;
  readonly fees: Fees;
  readonly settlement_amount: string;
  readonly wallet_address: string | null;
  readonly network: string | null;
  readonly customer_email: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly locked_until_ms: number;
}

/** Where withdrawals go; which of the fields there are depends on the type. */
export interface Destination {
  readonly destination_id: string;
  readonly seq: number;
  readonly mode: Mode;
  readonly organization_id: string;
  readonly created_at: string;
  readonly fields: Readonly<Record<string, string | null>> & {
    readonly type: string;
    readonly currency: string;
  };
}

/** The answer to a request that carried an Idempotency-Key, kept with the request's body to compare by. */
export interface IdempotentAnswer {
  readonly seq: number;
  readonly body: string;
  readonly json: string;
  readonly at_ms: number;
}

export interface LedgerEntry {
  readonly entry_id: string;
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly mode: Mode;
  readonly organization_id: string;
  readonly currency: string;
  /** The charge, withdrawal or fixture it was posted for. */
  readonly object_id: string;
  readonly postings: readonly Posting[];
}

/** An event, with the exact bytes every delivery of it carries (see `event-record.ts`). */
export interface EventRecord {
  readonly event_id: string;
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly mode: Mode;
  readonly organization_id: string | null;
  readonly object_id: string | null;
  readonly body: string;
}

export interface Attempt {
  readonly attempt: number;
  /** Sandbox time the attempt was made at. */
  readonly at: string;
  /** Wall time, for the receiver checks its signature against it. */
  readonly sent_at: string;
  readonly duration_ms: number;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
}

export interface Mishap {
  readonly scenario: string;
  readonly bad_signature: boolean;
  readonly stale_ms: number;
  /** So many attempts fail without being made. */
  readonly fail_first: number;
  /** It is never sent. Data of earlier versions does not say. */
  readonly drop?: boolean;
}

export type DeliveryStatus = "pending" | "delivered" | "failed" | "dropped";

export interface Delivery {
  readonly delivery_id: string;
  readonly seq: number;
  readonly event_id: string;
  readonly event_type: string;
  readonly object_id: string | null;
  readonly webhook_id: string;
  readonly mode: Mode;
  readonly status: DeliveryStatus;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
  /** The task that will make the next attempt, if one is planned. */
  readonly task: number | null;
  readonly attempts: readonly Attempt[];
  /** What the scenario lets go wrong with it on the way, if anything. */
  readonly mishap: Mishap | null;
  /** Whether it waits its turn among the events of its object, or goes by itself. */
  readonly lane: string | null;
}

export interface Endpoint {
  readonly webhook_id: string;
  readonly seq: number;
  /** Null for a mailbox. */
  readonly url: string | null;
  /** Deliveries wait here to be collected, for tests without a socket. */
  readonly mailbox: string | null;
  /** On a running clock: whether attempts wait for somebody to listen, or fail at once. */
  readonly unreachable: "hold" | "fail";
  readonly mode: Mode;
  /** The organization that registered it; null hears every organization of its mode (start options). */
  readonly organization_id: string | null;
  readonly events: readonly string[];
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_until_ms: number;
  readonly signature: Signature;
  readonly enabled: boolean;
  readonly created_at: string;
}

/** Deliveries of one object's events to one endpoint that have not had their first attempt, in order. */
export interface Lane {
  readonly lane: string;
  readonly waiting: readonly string[];
  /** Swapped deliveries: they go right after the next event's. */
  readonly swapped: readonly string[];
}

/** What is due when. Ordered by due time, then rank, then the order of scheduling. */
export interface Task {
  readonly task_id: number;
  readonly due_ms: number;
  /** Expiry is 0: at the same instant it goes first. An attempt is 2: it goes last. */
  readonly rank: 0 | 1 | 2;
  readonly kind: "expire" | "timeline" | "settle" | "withdrawal" | "attempt";
  /** The charge, withdrawal or delivery it is about. */
  readonly ref: string;
  /** Which entry of the timeline; of an attempt, the number of its delivery. */
  readonly step?: number;
}

export interface StoredScenario {
  readonly name: string;
  readonly scenario: Scenario;
  /** Order of activation; 0 is not active. */
  readonly activated: number;
}

/** A fault set by the control API. */
export interface StoredFault {
  readonly fault_id: string;
  readonly seq: number;
  readonly rule: FaultRule;
}

export interface RateOverride {
  readonly code: string;
  readonly rate: string;
}

export interface ClockRecord {
  readonly mode: "real" | "manual" | "scaled";
  readonly speed: number;
  /** Sandbox time that belongs to `wall_ms`; on a manual clock it is the time. */
  readonly sandbox_ms: number;
  readonly wall_ms: number;
}

/** What a namespace is, whatever happens in it. */
export interface WorldRecord {
  readonly name: string;
  readonly seed: string;
  readonly start_ms: number;
  /** The start time that was asked for, if one was: data and options must not contradict each other. */
  readonly asked_start_ms: number | null;
  /** Part of every id: a reset goes on with the next one, so that no id comes twice. */
  readonly generation: number;
  readonly highest_generation: number;
  /** Part of every id too: how often a state was put back in this generation. */
  readonly restores: number;
}

/** Collection name → the record it holds. */
export interface Collections {
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
  clock: ClockRecord;
  world: WorldRecord;
}
export type CollectionName = keyof Collections;
export type Key = string | number;

/** [collection, key, record or null for "gone"]. */
export type Put = readonly [collection: CollectionName, key: Key, record: unknown];

/** Everything one command did, committed at once: one line of the journal. */
export interface Change {
  readonly seq: number;
  /** Sandbox time, milliseconds. */
  readonly at: number;
  readonly puts: readonly Put[];
  /** Counters that moved, with their new values. */
  readonly counters: Readonly<Record<string, number>>;
}

/** The whole state as plain JSON: the readable snapshot, and what export and restore carry. */
export interface StateDump {
  readonly version: 1;
  readonly seq: number;
  readonly at: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly collections: { readonly [Name in CollectionName]: readonly (readonly [Key, Collections[Name]])[] };
}

/**
 * Where changes are kept. `append` comes before the change is published to memory: when it throws, nothing
 * has happened. The memory store keeps nothing.
 */
export interface Store {
  /** What was kept by an earlier run: a snapshot, and the changes after it. */
  load(): { snapshot: StateDump | undefined; changes: readonly Change[] } | undefined;
  append(change: Change): void;
  /** Reset, restore, import: from here on the state is this one. */
  replace(state: StateDump): void;
  /** Called after each change: a store that grows may shrink now. Answers why it could not, if it could not. */
  compactIfLarge?(dump: () => StateDump): Error | undefined;
  /** May compact: `dump` gives the whole state when asked. Without it nothing more is written. */
  close(dump?: () => StateDump): void;
  /** No state can be made of what `load` gave: what to tell about that instead of the cause. */
  unusable?(cause: unknown): Error;
}
