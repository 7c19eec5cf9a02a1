import { errorText } from "../../core/schema/error-text.js";
import { formatCount } from "../../core/schema/text-format.js";
import { createAbortController, systemWallClock } from "../../core/time/wall-clock.js";
import { BlindSpotError, type Deviable } from "./deviable.js";
import { BUDGET_OVER, type ExploreReport, summarySentence, type UncomparedField } from "./exploration.js";
import { type ExploreOptions, Explorer, exhaustiveDepth, type LimitedOptions } from "./explorer.js";
import { lifeText } from "./lives/chosen-lives.js";
import { onlyText } from "./only-sets.js";
import { observePlainRuns, refuseBlindSpots } from "./plain-runs.js";

const NOTHING_TO_TRY =
  "no deviation applies: the app neither calls the service nor receives its webhooks, and no step writes to the app: explore a flow that pays";

/**
 * Searches for the smallest sets of deviations that break the app.
 *
 * @param open opens the service; `signal` aborts all runs
 */
export async function explore(
  open: (signal: AbortSignal) => Promise<Deviable>,
  options: ExploreOptions,
): Promise<ExploreReport> {
  const { budgetMs, signal } = options;
  const end = createAbortController();
  const stop = (): void => end.abort();
  const cancelBudget = budgetMs === undefined ? () => {} : systemWallClock.after(budgetMs, stop);
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  const overReason = (): string | undefined => {
    if (signal?.aborted) return "interrupted";
    return end.signal.aborted ? BUDGET_OVER : undefined;
  };
  try {
    const deviable = await open(end.signal);
    let left: readonly string[] = [];
    let report: ExploreReport;
    try {
      report = await exploreWith(deviable, { ...options, overReason });
    } finally {
      left = await deviable.close().catch((error: unknown) => [errorText(error)]);
    }
    return { ...report, notes: [...report.notes, ...left] };
  } finally {
    cancelBudget();
    signal?.removeEventListener("abort", stop);
  }
}

async function exploreWith(deviable: Deviable, options: LimitedOptions): Promise<ExploreReport> {
  const startedMs = systemWallClock.nowMs();
  const { only, shown, lives } = options;
  const isReplay = only !== undefined || lives?.only !== undefined;
  const plain = await observePlainRuns(deviable, options.overReason);
  refuseBlindSpots(deviable, plain);
  const explorer = new Explorer(deviable, options, plain);
  if (explorer.first.length === 0)
    throw new BlindSpotError(deviable.source, [{ path: ["steps"], message: NOTHING_TO_TRY }]);
  const searched = await explorer.search();
  const { findings, noteRuns } = explorer;
  // If the flow no longer passes by itself, runs that passed before prove little.
  const completeDepth = explorer.passesPlainRun ? searched.completeDepth : 0;
  // The runs may have taught that all compared fields are free.
  const { fields, notCompared, spots } = deviable.flowCoverage(!isReplay && completeDepth > 0);
  const report = {
    passed:
      findings.length === 0 &&
      explorer.brokenOff === undefined &&
      spots.length === 0 &&
      (isReplay ? searched.unjudged === 0 : completeDepth > 0) &&
      (lives === undefined || (explorer.lives?.report.lives ?? 0) > 0),
    complete_depth: completeDepth,
    runs: searched.runs + noteRuns,
    drawn: searched.drawn,
    choices: explorer.first.length + noteRuns,
    behaviours: searched.behaviours,
    ms: systemWallClock.nowMs() - startedMs,
    saved: searched.saved,
    findings,
    singles: explorer.singles(),
    looked_at: fields,
    not_compared: [...notCompared, ...(explorer.lives?.notCompared ?? []).filter(isNew(notCompared))],
    not_tried: explorer.notTried(),
    ...(explorer.lives === undefined ? {} : { lives: explorer.lives.report }),
    notes: explorer.collectNotes(),
    ...(shown === undefined ? {} : { shown }),
    ...(options.profile === true ? { profile: byDuration(deviable.profile()) } : {}),
  };
  const runsOfDepth = searched.runsOfDepth.map((runs, index) => (index === 0 ? runs + noteRuns : runs));
  const replayed =
    lives?.only === undefined ? only && onlyText(only, report.runs) : `only ${lifeText(lives.only)}`;
  const summary =
    replayed === undefined
      ? summarySentence(deviable.name, report, runsOfDepth, exhaustiveDepth(options.depth))
      : `${deviable.name}: ${replayed}: ${formatCount(findings.length, "finding")}`;
  const doubt = explorer.doubt(searched) ?? (findings.length === 0 ? spots[0]?.message : undefined);
  const { morePairs } = searched;
  const more = morePairs === 0 ? "" : `; --depth 2 adds ${formatCount(morePairs, "pair")}`;
  const sentence = doubt === undefined ? `${summary}${more}` : `${summary}: ${doubt}: fix that first`;
  return { ...report, sentence };
}

function isNew(known: readonly UncomparedField[]): (one: UncomparedField) => boolean {
  return ({ field }) => known.every((other) => other.field !== field);
}

function byDuration(profile: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(profile).sort(([, one], [, other]) => other - one));
}
