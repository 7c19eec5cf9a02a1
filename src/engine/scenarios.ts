import type { Scenario } from "../schema/scenario.js";
import type { State } from "./state.js";

/** The name whose rules apply to whatever nothing else applies to. */
export const DEFAULT_SCENARIO = "default";

export function findScenario(state: State, name: string): Scenario | undefined {
  return state.get("scenarios", name)?.scenario;
}

export function scenarioNames(state: State): string[] {
  return [...state.tables.scenarios.keys()].map(String).sort();
}

/** In the order they are asked: the one named, the active ones last activated first, `default`. */
export function* scenariosFor(state: State, asked: string | null): Generator<Scenario> {
  if (asked !== null) {
    const named = findScenario(state, asked);
    if (named !== undefined) yield named;
  }
  const active = [...state.tables.scenarios.values()].filter((stored) => stored.activated > 0);
  active.sort((a, b) => b.activated - a.activated);
  for (const stored of active) if (stored.name !== asked) yield stored.scenario;
  const fallback = findScenario(state, DEFAULT_SCENARIO);
  if (fallback !== undefined && asked !== DEFAULT_SCENARIO) yield fallback;
}

/** What a request may say about the scenario it wants, and what is wrong with it. */
export function askedScenario(
  state: State,
  header: string | null,
  metadata: unknown,
): { name: string | null; fault?: string } {
  const fromMetadata =
    typeof metadata === "object" && metadata !== null && Object.hasOwn(metadata, "sandbox_scenario")
      ? (metadata as Record<string, unknown>).sandbox_scenario
      : undefined;
  const name = header ?? (typeof fromMetadata === "string" ? fromMetadata : null);
  if (name === null || findScenario(state, name) !== undefined) return { name };
  return { name, fault: `there is no scenario "${name}"; known: ${scenarioNames(state).join(", ")}` };
}
