import type { Catalogue } from "../../domain/catalogue.js";
import { type Charge, needsMethod } from "../../domain/charge-transition.js";
import { add, compareAmounts } from "../../domain/money.js";
import { isPaid } from "../../schema/statuses.js";
import type { Quote, RecordKey, Task } from "../records.js";
import type { State } from "../state.js";
import { recordPath, type StateFaults } from "./check-records.js";

type Report = (field: string, message: string) => void;

/** Checks the records of a state against each other and the currencies of this sandbox. */
export function checkRelations(state: State, catalogue: Catalogue, faults: StateFaults): void {
  const { tables } = state;
  const each = <Value>(
    name: string,
    table: ReadonlyMap<RecordKey, Value>,
    checkRecord: (record: Value, report: Report) => void,
  ) => {
    let index = 0;
    for (const record of table.values()) {
      const position = index++;
      checkRecord(record, (field, message) => faults.add(recordPath(name, position, field), message));
      if (faults.isFull) return;
    }
  };
  const currency = (code: string, report: Report, field = "currency") => {
    if (catalogue.currency(code) === undefined) report(field, "is not a currency of this sandbox");
  };
  each("quotes", tables.quotes, (quote, report) => {
    currency(quote.currency, report);
    currency(quote.pricing.base_currency, report, "pricing.base_currency");
    checkPrice(quote, report);
  });
  each("charges", tables.charges, (charge, report) => {
    currency(charge.currency, report);
    currency(charge.pricing.base_currency, report, "pricing.base_currency");
    checkCharge(state, charge, report);
  });
  each("withdrawals", tables.withdrawals, (withdrawal, report) => {
    currency(withdrawal.currency, report);
    const { timeline_task: id, withdrawal_id } = withdrawal;
    if (id !== null && !isPlanned(state, id, "withdrawal", withdrawal_id))
      report("timeline_task", "is not the task of the withdrawal");
  });
  each("holdings", tables.holdings, (account, report) => currency(account.currency, report));
  each("deliveries", tables.deliveries, (delivery, report) => {
    if (!tables.events.has(delivery.event_id)) report("event_id", "is not the id of an event");
    if (delivery.task === null) return;
    if (delivery.status !== "pending")
      report("task", `must be null, because the delivery is ${delivery.status}`);
    else if (!isPlanned(state, delivery.task, "attempt", delivery.delivery_id))
      report("task", "is not an attempt at the delivery");
  });
  each("lanes", tables.lanes, (lane, report) => {
    for (const field of ["waiting", "swapped"] as const)
      if (lane[field].some((id) => tables.deliveries.get(id)?.status !== "pending"))
        report(field, "names a delivery that is not pending");
  });
  each("tasks", tables.tasks, (task, report) => {
    const fault = taskFault(state, task);
    if (fault !== undefined) report(...fault);
  });
}

/** Checks that the customer pays the merchant's amount plus the fees. */
function checkPrice(
  { amount, settlement_amount, fees }: Pick<Quote, "amount" | "settlement_amount" | "fees">,
  report: Report,
) {
  if (compareAmounts(amount, add(settlement_amount, fees.total_fee)) !== 0)
    report("amount", "must be settlement_amount plus total_fee");
}

function checkCharge(state: State, charge: Charge, report: Report): void {
  const { status, payment_method, settlement_amount, fees, tasks } = charge;
  for (const field of ["exchange_rate", "fees"] as const)
    if ((charge[field] === null) !== (settlement_amount === null))
      report(field, settlement_amount === null ? "must be null without a price" : "is required with a price");
  if (payment_method !== null && settlement_amount === null)
    report("settlement_amount", "is required with a payment method");
  if ((charge.payment_instructions === null) !== (payment_method === null))
    report(
      "payment_instructions",
      payment_method === null ? "must be null without a payment method" : "is required with a payment method",
    );
  if (settlement_amount !== null && fees !== null)
    checkPrice({ amount: charge.amount, settlement_amount, fees }, report);
  if (needsMethod(charge, status)) report("payment_method", `is required of a charge that is ${status}`);
  if (charge.actors.length !== charge.status_history.length)
    report("actors", "must have one entry for each of status_history");
  for (const kind of ["expire", "timeline", "settle"] as const) {
    const name = CHARGE_TASKS[kind];
    const id = tasks[name];
    if (id !== undefined && !isPlanned(state, id, kind, charge.charge_id))
      report(`tasks.${name}`, `is not the ${kind} task of the charge`);
  }
}

function isPlanned(state: State, id: number, kind: Task["kind"], ref: string): boolean {
  const task = state.get("tasks", id);
  return task?.kind === kind && task.ref === ref;
}

type Fault = [field: string, message: string] | undefined;

/** A task and its object must refer to each other, and the task's step must exist. */
function taskFault({ tables }: State, task: Task): Fault {
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
  const settles = isPaid(charge.status) && charge.settled_at === null;
  return kind === "expire" || settles ? undefined : ["ref", "has nothing to settle"];
}

/** Fields of `charge.tasks` by task kind. */
const CHARGE_TASKS = { expire: "expiry", timeline: "timeline", settle: "settlement" } as const;

function strayFault({ kind }: Task, about: object | undefined): Fault {
  return [
    "ref",
    about === undefined
      ? `is not the id of an object with ${kind} tasks`
      : "names an object that does not refer to this task",
  ];
}

function stepFault(timeline: readonly unknown[], step: number): Fault {
  return step < timeline.length ? undefined : ["step", "is beyond the timeline"];
}
