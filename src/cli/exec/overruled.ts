import type { ScenarioView } from "../../schema/control-scenario-responses.js";

/** What a scenario decides from a charge's or withdrawal's making on. */
const FATES = ["charges", "withdrawals"] as const;

/**
 * Where a scenario that a run is under leaves nothing of the one that every run has: its rules are asked first. A
 * line each, so that nobody takes such a run for one under both.
 */
export function overruled(base: readonly ScenarioView[], under: ScenarioView): string[] {
  return base.flatMap((one) => {
    if (one.name === under.name)
      return [
        `--under ${under.name}: --scenario activates it in the plain run too, so both runs are the same`,
      ];
    const kinds = FATES.filter((kind) => (one[kind] ?? []).length > 0 && decidesAll(under[kind]));
    return kinds.length === 0
      ? []
      : [
          `--under ${under.name} decides what becomes of all ${kinds.join(" and ")}: there, those rules of --scenario ${one.name} never apply`,
        ];
  });
}

function decidesAll(rules: ScenarioView["charges"] | ScenarioView["withdrawals"] = []): boolean {
  return rules.some(
    ({ match = {}, probability }) => Object.keys(match).length === 0 && probability === undefined,
  );
}
