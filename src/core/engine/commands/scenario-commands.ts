import { RULE_KINDS } from "../../domain/rule-matching.js";
import { didYouMean } from "../../schema/nearest.js";
import { costlyPatternsMessage, instructionsIn, MAX_INSTRUCTIONS } from "../../schema/pattern.js";
import { type Refusal, refuse, refuseInvalid } from "../../schema/refusals.js";
import type { FaultRule, Scenario } from "../../schema/scenario-rules.js";
import type { RecordKey, StoredFault, StoredScenario } from "../records.js";
import { DEFAULT_SCENARIO } from "../scenario-lookup.js";
import type { State } from "../state.js";
import type { Command, Transaction } from "../transaction.js";

interface StoreOptions {
  /** True to activate the scenario: its rules then also apply to calls that do not request it. */
  readonly active: boolean;
  /** True if stored by the control API. */
  readonly byHand: boolean;
}

/** Stores a scenario. An identical stored scenario keeps its start time and its counts. */
export function storeScenario(
  scenario: Scenario,
  { active, byHand }: StoreOptions,
): Command<StoredScenario | Refusal> {
  return (tx) => {
    const existing = tx.get("scenarios", scenario.name);
    const same = JSON.stringify(existing?.scenario) === JSON.stringify(scenario) ? existing : undefined;
    const stored: StoredScenario = {
      name: scenario.name,
      scenario,
      activated: active ? tx.next("activation") : (existing?.activated ?? 0),
      since_ms: same === undefined ? tx.atMs : same.since_ms,
      ...(same?.met === undefined ? {} : { met: same.met }),
      ...(byHand ? { by_hand: true } : {}),
    };
    return refuseCostlyRules(tx, stored) ?? putScenario(tx, stored);
  };
}

/** Turns a scenario's rules on or off. The scenario turned on last is matched first. */
export function setScenarioActive(name: string, active: boolean): Command<StoredScenario | Refusal> {
  return (tx) => {
    const existing = tx.get("scenarios", name);
    if (existing === undefined) return refuseUnknownScenario(tx.state, name);
    const { met: _met, ...rest } = existing;
    const activated = active ? tx.next("activation") : 0;
    const stored: StoredScenario = { ...rest, activated, since_ms: tx.atMs };
    return refuseCostlyRules(tx, stored) ?? putScenario(tx, stored);
  };
}

function putScenario(tx: Transaction, stored: StoredScenario): StoredScenario {
  tx.put("scenarios", stored.name, stored);
  return stored;
}

/**
 * Refuses rules whose patterns one call or event would match for too long: those of a scenario together, and those of
 * the active scenarios and the faults together.
 */
function refuseCostlyRules(tx: Transaction, added: StoredScenario | FaultRule): Refusal | undefined {
  const scenario = "scenario" in added ? added : undefined;
  const own = scenario === undefined ? instructionsIn(added) : patternSteps(scenario);
  if (own === 0) return undefined;
  if (own > MAX_INSTRUCTIONS) return refuseInvalid({ body: costlyPatternsMessage("its patterns", own) });
  const isApplied = ({ name, activated }: StoredScenario) => activated > 0 || name === DEFAULT_SCENARIO;
  if (scenario !== undefined && !isApplied(scenario)) return undefined;
  let sum = own;
  for (const other of tx.state.tables.scenarios.values())
    if (isApplied(other) && other.name !== scenario?.name) sum += patternSteps(other);
  for (const { rule } of tx.state.tables.faults.values()) sum += instructionsIn(rule);
  const all = "the patterns of all active scenarios and faults";
  return sum > MAX_INSTRUCTIONS ? refuseInvalid({ body: costlyPatternsMessage(all, sum) }) : undefined;
}

function patternSteps({ scenario }: StoredScenario): number {
  return instructionsIn(RULE_KINDS.map((kind) => scenario[kind]));
}

export function refuseUnknownScenario({ tables }: State, name: string): Refusal {
  const existing = [...tables.scenarios.keys()].map(String);
  return refuse("NOT_FOUND", `There is no scenario "${name}"${didYouMean(name, existing)}`);
}

export function removeScenario(name: string): Command<undefined> {
  return (tx) => {
    tx.remove("scenarios", name);
    return undefined;
  };
}

export function addFault(rule: FaultRule): Command<StoredFault | Refusal> {
  return (tx) => {
    const refusal = refuseCostlyRules(tx, rule);
    if (refusal !== undefined) return refusal;
    const fault: StoredFault = { fault_id: tx.id("fault"), seq: tx.next("fault_seq"), rule };
    tx.put("faults", fault.fault_id, fault);
    return fault;
  };
}

export function removeFaults(faultId?: string): Command<readonly string[] | Refusal> {
  return (tx) => {
    const ids = faultId === undefined ? [...tx.state.tables.faults.keys()].map(String) : [faultId];
    if (faultId !== undefined && tx.get("faults", faultId) === undefined)
      return refuse("NOT_FOUND", "Fault not found");
    for (const id of ids) tx.remove("faults", id);
    return ids;
  };
}

/** All scenarios, active or not, and the faults set by the control API. */
interface RuleSet {
  readonly scenarios: ReadonlyMap<RecordKey, StoredScenario>;
  readonly faults: ReadonlyMap<RecordKey, StoredFault>;
}

export function copyRules({ tables }: State): RuleSet {
  return { scenarios: new Map(tables.scenarios), faults: new Map(tables.faults) };
}

export function restoreRules(rules: RuleSet): Command<void> {
  return (tx) => {
    const now = copyRules(tx.state);
    for (const name of ["scenarios", "faults"] as const) {
      for (const key of now[name].keys()) if (!rules[name].has(key)) tx.remove(name, key);
      for (const [key, record] of rules[name]) if (now[name].get(key) !== record) tx.put(name, key, record);
    }
  };
}
