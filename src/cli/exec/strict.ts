import { oneLine } from "../../schema/printable.js";
import type { Ran } from "./plan.js";
import { isVacuous, neverApplied } from "./played.js";

/** The piece of advice that tells what the service has passed over. */
const TOLERATED = "tolerated";

/**
 * What a strict run must not have, a line each: a scenario of which nothing happened, a rule of one's own file that was
 * never applied (shipped ones have rules for what an app may not use), a fault set over the control API that never was, what the service passed over without a word.
 *
 * @param given the scenarios by name or file, as the user named them
 */
export function strictFaults(
  { scenarios, idleFaults, advice }: Pick<Ran, "scenarios" | "idleFaults" | "advice">,
  given: readonly string[],
): string[] {
  const faults = scenarios.flatMap((scenario) => {
    if (isVacuous(scenario)) return [`${scenario.name} was not exercised`];
    const isShipped = given.includes(scenario.name);
    return isShipped ? [] : neverApplied(scenario).map((rule) => `${rule} of ${scenario.name} never applied`);
  });
  const passedOver = advice.filter(({ id }) => id === TOLERATED);
  const idle = idleFaults.map((fault) => `${fault} never applied`);
  return [...faults, ...idle, ...passedOver.map(({ why, example }) => `${why}: ${example}`)].map(
    (text) => `--strict: ${oneLine(text)}`,
  );
}
