import { formatCount } from "../../core/schema/text-format.js";
import type { Deviation } from "./deviation-set.js";

/** The check that found a failure. */
export type Oracle = "money" | "convergence" | "liveness" | "manners" | "expect" | "reconcile";

/** A smallest set of deviations that breaks the app. */
export interface ExploreFinding {
  /** The oracle that found the failure. */
  readonly oracle: Oracle;
  /** One line. */
  readonly message: string;
  /** The deviations of the set. */
  readonly deviations: readonly Deviation[];
  /** Timelines of a plain run and of the failing run, one line per event; absent without deviations. */
  readonly story?: { readonly plain: readonly string[]; readonly failing: readonly string[] };
  /** The scenario file that reproduces the finding; absent without `save`. */
  readonly file?: string;
}

/** A single deviation that was not tried. */
export interface UntriedDeviation extends Deviation {
  /** Why the deviation was not tried. */
  readonly reason: string;
}

/** The effect of a single deviation on the app. */
export interface ExploreSingle extends Deviation {
  /** `right`: the app ends as in a plain run; `unknown`: the run could not be judged. */
  readonly outcome: "right" | "wrong" | "unknown";
}

/** Reason not to run a set of deviations. */
export type SkipReason =
  /** A subset of the set fails. */
  | "holds_a_failing_set"
  /** Two of its deviations do not change the app's behaviour. */
  | "absorbed"
  /** A subset behaved like another set, which has a similar deviation in place of one of the subset's. */
  | "alike"
  /** Its deviations concern charges that have nothing in common. */
  | "independent"
  /** A deviation of the set has nothing to apply to when the other deviations happen. */
  | "unmet";

/** The result of exploring a flow. */
export interface ExploreReport {
  /** True if every deviation was tried alone and there are no findings. */
  readonly passed: boolean;
  /** Every set of up to this many deviations was run, except those counted in `saved`. */
  readonly complete_depth: number;
  /** Number of runs, without the plain ones. */
  readonly runs: number;
  /** Number of runs with more deviations than the depth: random sets, run in the rest of the budget. */
  readonly drawn: number;
  /** Number of deviations possible in a plain run. */
  readonly choices: number;
  /** Number of different behaviours of the app. */
  readonly behaviours: number;
  /** Duration in milliseconds of wall time. */
  readonly ms: number;
  /** Number of sets that did not have to be run, by reason. */
  readonly saved: Readonly<Record<SkipReason, number>>;
  /** The findings, smallest set first. */
  readonly findings: readonly ExploreFinding[];
  /** Deviations that were tried alone, each with its outcome. */
  readonly singles: readonly ExploreSingle[];
  /** Deviations that were not tried, each with the reason. */
  readonly not_tried: readonly UntriedDeviation[];
  /** The fields of the app's responses that every run is judged by: call and dotted path. */
  readonly looked_at: readonly string[];
  /** Notes, one line each. */
  readonly notes: readonly string[];
  /** Wall time in milliseconds by part of the runs, longest first; present with `profile`. */
  readonly profile?: Readonly<Record<string, number>>;
  /** A summary in one sentence. */
  readonly sentence: string;
}

/** Names of sets by size. */
const SETS = ["single deviation", "pair", "triple"] as const;

export function summarySentence(
  name: string,
  { findings, behaviours, drawn, complete_depth, notes }: Omit<ExploreReport, "sentence">,
  runsOfDepth: readonly number[],
): string {
  const sets = runsOfDepth.map((runs, index) => formatCount(runs, SETS[index] ?? `set of ${index + 1}`));
  if (drawn > 0) sets.push(`${formatCount(drawn, "larger set")} by chance`);
  const found = formatCount(findings.length, "finding");
  const more = notes.length === 0 ? [] : [formatCount(notes.length, "note")];
  const all = [...sets, formatCount(behaviours, "behaviour"), found, ...more].join(", ");
  return `${name}: ${all}; depth ${complete_depth} complete`;
}
