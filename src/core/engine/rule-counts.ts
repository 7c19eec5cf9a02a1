import { type RulePlace, ruleNames } from "../domain/scenario.js";
import type { Scenario } from "../schema/scenario.js";

/** So many rules are counted: scenarios are called whatever somebody calls them. */
const MOST_RULES = 100_000;

/**
 * How often each rule of each scenario has been applied. In memory and no part of the state, like how often a fault was
 * met: a read must write nothing.
 */
export class RuleCounts {
  readonly #here = new Map<string, number>();
  readonly #inAll: Map<string, number>;

  /** @param inAll what is counted of all namespaces together, and never forgotten */
  constructor(inAll = new Map<string, number>()) {
    this.#inAll = inAll;
  }

  /** @param times -1 takes it back: what was counted has not happened */
  add(applied: readonly RulePlace[], times = 1): void {
    for (const { scenario, kind, index } of applied) {
      const key = `${scenario}#${kind}.${index}`;
      addTo(this.#here, key, times);
      addTo(this.#inAll, key, times);
    }
  }

  /** Rule → how often, of each rule the scenario has: here, or in all namespaces since the start. */
  of(scenario: Scenario, whose: "namespace" | "server" = "namespace"): Record<string, number> {
    const counts = whose === "server" ? this.#inAll : this.#here;
    return Object.fromEntries(
      ruleNames(scenario).map((rule) => [rule, counts.get(`${scenario.name}#${rule}`) ?? 0]),
    );
  }

  /** That scenario's rules count from here; without one, all do. */
  forget(scenario?: string): void {
    for (const key of this.#here.keys())
      if (scenario === undefined || key.startsWith(`${scenario}#`)) this.#here.delete(key);
  }
}

function addTo(counts: Map<string, number>, key: string, times: number): void {
  const count = counts.get(key);
  if (count !== undefined || counts.size < MOST_RULES) counts.set(key, (count ?? 0) + times);
}
