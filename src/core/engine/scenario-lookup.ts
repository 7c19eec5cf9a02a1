import type { Charge } from "../domain/charge-transition.js";
import type { ErrorDetails } from "../schema/refusals.js";
import type { Scenario } from "../schema/scenario-rules.js";
import { conditionsText } from "../schema/text-format.js";
import type { State } from "./state.js";

/** Name of the scenario whose rules apply if no others do. */
export const DEFAULT_SCENARIO = "default";

function findScenario(state: State, name: string): Scenario | undefined {
  return state.get("scenarios", name)?.scenario;
}

/** Conditions of the rule that planned a payment: `customer_email matches declined@*`; empty without any. */
export function ruleConditions(
  state: State,
  payment: Pick<Charge, "scenario" | "rule"> & Partial<Pick<Charge, "charge_id">>,
): string {
  const scenario = findScenario(state, payment.scenario ?? "");
  const rules = payment.charge_id === undefined ? scenario?.withdrawals : scenario?.charges;
  return conditionsText(rules?.[payment.rule ?? -1]?.match, " matches ");
}

/** Scenarios in matching order: the requested ones, the active ones (last activated first), `default`. */
export function listApplicableScenarios(state: State, requested: readonly string[]): Scenario[] {
  const active = state.activeScenarios().map(({ name }) => name);
  const names = new Set([...requested, ...active, DEFAULT_SCENARIO]);
  return [...names].flatMap((name) => findScenario(state, name) ?? []);
}

/** Names of the scenarios in a request: that of its header, then that of its metadata. */
export function requestedScenarioNames(header: string | null, metadata: unknown): string[] {
  const names = header === null || header === "" ? [] : [header];
  if (typeof metadata !== "object" || metadata === null || !Object.hasOwn(metadata, "sandbox_scenario"))
    return names;
  const { sandbox_scenario: name } = metadata as { readonly sandbox_scenario: unknown };
  if (typeof name === "string" && name !== header) names.push(name);
  return names;
}

export function requestedScenarioNamesOf(object: {
  readonly scenario_asked: string | null;
  readonly metadata?: unknown;
}): string[] {
  return requestedScenarioNames(object.scenario_asked, object.metadata);
}

/** Returns the first scenario that a request names; `faults` reports an unknown name. */
export function readRequestedScenario(
  state: State,
  header: string | null,
  body: unknown,
): { readonly name: string | null; readonly faults: ErrorDetails } {
  const names = requestedScenarioNames(header, (body as { metadata?: unknown } | null | undefined)?.metadata);
  const [name = null] = names;
  const unknown = names.find((one) => findScenario(state, one) === undefined);
  if (unknown === undefined) return { name, faults: {} };
  const known = [...state.tables.scenarios.keys()].map(String).sort();
  const fault = `there is no scenario "${unknown}"; known: ${known.join(", ")}`;
  return { name, faults: { sandbox_scenario: fault } };
}
