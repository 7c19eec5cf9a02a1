import type { Charge, ChargeTasks } from "../schema/records/payment-records.js";

/** Fields that change after a charge has its price, in the order of the charge record. */
export const CHARGE_STATE_FIELDS = [
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

type ChargeProgress = Pick<Charge, Exclude<(typeof CHARGE_STATE_FIELDS)[number], "tasks">>;

/**
 * A charge that has its own state fields and refers to shared terms. An advance creates hundreds of thousands of
 * states; each takes a quarter of the memory of a whole record.
 */
class ChargeState implements Readonly<Record<(typeof CHARGE_STATE_FIELDS)[number], unknown>> {
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
    const record: Record<string, unknown> = { ...this.terms };
    for (const name of CHARGE_STATE_FIELDS) record[name] = this[name];
    return record as object as Charge;
  }
}

let hasGetters = false;

type OptionalTerm = { [Name in keyof Charge]-?: undefined extends Charge[Name] ? Name : never }[keyof Charge];
/** Optional terms. `defineGetters` reads the names of all other terms from the first charge. */
const OPTIONAL_TERMS = Object.keys({
  amount_paid: true,
  currency_paid: true,
} satisfies Record<OptionalTerm, true>);

/** Defines a getter on `ChargeState` for each term, from the terms of the first charge. */
function defineGetters(terms: Charge): void {
  hasGetters = true;
  const names = [...new Set([...Object.keys(terms), ...OPTIONAL_TERMS])] as (keyof Charge)[];
  for (const name of names.filter((name) => !(CHARGE_STATE_FIELDS as readonly string[]).includes(name)))
    Object.defineProperty(ChargeState.prototype, name, {
      get(this: ChargeState) {
        return this.terms[name];
      },
    });
}

/** Returns a copy of the charge with the given state fields. */
export function withChargeState(charge: Charge, progress: ChargeProgress, tasks: ChargeTasks): Charge {
  const terms = termsOf(charge);
  if (!hasGetters) defineGetters(terms);
  return new ChargeState(terms, progress, tasks) as object as Charge;
}

function termsOf(charge: object): Charge {
  return charge instanceof ChargeState ? charge.terms : (charge as Charge);
}

/** Returns true if both are charges that differ in `CHARGE_STATE_FIELDS` only. */
export function hasSameTerms(after: object, before: object): after is Charge {
  return after instanceof ChargeState && termsOf(before) === after.terms;
}

export function chargeStateValues(charge: Charge): readonly unknown[] {
  return CHARGE_STATE_FIELDS.map((name) => charge[name]);
}

/** Copies a charge's getters into own fields, so it can be spread; returns other records as they are. */
export function toPlainRecord<Item extends object>(record: Item): Item {
  return record instanceof ChargeState ? (record.toJSON() as object as Item) : record;
}
