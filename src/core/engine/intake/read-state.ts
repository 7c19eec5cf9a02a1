import type { Catalogue } from "../../domain/catalogue.js";
import { type Charge, needsMethod } from "../../domain/charge-transition.js";
import { add, compareAmounts } from "../../domain/money.js";
import { errorText } from "../../schema/error-text.js";
import { type Refusal, refuseInvalid } from "../../schema/refusals.js";
import type { Settings } from "../../schema/settings.js";
import { isPaid } from "../../schema/statuses.js";
import type { Quote, RecordKey, StateDump, Task } from "../records.js";
import { State } from "../state.js";
import { commandOf } from "../task-commands.js";
import { Transaction } from "../transaction.js";
import { checkLedger } from "./check-ledger.js";
import { checkNumbering, checkOutline, checkRecords, recordPath, StateFaults } from "./check-records.js";

interface NamespaceConfiguration {
  readonly catalogue: Catalogue;
  readonly settings: Settings;
}

/** Reads an exported state; refuses if an engine cannot continue from it. */
export function readState(dump: unknown, configuration: NamespaceConfiguration): State | Refusal {
  const faults = new StateFaults();
  if (
    !checkOutline(dump, faults) ||
    !checkRecords(dump.collections, faults) ||
    !checkNumbering(dump.collections, dump.counters, faults)
  )
    return refusal(faults);
  const state = State.from(dump as StateDump);
  checkWhole(state, configuration, faults);
  return faults.isEmpty ? state : refusal(faults);
}

/** Throws if an engine cannot continue from a state loaded from a file. */
export function auditState(state: State, configuration: NamespaceConfiguration): void {
  const faults = new StateFaults();
  if (checkRecords(state.tables, faults) && checkNumbering(state.tables, state.counters, faults))
    checkWhole(state, configuration, faults);
  const [first, ...others] = Object.entries(faults.details);
  if (first === undefined) return;
  const more = others.length === 0 ? "" : `, and ${others.length}${faults.isFull ? " and" : ""} more`;
  throw new Error(`${first.join(" ")}${more}`);
}

/** Checks relations between records and the ledger, then runs each planned task in a discarded transaction. */
function checkWhole(
  state: State,
  { catalogue, settings }: NamespaceConfiguration,
  faults: StateFaults,
): void {
  checkRelations(state, catalogue, faults);
  if (faults.isEmpty) checkLedger(state, faults);
  if (!faults.isEmpty) return;
  let index = 0;
  for (const task of state.tables.tasks.values()) {
    const path = recordPath("tasks", index++);
    if (task.kind === "attempt") continue;
    try {
      const tx = new Transaction(state, catalogue, settings, "", Math.max(task.due_ms, state.at));
      commandOf(task)(tx);
      tx.change();
    } catch (error) {
      faults.add(path, `cannot be carried out: ${errorText(error)}`);
    }
    if (faults.isFull) return;
  }
}

function refusal(faults: StateFaults): Refusal {
  const { details } = faults;
  return faults.isFull
    ? refuseInvalid(details, `Invalid request parameters; showing the first ${Object.keys(details).length}`)
    : refuseInvalid(details);
}

type Report = (field: string, message: string) => void;

/** Checks the records of a state against each other and the currencies of this sandbox. */
function checkRelations(state: State, catalogue: Catalogue, faults: StateFaults): void {
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
