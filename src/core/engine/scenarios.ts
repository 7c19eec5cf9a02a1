import type { ErrorDetails } from "../schema/errors.js";
import type { Scenario } from "../schema/scenario.js";
import type { State } from "./state.js";

/** The name whose rules apply to whatever nothing else applies to. */
export const DEFAULT_SCENARIO = "default";

export function findScenario(state: State, name: string): Scenario | undefined {
  return state.get("scenarios", name)?.scenario;
}

function scenarioNames(state: State): string[] {
  return [...state.tables.scenarios.keys()].map(String).sort();
}

/** In the order they are asked: the one named, the active ones last activated first, `default`. */
export function scenariosFor(state: State, asked: string | null): Scenario[] {
  const scenarios: Scenario[] = [];
  if (asked !== null) addTo(scenarios, findScenario(state, asked));
  for (const stored of state.activeScenarios()) if (stored.name !== asked) scenarios.push(stored.scenario);
  if (asked !== DEFAULT_SCENARIO) addTo(scenarios, findScenario(state, DEFAULT_SCENARIO));
  return scenarios;
}

function addTo(scenarios: Scenario[], found: Scenario | undefined): void {
  if (found !== undefined) scenarios.push(found);
}

/** The scenario a request asks for by name, in a header or else in its body's metadata, and what is wrong with that. */
export function askedScenario(
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
