import type { Oracle } from "./flow.js";
import type { Deviation } from "./schedule.js";
import type { Saving } from "./search.js";

/** A smallest set of deviations that breaks the app. */
export interface ExploreFinding {
  /** The oracle that found it. */
  readonly oracle: Oracle;
  /** What is wrong, in one line. */
  readonly message: string;
  /** The deviations it takes. */
  readonly deviations: readonly Deviation[];
  /** What happened in a plain run and in this one, one line per happening; absent without deviations. */
  readonly story?: { readonly plain: readonly string[]; readonly failing: readonly string[] };
  /** The scenario file that reproduces it; absent without `save`. */
  readonly file?: string;
}

/** What a single deviation does to the app. */
export interface ExploreSingle extends Deviation {
  /** Whether the app ends up right all the same; `unknown` if that could not be judged. */
  readonly outcome: "right" | "wrong" | "unknown";
}

/** The result of exploring a flow. */
export interface ExploreReport {
  /** Whether every single deviation was tried and there are no findings. */
  readonly passed: boolean;
  /** Every set of up to this many deviations was run, except those counted in `saved`. */
  readonly complete_depth: number;
  /** Number of runs, without the plain ones. */
  readonly runs: number;
  /** How many of them had more deviations than the depth: random sets, run in what was left of the budget. */
  readonly drawn: number;
  /** Number of deviations possible in a plain run. */
  readonly choices: number;
  /** Number of different behaviours of the app. */
  readonly behaviours: number;
  /** Duration in milliseconds of wall time. */
  readonly ms: number;
  /** Number of sets that did not have to be run, by reason. */
  readonly saved: Readonly<Record<Saving, number>>;
  /** The findings, smallest set first. */
  readonly findings: readonly ExploreFinding[];
  /** Every single deviation tried, with its outcome. */
  readonly singles: readonly ExploreSingle[];
  /** Notes, one line each. */
  readonly notes: readonly string[];
  /** A summary in one sentence. */
  readonly sentence: string;
}
