import type { Deviable } from "./deviable.js";
import { type DeviationSet, deviationKey } from "./deviation-set.js";
import type { ExploreFinding } from "./exploration.js";
import { judgeTrace, type TraceVerdict, type WrongVerdict } from "./judge.js";
import type { KnownDeviations } from "./known-deviations.js";
import type { RunPlan } from "./run-plan.js";
import { holdsNothing, type RaceSide, type RunVariant, type Trace } from "./run-record.js";

export interface Trial {
  readonly plan: RunPlan;
  readonly trace: Trace;
  readonly verdict: TraceVerdict;
}

export interface Failure extends Pick<ExploreFinding, "seen"> {
  readonly verdict: WrongVerdict;
  /** The latest run that failed. */
  readonly trial: Trial;
}

export interface Judgement {
  /** The run that counts for the set: the first that failed, else one that could not be judged, else the last. */
  readonly trial: Trial;
  /** Absent if the set passed, could not be judged, or failed once in a way that waiting can undo. */
  readonly failure?: Failure;
  /** The failure of a first run that the second run did not repeat. */
  readonly unconfirmed?: WrongVerdict;
}

/** Number of runs in which nothing is held, if the app's own timing decides each. */
const TOGETHER_RUNS = 3;

export const EAGER: RunVariant = { side: "first", isPatient: false };

/** Runs sets of deviations and judges the runs. */
export class Trials {
  readonly #deviable: Deviable;
  readonly #deviations: KnownDeviations;
  readonly #lanes: number;
  /** Deviation → true if the run with only this deviation concerned no other customer. */
  readonly #isConcurrent = new Map<string, boolean>();

  /** @param lanes maximum number of concurrent runs */
  constructor(deviable: Deviable, deviations: KnownDeviations, lanes: number) {
    this.#deviable = deviable;
    this.#deviations = deviations;
    this.#lanes = lanes;
  }

  /** Returns true if the app still passes without deviations. */
  async passesPlainRun(): Promise<boolean> {
    return (await this.runOnce([])).verdict.outcome === "right";
  }

  async runOnce(set: DeviationSet, variant = EAGER): Promise<Trial> {
    const [trial] = await this.#runAll([set], variant);
    return trial!;
  }

  /**
   * Runs a set, a race once for each side that is held and a few times without a hold, and repeats a run that fails.
   *
   * @param earlier an earlier run of the set
   */
  async judge(set: DeviationSet, earlier: Trial | undefined): Promise<Judgement> {
    if (earlier?.verdict.outcome === "right") return { trial: earlier };
    if (earlier !== undefined && isLasting(earlier)) return this.#confirm(set, earlier, EAGER);
    let unjudged: Trial | undefined;
    let trial: Trial | undefined;
    for (const side of this.#roundsOfSides(this.#deviations.sidesOf(set))) {
      const variant = { ...EAGER, side };
      trial = await this.runOnce(set, variant);
      this.#learnConcurrency(set, trial);
      if (trial.verdict.outcome === "wrong") return this.#confirm(set, trial, variant);
      if (trial.verdict.outcome === "unknown") unjudged ??= trial;
    }
    return { trial: unjudged ?? trial! };
  }

  async #confirm(set: DeviationSet, first: Trial, variant: RunVariant): Promise<Judgement> {
    const verdict = first.verdict as WrongVerdict;
    if (verdict.isAppGone) return { trial: first, failure: { verdict, trial: first, seen: ONCE } };
    const second = await this.#runAgain(set, { ...variant, isPatient: true });
    if (second.verdict.outcome === "unknown" && isLasting(first))
      return { trial: first, failure: { verdict, trial: first, seen: ONCE } };
    if (second.verdict.outcome === "wrong") {
      const { isAppGone, isBroken } = second.verdict;
      const isGone = isAppGone || (isBroken && !(await this.passesPlainRun()));
      const lasting = isLasting(first) ? verdict : second.verdict;
      const known = { ...(isAppGone || isBroken ? verdict : lasting), isAppGone: isGone };
      return { trial: first, failure: { verdict: known, trial: second, seen: { runs: 2, of: 2 } } };
    }
    if (isLasting(first) && (await this.#isWrongStill(first)))
      return { trial: first, failure: { verdict, trial: first, seen: { runs: 1, of: 2 } } };
    return second.trace.hasPausedLonger ? { trial: second } : { trial: second, unconfirmed: verdict };
  }

  /** Repeats a run, as often as it is run at first, until it fails again. */
  async #runAgain(set: DeviationSet, variant: RunVariant): Promise<Trial> {
    let trial = await this.runOnce(set, variant);
    for (let round = 1; round < this.#roundsOf(variant.side) && trial.verdict.outcome === "right"; round++)
      trial = await this.runOnce(set, variant);
    return trial;
  }

  /** Lists the sides, each as often as it runs. A run of two and one of a crowd stand in for three runs of two. */
  #roundsOfSides(sides: readonly RaceSide[]): RaceSide[] {
    const known = this.#deviable.isRepeatable === true ? sides.filter((side) => side !== "crowd") : sides;
    if (known.includes("crowd")) return [...known];
    return known.flatMap((side) => Array<RaceSide>(this.#roundsOf(side)).fill(side));
  }

  #roundsOf(side: RaceSide): number {
    return holdsNothing(side) && this.#deviable.isRepeatable !== true ? TOGETHER_RUNS : 1;
  }

  /** Checks the customer of an earlier run again: an app may only have been late. */
  async #isWrongStill({ trace }: Trial): Promise<boolean> {
    const failure = await trace.checkAgain?.();
    const verdict = failure && judgeTrace({ ...trace, failure });
    return verdict?.outcome === "wrong" && verdict.isLasting === true;
  }

  #learnConcurrency(set: DeviationSet, { trace }: Trial): void {
    const [only] = set;
    if (only === undefined || set.length > 1) return;
    this.#isConcurrent.set(deviationKey(only), this.#deviations.isOwn(only) && hasOnlyOwnCalls(trace));
  }

  /**
   * Groups sets whose runs can be concurrent, by the first index of each group. Leaves out single deviations, and sets
   * that may affect the customers of other runs.
   */
  groupsOf(sets: readonly DeviationSet[]): Map<number, readonly number[]> {
    if (this.#lanes === 1) return new Map();
    const indexes = [...sets.keys()].filter((index) => this.#canBeConcurrent(sets[index]!));
    const shapeOf = (index: number) => this.#deviable.shapeOf(this.#plan(sets[index]!, EAGER));
    return new Map(groupsByKey(indexes, this.#lanes, shapeOf).map((group) => [group[0]!, group]));
  }

  /**
   * Runs the sets of a group concurrently; returns the trials by index. Returns none if a run concerned other customers.
   * The caller repeats all sets that did not pass, one at a time.
   */
  async runConcurrently(
    sets: readonly DeviationSet[],
    group: readonly number[] = [],
  ): Promise<(readonly [index: number, trial: Trial])[]> {
    if (group.length === 0) return [];
    const all = await this.#runAll(
      group.map((index) => sets[index]!),
      EAGER,
    );
    if (!all.every(({ trace }) => hasOnlyOwnCalls(trace))) return [];
    return all.map((trial, lane) => [group[lane]!, trial]);
  }

  #canBeConcurrent(set: DeviationSet): boolean {
    return (
      set.length > 1 &&
      this.#deviations.sidesOf(set).length === 1 &&
      set.every((one) => this.#isConcurrent.get(deviationKey(one)) ?? this.#deviations.isOwn(one))
    );
  }

  async #runAll(sets: readonly DeviationSet[], variant: RunVariant): Promise<Trial[]> {
    const plans = sets.map((set) => this.#plan(set, variant));
    const traces = await this.#deviable.observe(plans);
    return traces.map((trace, index) => ({ plan: plans[index]!, trace, verdict: judgeTrace(trace) }));
  }

  #plan(set: DeviationSet, variant: RunVariant): RunPlan {
    const plan = this.#deviable.planRun(set, variant);
    for (const deviation of set) this.#deviations.effectOf(deviation).applyTo(plan);
    return plan;
  }
}

export const ONCE = { runs: 1, of: 1 };

function isLasting({ verdict }: Trial): boolean {
  return verdict.outcome === "wrong" && verdict.isLasting === true;
}

function hasOnlyOwnCalls({ observed }: Trace): boolean {
  return observed.calls.every(({ isByFlow, isOwn }) => isByFlow || isOwn);
}

/** Groups the indexes of sets with an equal key. No group has only one set. */
function groupsByKey(all: readonly number[], max: number, keyOf: (index: number) => string): number[][] {
  const groups: number[][] = [];
  const byKey = new Map<string, number[]>();
  for (const index of all) {
    const key = keyOf(index);
    byKey.set(key, [...(byKey.get(key) ?? []), index]);
  }
  for (const same of byKey.values())
    for (let at = 0; at + 1 < same.length; at += max) groups.push(same.slice(at, at + max));
  return groups;
}
