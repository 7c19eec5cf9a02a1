import type { Charge, ChargeTasks } from "../schema/records/payments.js";

/** What changes of a charge once it has its price, in the order of its record. */
export const LIFE_FIELDS = [
  "status",
  "updated_at",
  "settled_at",
  "failure_reason",
  "status_history",
  "actors",
  "overruled",
  "tasks",
  "notes",
] as const satisfies readonly (keyof Charge)[];
type LifeField = (typeof LIFE_FIELDS)[number];

/** All of that but what waits for it. */
type ChargeProgress = Pick<Charge, Exclude<LifeField, "tasks">>;

/** The charge as it goes on. */
export function progressed(charge: Charge, progress: ChargeProgress, tasks: ChargeTasks): Charge {
  return new MovedCharge(termsOf(charge), progress, tasks);
}

/** The record that says what does not change. */
function termsOf(charge: Charge): Charge {
  return charge instanceof MovedCharge ? charge.terms : charge;
}

/** Whether they are charges, and differ in `LIFE_FIELDS` alone. */
export function hasTermsOf(after: object, before: object): after is Charge {
  return after instanceof MovedCharge && termsOf(before as Charge) === after.terms;
}

/** The values of `LIFE_FIELDS`, in their order. */
export function lifeOf(charge: Charge): readonly unknown[] {
  return [
    charge.status,
    charge.updated_at,
    charge.settled_at,
    charge.failure_reason,
    charge.status_history,
    charge.actors,
    charge.overruled,
    charge.tasks,
    charge.notes,
  ];
}

/** A charge with all fields its own, as it is in files: for whoever spreads it, or goes through its fields. Other records stay. */
export function plainCharge<Item extends object>(record: Item): Item {
  return record instanceof MovedCharge ? (record.toJSON() as Item) : record;
}

/**
 * A charge that has gone on: its terms stay in the record that it first went on from, and here is its life. An advance
 * makes hundreds of thousands of these, and so each is a quarter of the size of a whole record.
 */
class MovedCharge implements Charge {
  readonly terms: Charge;
  readonly status: Charge["status"];
  readonly updated_at: Charge["updated_at"];
  readonly settled_at: Charge["settled_at"];
  readonly failure_reason: Charge["failure_reason"];
  readonly status_history: Charge["status_history"];
  readonly actors: Charge["actors"];
  readonly overruled: boolean;
  readonly tasks: ChargeTasks;
  readonly notes: Charge["notes"];

  constructor(terms: Charge, progress: ChargeProgress, tasks: ChargeTasks) {
    this.terms = terms;
    this.status = progress.status;
    this.updated_at = progress.updated_at;
    this.settled_at = progress.settled_at;
    this.failure_reason = progress.failure_reason;
    this.status_history = progress.status_history;
    this.actors = progress.actors;
    this.overruled = progress.overruled;
    this.tasks = tasks;
    this.notes = progress.notes;
  }

  toJSON(): Charge {
    return plain(this);
  }

  get charge_id() {
    return this.terms.charge_id;
  }
  get checkout_id() {
    return this.terms.checkout_id;
  }
  get organization_id() {
    return this.terms.organization_id;
  }
  get amount() {
    return this.terms.amount;
  }
  get currency() {
    return this.terms.currency;
  }
  get provider_reference() {
    return this.terms.provider_reference;
  }
  get created_at() {
    return this.terms.created_at;
  }
  get payment_method() {
    return this.terms.payment_method;
  }
  get payment_rail() {
    return this.terms.payment_rail;
  }
  get customer_email() {
    return this.terms.customer_email;
  }
  get customer_name() {
    return this.terms.customer_name;
  }
  get metadata() {
    return this.terms.metadata;
  }
  get fees() {
    return this.terms.fees;
  }
  get exchange_rate() {
    return this.terms.exchange_rate;
  }
  get settlement_amount() {
    return this.terms.settlement_amount;
  }
  get payment_instructions() {
    return this.terms.payment_instructions;
  }
  get expires_at() {
    return this.terms.expires_at;
  }
  get seq() {
    return this.terms.seq;
  }
  get mode() {
    return this.terms.mode;
  }
  get kind() {
    return this.terms.kind;
  }
  get success_url() {
    return this.terms.success_url;
  }
  get cancel_url() {
    return this.terms.cancel_url;
  }
  get offered_methods() {
    return this.terms.offered_methods;
  }
  get quote_id() {
    return this.terms.quote_id;
  }
  get pricing() {
    return this.terms.pricing;
  }
  get phone_number() {
    return this.terms.phone_number;
  }
  get bank_account_number() {
    return this.terms.bank_account_number;
  }
  get expires_at_ms() {
    return this.terms.expires_at_ms;
  }
  get settlement_delay_ms() {
    return this.terms.settlement_delay_ms;
  }
  get scenario_asked() {
    return this.terms.scenario_asked;
  }
  get scenario() {
    return this.terms.scenario;
  }
  get timeline() {
    return this.terms.timeline;
  }
  get rule() {
    return this.terms.rule;
  }
  get traceparent() {
    return this.terms.traceparent;
  }
}

/** Field by field and not by spreading: V8 would grow so large an object step by step. */
function plain(charge: Charge): Charge {
  return {
    charge_id: charge.charge_id,
    checkout_id: charge.checkout_id,
    organization_id: charge.organization_id,
    amount: charge.amount,
    currency: charge.currency,
    status: charge.status,
    provider_reference: charge.provider_reference,
    created_at: charge.created_at,
    updated_at: charge.updated_at,
    payment_method: charge.payment_method,
    payment_rail: charge.payment_rail,
    customer_email: charge.customer_email,
    customer_name: charge.customer_name,
    metadata: charge.metadata,
    fees: charge.fees,
    exchange_rate: charge.exchange_rate,
    settlement_amount: charge.settlement_amount,
    settled_at: charge.settled_at,
    failure_reason: charge.failure_reason,
    payment_instructions: charge.payment_instructions,
    expires_at: charge.expires_at,
    status_history: charge.status_history,
    seq: charge.seq,
    mode: charge.mode,
    kind: charge.kind,
    success_url: charge.success_url,
    cancel_url: charge.cancel_url,
    offered_methods: charge.offered_methods,
    quote_id: charge.quote_id,
    pricing: charge.pricing,
    phone_number: charge.phone_number,
    bank_account_number: charge.bank_account_number,
    expires_at_ms: charge.expires_at_ms,
    settlement_delay_ms: charge.settlement_delay_ms,
    scenario_asked: charge.scenario_asked,
    scenario: charge.scenario,
    timeline: charge.timeline,
    rule: charge.rule,
    actors: charge.actors,
    overruled: charge.overruled,
    traceparent: charge.traceparent,
    tasks: charge.tasks,
    notes: charge.notes,
  };
}
