import type { Oracle } from "./flow.js";
import type { Deviation } from "./schedule.js";
import type { Saving } from "./search.js";

/** Something that makes the app go wrong, and nothing smaller does. */
export interface ExploreFinding {
  /** By what it was found. */
  readonly oracle: Oracle;
  /** In a line. */
  readonly message: string;
  /** What has to go otherwise for it. */
  readonly deviations: readonly Deviation[];
  /** What happened in a plain run and in this one, a line each; absent where nothing has to go otherwise. */
  readonly story?: { readonly plain: readonly string[]; readonly failing: readonly string[] };
  /** The scenario file that shows it; absent without `save`. */
  readonly file?: string;
}

/** What one thing that goes otherwise does to the app. */
export interface ExploreSingle extends Deviation {
  /** Whether the app is right in the end all the same; `unknown` where that could not be judged. */
  readonly outcome: "right" | "wrong" | "unknown";
}

/** What came of exploring a flow. */
export interface ExploreReport {
  /** Whether nothing was found though every single deviation was tried. */
  readonly passed: boolean;
  /** Every set of so many deviations has been run, but for those that are told in `saved`. */
  readonly complete_depth: number;
  /** How many runs there were, plain ones aside. */
  readonly runs: number;
  /** How many of them were of more deviations than the depth, drawn by chance in what was left of the budget. */
  readonly drawn: number;
  /** How much could go otherwise in a plain run. */
  readonly choices: number;
  /** In how many ways the app reacted. */
  readonly behaviours: number;
  /** How long it took, in wall time. */
  readonly ms: number;
  /** Sets that need not be run, by why. */
  readonly saved: Readonly<Record<Saving, number>>;
  /** What makes the app go wrong, the smallest first. */
  readonly findings: readonly ExploreFinding[];
  /** Every single deviation that was tried, and what became of it. */
  readonly singles: readonly ExploreSingle[];
  /** What is worth knowing besides, a line each. */
  readonly notes: readonly string[];
  /** All of it in one line. */
  readonly sentence: string;
}
