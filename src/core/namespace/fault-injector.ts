import { findRule, type MatchSubject, matchesRule } from "../domain/rule-matching.js";
import type { Engine } from "../engine/engine.js";
import { digestOf, fractionOf, numberedDigest } from "../engine/ids.js";
import { listApplicableScenarios } from "../engine/scenario-lookup.js";
import { STALE_READS } from "../schema/operation-ids.js";
import type { FaultRule } from "../schema/scenario-rules.js";

export interface MatchedFault {
  readonly rule: FaultRule;
  /** Name of the scenario, or id of a fault set by the control API. */
  readonly source: string;
  /** Removes this match from the counts. Called if the request fails without an effect. */
  readonly undo: () => void;
}

/** How often a rule matched, and how often it was applied. */
interface RuleCounts {
  met: number;
  applied: number;
}

/** Maximum number of counts; the oldest are dropped. */
const MAX_COUNTS = 100_000;

/**
 * Decides which requests fail. Counts are in memory only, because a read must write nothing. A random draw depends only
 * on seed and count, so the same calls get the same faults.
 */
export class FaultInjector {
  readonly #engine: Engine;
  readonly #counts = new Map<string, RuleCounts>();
  /** Keyed by rule and by customer, charge, withdrawal or order. */
  readonly #countsBySubject = new Map<string, RuleCounts>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the first matching fault that is not used up, and counts it. */
  pick(requested: readonly string[], subjectOf: () => MatchSubject): MatchedFault | undefined {
    const { state } = this.#engine;
    const scenarios = listApplicableScenarios(state, requested);
    if (state.tables.faults.size === 0 && scenarios.every(({ faults = [] }) => faults.length === 0))
      return undefined;
    const subject = subjectOf();
    const undo: (() => void)[] = [];
    const giveBack = (): void => {
      for (const step of undo) step();
    };
    const controlFaults = [...state.tables.faults.values()].sort((a, b) => b.seq - a.seq);
    for (const { fault_id, rule } of controlFaults)
      if (matchesRule(rule.match, subject) && this.#applies(fault_id, rule, subject, undo))
        return { rule, source: fault_id, undo: giveBack };
    const found = findRule("faults", scenarios, subject, (scenario, index, rule) =>
      this.#applies(`${scenario}#${index}`, rule, subject, undo),
    );
    if (found === undefined) return undefined;
    const { appliedCounts } = this.#engine;
    appliedCounts.add([found]);
    undo.push(() => appliedCounts.add([found], -1));
    return { rule: found.rule, source: found.scenario, undo: giveBack };
  }

  /** Counts the match for `skip` and `times`. Adds functions to `undo` that reverse the counts. */
  #applies(id: string, rule: FaultRule, subject: MatchSubject, undo: (() => void)[]): boolean {
    const { times, skip = 0, probability, stale } = rule;
    if (stale !== undefined && !STALE_READS.includes(subject.fields.operation ?? "")) return false;
    const all = ruleCountsOf(this.#counts, id);
    const subjectKey = times === undefined && skip === 0 ? "" : faultScopeKey(rule.per, subject);
    const counts =
      subjectKey === "" ? all : ruleCountsOf(this.#countsBySubject, `${id}#${digestOf(subjectKey)}`);
    if (times !== undefined && counts.applied >= times) return false;
    const count = (what: keyof RuleCounts): void => {
      for (const entry of new Set([all, counts])) {
        entry[what]++;
        undo.push(() => entry[what]--);
      }
    };
    count("met");
    if (counts.met <= skip) return false;
    if (probability !== undefined && !this.#draw(id, all.met, probability)) return false;
    count("applied");
    return true;
  }

  #draw(id: string, count: number, probability: number): boolean {
    return fractionOf(numberedDigest(`${this.#engine.scope}\0${id}`, "chance", count)) < probability;
  }

  countApplied(faultId: string): number {
    return this.#counts.get(faultId)?.applied ?? 0;
  }

  /** Resets the counts of a removed fault or scenario, or all of them without an id. */
  clearCounts(id?: string): void {
    this.#engine.appliedCounts.resetCounts(id);
    for (const counts of [this.#counts, this.#countsBySubject])
      for (const key of counts.keys())
        if (id === undefined || key.split("#", 1)[0] === id) counts.delete(key);
  }
}

function ruleCountsOf(all: Map<string, RuleCounts>, key: string): RuleCounts {
  let counts = all.get(key);
  if (counts === undefined) {
    const [first] = all.keys();
    if (first !== undefined && all.size >= MAX_COUNTS) all.delete(first);
    all.set(key, (counts = { met: 0, applied: 0 }));
  }
  return counts;
}

/** Fields that identify a customer, or the recipient of a payout; the first one present is used. */
const CUSTOMER = ["customer_email", "phone_number", "bank_account_number", "customer_name", "destination_id"];
/** Fields that stay the same when an order is retried before its charge or withdrawal exists. */
const ORDER = [...CUSTOMER, "base_currency", "base_amount", "currency", "amount", "reference"];

/**
 * Returns the key of a call. A fault counts `times` and `skip` separately for each key. With `per: charge`, the key is
 * the id of the charge or withdrawal. A call without the id has its `ORDER` fields and metadata as the key.
 */
function faultScopeKey(per: FaultRule["per"], { fields, metadata }: MatchSubject): string {
  switch (per) {
    case "request":
      return "";
    case "charge": {
      const id = fields.charge_id ?? fields.withdrawal_id;
      if (id !== undefined && id !== null) return id;
      const values = ORDER.map((name) => fields[name] ?? null);
      const pairs = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
      return JSON.stringify([...values, ...pairs]).toLowerCase();
    }
    default:
      return (
        CUSTOMER.map((name) => fields[name] ?? "")
          .find((text) => text !== "")
          ?.toLowerCase() ?? ""
      );
  }
}
