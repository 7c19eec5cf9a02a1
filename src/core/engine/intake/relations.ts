import type { Catalogue } from "../../domain/catalogue.js";
import type { Charge } from "../../domain/charge.js";
import { add, compare } from "../../domain/money.js";
import type { Withdrawal } from "../../domain/withdrawal.js";
import { STATUSES } from "../../schema/statuses.js";
import type { Key, Quote, Task } from "../records.js";
import type { State } from "../state.js";
import { type Faults, placeOf } from "./faults.js";

type Say = (field: string, message: string) => void;

/** Holds the records of a state against each other and against what this sandbox knows of currencies. */
export function checkRelations(state: State, catalogue: Catalogue, faults: Faults): void {
  const { tables } = state;
  const each = <Value>(
    name: string,
    table: ReadonlyMap<Key, Value>,
    look: (record: Value, say: Say) => void,
  ) => {
    let index = 0;
    for (const record of table.values()) {
      const place = index++;
      look(record, (field, message) => faults.add(placeOf(name, place, field), message));
      if (faults.isFull) return;
    }
  };
  const currency = (code: string, say: Say, field = "currency") => {
    if (catalogue.currency(code) === undefined) say(field, "is not a currency of this sandbox");
  };
  each("quotes", tables.quotes, (quote, say) => {
    currency(quote.currency, say);
    currency(quote.pricing.base_currency, say, "pricing.base_currency");
    lookAtPrice(quote, say);
  });
  each("charges", tables.charges, (charge, say) => {
    currency(charge.currency, say);
    currency(charge.pricing.base_currency, say, "pricing.base_currency");
    lookAtCharge(state, charge, say);
  });
  each("withdrawals", tables.withdrawals, (withdrawal, say) => {
    currency(withdrawal.currency, say);
    lookAtWithdrawal(state, withdrawal, say);
  });
  each("holdings", tables.holdings, (held, say) => currency(held.currency, say));
  each("deliveries", tables.deliveries, (delivery, say) => {
    if (!tables.events.has(delivery.event_id)) say("event_id", "is no event there is");
    if (delivery.task === null) return;
    if (delivery.status !== "pending") say("task", `must be null, for the delivery is ${delivery.status}`);
    else if (!isPlanned(state, delivery.task, "attempt", delivery.delivery_id))
      say("task", "is no attempt at the delivery");
  });
  each("lanes", tables.lanes, (lane, say) => {
    for (const field of ["waiting", "swapped"] as const)
      if (lane[field].some((id) => tables.deliveries.get(id)?.status !== "pending"))
        say(field, "names a delivery that does not wait");
  });
  each("tasks", tables.tasks, (task, say) => {
    const fault = taskFault(state, task);
    if (fault !== undefined) say(...fault);
  });
}

/** What the customer pays is what the merchant gets and the fees. */
function lookAtPrice(
  { amount, settlement_amount, fees }: Pick<Quote, "amount" | "settlement_amount" | "fees">,
  say: Say,
) {
  if (compare(amount, add(settlement_amount, fees.total_fee)) !== 0)
    say("amount", "must be settlement_amount and total_fee together");
}

function lookAtCharge(state: State, charge: Charge, say: Say): void {
  const { status, settlement_amount, fees, tasks } = charge;
  const parts = ["payment_method", "exchange_rate", "fees", "payment_instructions"] as const;
  for (const part of parts)
    if ((charge[part] === null) !== (settlement_amount === null))
      say(part, settlement_amount === null ? "must be null without a price" : "is required with a price");
  if (settlement_amount !== null && fees !== null)
    lookAtPrice({ amount: charge.amount, settlement_amount, fees }, say);
  if (settlement_amount === null && STATUSES[status].priced === true)
    say("settlement_amount", `is required of a charge that is ${status}`);
  if (charge.actors.length !== charge.status_history.length)
    say("actors", "must have one for each of status_history");
  const kinds = { expiry: "expire", timeline: "timeline", settlement: "settle" } as const;
  for (const name of ["expiry", "timeline", "settlement"] as const) {
    const id = tasks[name];
    if (id !== undefined && !isPlanned(state, id, kinds[name], charge.charge_id))
      say(`tasks.${name}`, `is no ${kinds[name]} task of the charge`);
  }
}

function lookAtWithdrawal(state: State, withdrawal: Withdrawal, say: Say): void {
  const { timeline_task: id, withdrawal_id } = withdrawal;
  if (id !== null && !isPlanned(state, id, "withdrawal", withdrawal_id))
    say("timeline_task", "is no task of the withdrawal");
}

function isPlanned(state: State, id: number, kind: Task["kind"], ref: string): boolean {
  const task = state.get("tasks", id);
  return task?.kind === kind && task.ref === ref;
}

type Said = [field: string, message: string] | undefined;

/** A task is that of the object it names, which names it in turn, and is about something that is there. */
function taskFault({ tables }: State, task: Task): Said {
  const { ref, kind, step = 0 } = task;
  if (kind === "attempt") {
    const delivery = tables.deliveries.get(ref);
    if (delivery === undefined || delivery.task !== task.task_id) return strayFault(task, delivery);
    return step === delivery.seq ? undefined : ["step", `must be ${delivery.seq}, the delivery's number`];
  }
  if (kind === "withdrawal") {
    const withdrawal = tables.withdrawals.get(ref);
    if (withdrawal === undefined || withdrawal.timeline_task !== task.task_id)
      return strayFault(task, withdrawal);
    return stepFault(withdrawal.timeline, step);
  }
  const charge = tables.charges.get(ref);
  if (charge === undefined || charge.tasks[CHARGE_TASKS[kind]] !== task.task_id)
    return strayFault(task, charge);
  if (kind === "timeline") return stepFault(charge.timeline, step);
  const settles = charge.status === "COMPLETED" && charge.settled_at === null;
  return kind === "expire" || settles ? undefined : ["ref", "has nothing to settle"];
}

/** What the charge calls its task of that kind. */
const CHARGE_TASKS = { expire: "expiry", timeline: "timeline", settle: "settlement" } as const;

function strayFault({ kind }: Task, about: object | undefined): Said {
  return [
    "ref",
    about === undefined
      ? `is nothing that a task of kind ${kind} can be about`
      : "does not know of this task",
  ];
}

function stepFault(timeline: readonly unknown[], step: number): Said {
  return step < timeline.length ? undefined : ["step", "is beyond the timeline"];
}
