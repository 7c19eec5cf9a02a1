import { formatCount } from "../../core/schema/text-format.js";
import { UserError } from "../../core/schema/user-error.js";
import {
  type Deviation,
  type DeviationSet,
  deviationKey,
  deviationSetKey,
  deviationSetText,
  NO_PLACE_CODE,
} from "./deviation-set.js";
import type { ExploreFinding, UntriedDeviation } from "./exploration.js";
import type { KnownDeviations } from "./known-deviations.js";
import { isReferenceFor, referencesFirst } from "./reference-kinds.js";
import type { SearchRunResult } from "./search.js";

const NO_SUCH_PLACE = "a run has no such place";

interface OnlySetsOptions {
  /** Deviations that apply to a plain run. */
  readonly first: readonly Deviation[];
  readonly known: KnownDeviations;
  readonly findings: readonly ExploreFinding[];
  readonly run: (set: DeviationSet) => Promise<SearchRunResult | undefined>;
  /** Runs a deviation with whose end other runs are compared. */
  readonly runReference: (reference: Deviation) => Promise<unknown>;
}

/**
 * Runs the given sets that hold no failing set. The part of a set that has places goes first: it may lead to the places of
 * the rest. Throws a UserError if no set has a place, or the only one has not all.
 */
export async function runOnlySets(
  sets: readonly DeviationSet[],
  { first, known, findings, run, runReference }: OnlySetsOptions,
): Promise<{ readonly runs: number; readonly unjudged: number }> {
  const tried = new Set<string>();
  const references = new Set<Deviation>();
  const results: (SearchRunResult | undefined)[] = [];
  for (const set of sets) {
    for (const reference of referencesFirst(first)) {
      if (references.has(reference) || !isReferenceFor(reference, set)) continue;
      references.add(reference);
      await runReference(reference);
    }
    for (;;) {
      const part = set.filter((one) => known.has(one));
      const key = deviationSetKey(part);
      if (part.length === 0 || tried.has(key) || holdsFinding(part, findings)) break;
      tried.add(key);
      results.push(await run(part));
    }
  }
  const placeless = withoutPlace(sets, known);
  const hasRunAll = placeless.length === 0 || results.some((result) => result?.hasFailed ?? true);
  if (results.length === 0 || (sets.length === 1 && !hasRunAll))
    throw new UserError(`only ${deviationSetText(placeless)}: ${NO_SUCH_PLACE}`, undefined, NO_PLACE_CODE);
  return { runs: results.length, unjudged: results.filter((result) => result?.isUnjudged ?? true).length };
}

function holdsFinding(set: DeviationSet, findings: readonly ExploreFinding[]): boolean {
  const keys = set.map(deviationKey);
  return findings.some(
    ({ deviations }) => deviations.length > 0 && deviations.every((one) => keys.includes(deviationKey(one))),
  );
}

export function withoutPlace(sets: readonly DeviationSet[], known: KnownDeviations): UntriedDeviation[] {
  const all = sets.flat().filter((one) => !known.has(one));
  const keys = all.map(deviationKey);
  return all
    .filter((one, index) => keys.indexOf(deviationKey(one)) === index)
    .map((one) => ({ ...one, reason: NO_SUCH_PLACE }));
}

/** Names the given sets in the sentence of a report. */
export function onlyText(sets: readonly DeviationSet[], runs: number): string {
  const [set = []] = sets;
  return sets.length === 1 ? `only ${deviationSetText(set)}` : `${formatCount(runs, "set")} of the log`;
}
