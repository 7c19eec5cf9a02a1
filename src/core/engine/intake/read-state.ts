import type { Catalogue } from "../../domain/catalogue.js";
import { type Refusal, refuseInvalid } from "../../schema/refusals.js";
import type { Settings } from "../../schema/settings.js";
import type { StateDump } from "../records.js";
import { State } from "../state.js";
import { commandOf } from "../task-commands.js";
import { Transaction } from "../transaction.js";
import { checkLedger } from "./check-ledger.js";
import { checkNumbering, checkOutline, checkRecords, recordPath, StateFaults } from "./check-records.js";
import { checkRelations } from "./check-relations.js";

export interface NamespaceConfiguration {
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
      faults.add(path, `cannot be carried out: ${error instanceof Error ? error.message : String(error)}`);
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
