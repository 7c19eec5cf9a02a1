import type { Charge, ChargeNote, ChargeTasks } from "../schema/records/payments.js";

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

const NO_ACTORS: NonNullable<Charge["actors"]> = [];

/** What goes on with a charge. */
type ChargeLife = Pick<Charge, LifeField>;

/** All of that but what waits for it. */
type ChargeProgress = Omit<ChargeLife, "tasks">;

/** What stays as it is once the charge has its price. */
export type ChargeTerms = Omit<Charge, LifeField>;

/** A charge as the engine has it. */
export function chargeOf(terms: ChargeTerms, life: ChargeLife): Charge {
  return new ChargeRecord(terms, life, life.tasks);
}

/**
 * The same of a charge out of a file. What has not its fields in their order stays as it is: data of earlier versions lacks
 * some, and where one is unknown, whoever looks through the file has to see it.
 */
export function chargeOfPlain(plain: Charge): Charge {
  if (typeof plain !== "object" || plain === null) return plain;
  const charge = chargeOf(plainTerms(plain), plain);
  fieldNames ??= Object.keys(plainCharge(charge));
  const names = Object.keys(plain);
  const isWhole =
    names.length === fieldNames.length && names.every((name, place) => name === fieldNames![place]);
  return isWhole ? charge : plain;
}

/** Of a record, in their order; from the first that was made. */
let fieldNames: readonly string[] | undefined;

/** The charge as it goes on. */
export function progressed(charge: Charge, progress: ChargeProgress, tasks: ChargeTasks): Charge {
  return new ChargeRecord(chargeTerms(charge), progress, tasks);
}

/** The charge on other terms: those it had, spread, and what is new of them. */
export function withTerms(charge: Charge, terms: ChargeTerms, notes: Charge["notes"] = charge.notes): Charge {
  const record = new ChargeRecord(terms, charge, charge.tasks);
  record.notes = notes;
  return record;
}

/** The charge with other tasks waiting for it. */
export function withTasks(charge: Charge, tasks: ChargeTasks): Charge {
  return shownAs(charge, new ChargeRecord(chargeTerms(charge), charge, tasks));
}

/** The charge with one more note of what no status shows. */
export function withNote(charge: Charge, note: ChargeNote): Charge {
  const record = new ChargeRecord(chargeTerms(charge), charge, charge.tasks);
  record.notes = [...charge.notes, note];
  return shownAs(charge, record);
}

/** Nothing that is shown has changed: what was written of the old record holds for the new one. */
function shownAs(old: Charge, now: ChargeRecord): Charge {
  if (old instanceof ChargeRecord) {
    now.detail = old.detail;
    now.summary = old.summary;
  }
  return now;
}

export function chargeTerms(charge: Charge): ChargeTerms {
  return charge instanceof ChargeRecord ? charge.terms : plainTerms(charge);
}

/** Whether they are charges, and differ in `LIFE_FIELDS` alone. */
export function hasTermsOf(after: object, before: object): boolean {
  return after instanceof ChargeRecord && before instanceof ChargeRecord && after.terms === before.terms;
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
  return record instanceof ChargeRecord ? (record.toJSON() as Item) : record;
}

/** What is written of a charge to show it. */
export type ChargeText = "detail" | "summary";

/** That text, made when it is first asked for. It is kept with the charge as the engine has it. */
export function textOf(charge: Charge, text: ChargeText, make: (charge: Charge) => string): string {
  if (!(charge instanceof ChargeRecord)) return make(charge);
  if (text === "detail") return (charge.detail ??= make(charge));
  return (charge.summary ??= make(charge));
}

/**
 * A charge as the engine has it: its terms are written once, and what goes on is its life. An advance makes hundreds of
 * thousands of these, and so each is a third of the size of a whole record; all of them are made alike, for what V8 has
 * learnt of one holds for the next.
 */
class ChargeRecord implements Charge {
  readonly terms: ChargeTerms;
  readonly status: Charge["status"];
  readonly updated_at: Charge["updated_at"];
  readonly settled_at: Charge["settled_at"];
  readonly failure_reason: Charge["failure_reason"];
  readonly status_history: Charge["status_history"];
  readonly actors: NonNullable<Charge["actors"]>;
  readonly overruled: boolean;
  readonly tasks: ChargeTasks;
  notes: Charge["notes"];
  detail: string | undefined;
  summary: string | undefined;

  constructor(terms: ChargeTerms, progress: ChargeProgress, tasks: ChargeTasks) {
    this.terms = terms;
    this.status = progress.status;
    this.updated_at = progress.updated_at;
    this.settled_at = progress.settled_at;
    this.failure_reason = progress.failure_reason;
    this.status_history = progress.status_history;
    // Data of earlier versions lacks these.
    this.actors = progress.actors ?? NO_ACTORS;
    this.overruled = progress.overruled ?? false;
    this.tasks = tasks;
    this.notes = progress.notes;
    this.detail = undefined;
    this.summary = undefined;
  }

  /** Field by field and not by spreading: V8 would grow so large an object step by step. */
  toJSON(): Charge {
    const { terms } = this;
    return {
      charge_id: terms.charge_id,
      checkout_id: terms.checkout_id,
      organization_id: terms.organization_id,
      amount: terms.amount,
      currency: terms.currency,
      status: this.status,
      provider_reference: terms.provider_reference,
      created_at: terms.created_at,
      updated_at: this.updated_at,
      payment_method: terms.payment_method,
      payment_rail: terms.payment_rail,
      customer_email: terms.customer_email,
      customer_name: terms.customer_name,
      metadata: terms.metadata,
      fees: terms.fees,
      exchange_rate: terms.exchange_rate,
      settlement_amount: terms.settlement_amount,
      settled_at: this.settled_at,
      failure_reason: this.failure_reason,
      payment_instructions: terms.payment_instructions,
      expires_at: terms.expires_at,
      status_history: this.status_history,
      seq: terms.seq,
      mode: terms.mode,
      kind: terms.kind,
      success_url: terms.success_url,
      cancel_url: terms.cancel_url,
      offered_methods: terms.offered_methods,
      quote_id: terms.quote_id,
      pricing: terms.pricing,
      phone_number: terms.phone_number,
      bank_account_number: terms.bank_account_number,
      expires_at_ms: terms.expires_at_ms,
      settlement_delay_ms: terms.settlement_delay_ms,
      scenario_asked: terms.scenario_asked,
      scenario: terms.scenario,
      timeline: terms.timeline,
      rule: terms.rule,
      actors: this.actors,
      overruled: this.overruled,
      traceparent: terms.traceparent,
      tasks: this.tasks,
      notes: this.notes,
    };
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

/** Field by field, too. */
function plainTerms(charge: Charge): ChargeTerms {
  return {
    charge_id: charge.charge_id,
    checkout_id: charge.checkout_id,
    organization_id: charge.organization_id,
    amount: charge.amount,
    currency: charge.currency,
    provider_reference: charge.provider_reference,
    created_at: charge.created_at,
    payment_method: charge.payment_method,
    payment_rail: charge.payment_rail,
    customer_email: charge.customer_email,
    customer_name: charge.customer_name,
    metadata: charge.metadata,
    fees: charge.fees,
    exchange_rate: charge.exchange_rate,
    settlement_amount: charge.settlement_amount,
    payment_instructions: charge.payment_instructions,
    expires_at: charge.expires_at,
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
    rule: charge.rule ?? null,
    traceparent: charge.traceparent ?? null,
  };
}
