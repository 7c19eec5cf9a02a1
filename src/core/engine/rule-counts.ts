import { type RuleRef, ruleNames } from "../domain/rule-matching.js";
import type { Scenario } from "../schema/scenario-rules.js";

/** Limit on counted rules, because users can create any number of scenarios. */
const COUNTS_MAX_RULES = 100_000;

/** Counts how often each scenario rule is applied, outside the state: rules also apply to reads, which never write. */
export class RuleCounts {
  readonly #counts = new Map<string, number>();
  readonly #total: Map<string, number>;

  /** @param total counts of all namespaces together, never reset */
  constructor(total = new Map<string, number>()) {
    this.#total = total;
  }

  /** @param times -1 undoes a count */
  add(applied: readonly RuleRef[], times = 1): void {
    for (const { scenario, kind, index } of applied) {
      const key = `${scenario}#${kind}.${index}`;
      addCount(this.#counts, key, times);
      addCount(this.#total, key, times);
    }
  }

  /** How often each rule has applied: in this namespace, or in all namespaces since the server started. */
  of(scenario: Scenario, scope: "namespace" | "server" = "namespace"): Record<string, number> {
    const counts = scope === "server" ? this.#total : this.#counts;
    return Object.fromEntries(
      ruleNames(scenario).map((rule) => [rule, counts.get(`${scenario.name}#${rule}`) ?? 0]),
    );
  }

  /** Resets the counts of one scenario, or of all scenarios. */
  resetCounts(scenario?: string): void {
    for (const key of this.#counts.keys())
      if (scenario === undefined || key.startsWith(`${scenario}#`)) this.#counts.delete(key);
  }
}

function addCount(counts: Map<string, number>, key: string, times: number): void {
  const count = counts.get(key);
  if (count !== undefined || counts.size < COUNTS_MAX_RULES) counts.set(key, (count ?? 0) + times);
}
