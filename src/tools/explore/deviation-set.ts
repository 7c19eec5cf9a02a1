import type { DEVIATION_KINDS, FAIL_ON_KINDS } from "../../core/schema/explore-limits.js";

/** The kind of a deviation. */
export type DeviationKind = (typeof DEVIATION_KINDS)[number];

/** Kind of a note that `failOn` can make a finding. */
export type FailOnKind = (typeof FAIL_ON_KINDS)[number];

/** One difference from the plain run. */
export interface Deviation {
  /** The kind. */
  readonly kind: DeviationKind;
  /** The place: `createWhitelabel#1` is the first call of that operation, `charge.completed#1` the first such event. */
  readonly at: string;
}

/** The deviations of one run, in any order. Comments call it a set. */
export type DeviationSet = readonly Deviation[];

export function deviationKey({ kind, at }: Deviation): string {
  return `${kind} ${at}`;
}

/** Returns the same key for the same deviations in any order. */
export function deviationSetKey(schedule: DeviationSet): string {
  return schedule.map(deviationKey).sort().join("\n");
}

/** As text: `answer_lost at createWhitelabel#1`. */
export function deviationSetText(schedule: DeviationSet): string {
  return schedule.map(({ kind, at }) => `${kind} at ${at}`).join(", ");
}
