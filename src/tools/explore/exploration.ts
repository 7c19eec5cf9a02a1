import { formatCount } from "../../core/schema/text-format.js";
import type { Deviation } from "./deviation-set.js";

/** The kind of check that found a failure. */
export type Oracle = "money" | "convergence" | "liveness" | "manners" | "expect" | "reconcile";

/** A failure of the app, with the smallest set of deviations that causes it. */
export interface ExploreFinding {
  /** The kind of check that found the failure. */
  readonly oracle: Oracle;
  /** The failure in one line. */
  readonly message: string;
  /** Advice if the finding is no failure; absent if it is one in every app. */
  readonly hint?: string;
  /** The deviations that together cause the failure; empty if the app fails without any. */
  readonly deviations: readonly Deviation[];
  /** Number of runs with these deviations in which the failure was seen, and number of all of them. */
  readonly seen: { readonly runs: number; readonly of: number };
  /** Timelines of a plain run and of the failing run, one line per event; absent if the two are not compared. */
  readonly story?: { readonly plain: readonly string[]; readonly failing: readonly string[] };
  /** The scenario file that reproduces the finding; absent without `save`. */
  readonly file?: string;
  /** For a life: its name, `life SEED:PATH`, by which the option `only` repeats it. */
  readonly only?: string;
  /** For a life: what happens in it, one line an act. Without any of them the app does not fail. */
  readonly acts?: readonly string[];
}

/** The lives of an exploration, and how far they went. */
export interface LivesReport {
  /** The seed from which the lives were drawn. */
  readonly seed: number;
  /** Number of lives that were to be carried out. */
  readonly of: number;
  /** Number of lives that were carried out, without those that shorten a failing one. */
  readonly lives: number;
  /** Number of acts of all lives. */
  readonly acts: number;
  /** Number of acts of the longest life. */
  readonly longest: number;
  /** Number of orders of all lives. */
  readonly orders: number;
  /** Number of payments, with those that were refunded. */
  readonly paid: number;
  /** Number of payments that were refunded. */
  readonly refunded: number;
}

/** Why a deviation was not tried when the budget was reached. */
export const BUDGET_OVER = "the budget was over";

/** A single deviation that was not tried. */
export interface UntriedDeviation extends Deviation {
  /** Why the deviation was not tried. */
  readonly reason: string;
}

/** A deviation that the log of an incident shows. */
export interface ShownDeviation extends Deviation {
  /** The entries of the log that show it, in words. */
  readonly reason: string;
}

/** A deviation that was tried alone, and how the app ended. */
export interface ExploreSingle extends Deviation {
  /** `right`: the app ends as in a plain run; `unknown`: the run could not be judged. */
  readonly outcome: "right" | "wrong" | "unknown";
}

/** A field of the app's views whose value no run is judged by. */
export interface UncomparedField {
  /** Dotted path; of a word, its line and place in a text. */
  readonly field: string;
  readonly reason: string;
}

/** Reason not to run a set of deviations. */
export type SkipReason =
  /** The set contains a smaller set that fails. */
  | "holds_a_failing_set"
  /** At least two deviations of the set, each tried alone, do not change the app's behaviour. */
  | "absorbed"
  /** The app responded to a part of the set as to a similar part: to `response_5xx` as to `request_lost`, for example. */
  | "alike"
  /** The set's deviations concern unrelated charges or withdrawals, whose metadata have no value in common. */
  | "independent"
  /** A deviation of the set has no call or event to change, because of the set's other deviations. */
  | "unmet";

/** The result of exploring a flow. */
export interface ExploreReport {
  /** True if nothing was found, each deviation was tried alone, most runs were judged, and a field is compared. */
  readonly passed: boolean;
  /**
   * All sets with at most this number of deviations were run, except the sets that `saved` counts, and at least half
   * could be judged. 0 if the flow no longer passes without deviations.
   */
  readonly complete_depth: number;
  /** Number of sets that were run; plain runs and repetitions do not count. */
  readonly runs: number;
  /** Part of `runs`: random sets of more than two deviations, run with the depth `max` while the budget lasts. */
  readonly drawn: number;
  /** Number of deviations of the tried kinds that apply to a plain run. */
  readonly choices: number;
  /** Number of different behaviours of the app: its calls, its responses and its end. */
  readonly behaviours: number;
  /** Duration of the exploration in milliseconds of wall time. */
  readonly ms: number;
  /** Number of sets that were skipped, by reason. */
  readonly saved: Readonly<Record<SkipReason, number>>;
  /** The findings, smallest set first. */
  readonly findings: readonly ExploreFinding[];
  /** Deviations that were tried alone, each with its outcome. */
  readonly singles: readonly ExploreSingle[];
  /** Deviations that were not tried, each with the reason. */
  readonly not_tried: readonly UntriedDeviation[];
  /** Dotted paths of the fields in the app's responses that every run is judged by, or by their presence alone. */
  readonly looked_at: readonly string[];
  /** Fields of the app's views whose values are not compared, as equal runs differ in them. */
  readonly not_compared: readonly UncomparedField[];
  /** Deviations that the log of `from` shows; present with `from`. */
  readonly shown?: readonly ShownDeviation[];
  /** Present if lives were asked for. */
  readonly lives?: LivesReport;
  /** Notes, one line each. */
  readonly notes: readonly string[];
  /** Wall time in milliseconds by part of the runs, longest first; present with the option `profile`. */
  readonly profile?: Readonly<Record<string, number>>;
  /** A summary in one sentence. */
  readonly sentence: string;
}

/** Names of sets of one, two and three deviations. */
const SETS = ["single deviation", "pair", "triple"] as const;

export function summarySentence(
  name: string,
  { findings, behaviours, drawn, complete_depth, notes, lives }: Omit<ExploreReport, "sentence">,
  runsOfDepth: readonly number[],
  depth: number,
): string {
  const sets = runsOfDepth.map((runs, index) => formatCount(runs, SETS[index] ?? `set of ${index + 1}`));
  if (drawn > 0) sets.push(`${formatCount(drawn, "larger set")} by chance`);
  if (lives !== undefined) sets.push(livesText(lives));
  const found = formatCount(findings.length, "finding");
  const noted = notes.length === 0 ? [] : [formatCount(notes.length, "note")];
  const all = [...sets, formatCount(behaviours, "behaviour"), found, ...noted].join(", ");
  const isPartial = complete_depth > 0 && complete_depth < depth;
  return `${name}: ${all}; depth ${complete_depth} complete${isPartial ? `, depth ${complete_depth + 1} not complete` : ""}`;
}

function livesText({ lives, of, longest, paid }: LivesReport): string {
  const all = of === 1 ? "1 life" : `${lives < of ? `${lives} of ` : ""}${of} lives`;
  return `${all} (up to ${formatCount(longest, "act")}; ${formatCount(paid, "payment")})`;
}
