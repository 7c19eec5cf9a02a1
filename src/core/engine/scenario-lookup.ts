import type { ErrorDetails } from "../schema/refusals.js";
import type { Scenario } from "../schema/scenario-rules.js";
import type { State } from "./state.js";

/** Name of the scenario whose rules apply if no others do. */
export const DEFAULT_SCENARIO = "default";

export function findScenario(state: State, name: string): Scenario | undefined {
  return state.get("scenarios", name)?.scenario;
}

function scenarioNames(state: State): string[] {
  return [...state.tables.scenarios.keys()].map(String).sort();
}

/** Scenarios in matching order: the requested one, the active ones (last activated first), `default`. */
export function listApplicableScenarios(state: State, requested: string | null): Scenario[] {
  const scenarios: Scenario[] = [];
  if (requested !== null) pushIfAny(scenarios, findScenario(state, requested));
  for (const { name, scenario } of state.activeScenarios()) if (name !== requested) scenarios.push(scenario);
  if (requested !== DEFAULT_SCENARIO) pushIfAny(scenarios, findScenario(state, DEFAULT_SCENARIO));
  return scenarios;
}

function pushIfAny(scenarios: Scenario[], found: Scenario | undefined): void {
  if (found !== undefined) scenarios.push(found);
}

/** Returns the scenario that a request names in a header, else in its metadata; `faults` reports an unknown name. */
export function readRequestedScenario(
  state: State,
  header: string | null,
  body: unknown,
): { readonly name: string | null; readonly faults: ErrorDetails } {
  const fromMetadata = memberOf(memberOf(body, "metadata"), "sandbox_scenario");
  const name = header ?? (typeof fromMetadata === "string" ? fromMetadata : null);
  if (name === null || findScenario(state, name) !== undefined) return { name, faults: {} };
  const fault = `there is no scenario "${name}"; known: ${scenarioNames(state).join(", ")}`;
  return { name, faults: { sandbox_scenario: fault } };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
