import { errorText } from "../../core/schema/error-text.js";
import {
  DEFAULT_EXPLORE_LANES,
  type ExploreDepth,
  MAX_EXHAUSTIVE_DEPTH,
} from "../../core/schema/explore-limits.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import { systemWallClock } from "../../core/time/wall-clock.js";
import type { Deviable } from "./deviable.js";
import {
  type Deviation,
  type DeviationSet,
  deviationKey,
  deviationSetKey,
  deviationSetText,
  type FailOnKind,
} from "./deviation-set.js";
import { Evidence } from "./evidence.js";
import {
  BUDGET_OVER,
  type ExploreFinding,
  type ExploreReport,
  type ExploreSingle,
  type Oracle,
  type UntriedDeviation,
} from "./exploration.js";
import { behaviourOf, refusalText } from "./judge.js";
import { DEVIATION_KIND_DEFINITIONS } from "./kinds.js";
import { KnownDeviations } from "./known-deviations.js";
import type { LivesOptions } from "./lives/chosen-lives.js";
import type { Lives } from "./lives/lives.js";
import { runOnlySets, withoutPlace } from "./only-sets.js";
import type { PlainRunResult } from "./plain-runs.js";
import { referencesFirst } from "./reference-kinds.js";
import type { Trace } from "./run-record.js";
import { type SearchResult, type SearchRunResult, searchDeviationSets, seededRandom } from "./search.js";
import { EAGER, type Failure, ONCE, type Trial, Trials } from "./trials.js";

export interface ExploreOptions {
  readonly depth: ExploreDepth;
  /** The only sets to run, smallest first. */
  readonly only?: readonly DeviationSet[] | undefined;
  /** Deviations that the log of `from` shows, for the report. */
  readonly shown?: ExploreReport["shown"];
  /** Lives of several customers, after the runs of single deviations. */
  readonly lives?: LivesOptions | undefined;
  /** Maximum wall time in milliseconds; unlimited if undefined. */
  readonly budgetMs?: number | undefined;
  readonly lanes?: number | undefined;
  /** Kinds of notes that become findings. */
  readonly failOn?: readonly string[] | undefined;
  /** Adds to the report how long each part of the runs took. */
  readonly profile?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Saves a set, or a life by name, as a scenario file; returns its path; undefined if no file can repeat it. */
  readonly save?: ((found: DeviationSet | string, description: string) => string | undefined) | undefined;
  /** Called after each run with the number of runs and findings so far. */
  readonly onRun?: ((runs: number, findings: number) => void) | undefined;
}

export interface LimitedOptions extends ExploreOptions {
  /** Returns why the exploration must end; undefined while time is left. */
  readonly overReason: () => string | undefined;
}

/** Notes beyond this number are dropped. */
const MAX_NOTES = 20;
const NOT_SEARCHED: SearchResult = {
  completeDepth: 0,
  runs: 0,
  runsOfDepth: [],
  unjudged: 0,
  morePairs: 0,
  drawn: 0,
  behaviours: 0,
  saved: { holds_a_failing_set: 0, absorbed: 0, alike: 0, independent: 0, unmet: 0 },
};

const NOT_REPEATED = "happened once and could not be repeated";

/** Searches for sets of deviations that break the app, once the plain runs have passed. */
export class Explorer {
  readonly findings: ExploreFinding[] = [];
  readonly evidence: Evidence;
  /** Deviations of the tried kinds that apply to a plain run. */
  readonly first: readonly Deviation[];
  /** The flow still passed without deviations after the last run that could not be judged. */
  passesPlainRun = true;
  brokenOff: string | undefined;
  /** The lives that were carried out; undefined before. */
  lives: Lives | undefined;
  /** Number of runs of deviations with `isNoteOnly`, which come after the search. */
  noteRuns = 0;
  readonly #deviable: Deviable;
  readonly #options: LimitedOptions;
  readonly #plain: PlainRunResult;
  readonly #deviations: KnownDeviations;
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #lanes: number;
  readonly #trials: Trials;
  readonly #notes = new Set<string>();
  readonly #beginMs = systemWallClock.nowMs();
  /** Why the first run that could not be judged could not. */
  #unjudgedReason: string | undefined;
  #count = 0;
  constructor(deviable: Deviable, options: LimitedOptions, plain: PlainRunResult) {
    const { observed } = plain.trace;
    this.#deviable = deviable;
    this.#options = options;
    this.#plain = plain;
    this.#deviations = new KnownDeviations(deviable);
    this.first = this.#deviations.findIn(observed).filter((one) => this.#isTried(one));
    this.#indexes = new Map(this.first.map((one, index) => [deviationKey(one), index]));
    this.evidence = new Evidence(observed);
    this.#reportPlain("manners", refusalText(observed));
    this.#reportPlain("money", deviable.wrongPrice());
    this.#lanes = this.#chooseLanes();
    this.#trials = new Trials(deviable, this.#deviations, this.#lanes);
  }

  #reportPlain(oracle: Oracle, fault: string | undefined): void {
    if (fault === undefined) return;
    this.findings.push({ oracle, message: `with nothing going wrong: ${fault}`, deviations: [], seen: ONCE });
  }

  /** Explains why the exploration is inconclusive; undefined if it is not. */
  doubt({ runsOfDepth, unjudged }: SearchResult): string | undefined {
    if (this.brokenOff !== undefined) return this.brokenOff;
    const runs = runsOfDepth.at(-1)!;
    const reason = `(${this.#unjudgedReason})`;
    if (!this.passesPlainRun) return `the flow no longer passes without deviations ${reason}`;
    return unjudged * 2 > runs ? `${unjudged} of ${runs} runs could not be judged ${reason}` : undefined;
  }

  #chooseLanes(): number {
    const { lanes } = this.#options;
    const reason = this.#deviable.isolationReason();
    if (reason === undefined) return lanes ?? DEFAULT_EXPLORE_LANES;
    if (lanes !== undefined && lanes > 1) this.#notes.add(`one lane: ${reason}`);
    return 1;
  }

  collectNotes(): string[] {
    const doubts = this.#deviable.openQuestions();
    return [...doubts, ...this.#notes, ...this.evidence.goodPractice()].slice(0, MAX_NOTES);
  }

  async #runOnly(sets: readonly DeviationSet[]): Promise<SearchResult> {
    const counts = await runOnlySets(sets, {
      first: this.first,
      known: this.#deviations,
      findings: this.findings,
      run: async (set) => (await this.#runAll([set]))[0],
      runReference: (reference) => this.#trials.runOnce([reference]),
    });
    return { ...NOT_SEARCHED, ...counts, runsOfDepth: [counts.runs] };
  }

  async search(): Promise<SearchResult> {
    const { depth, only, lives } = this.#options;
    if (only !== undefined) return this.#runOnly(only);
    if (lives?.only !== undefined) {
      await this.#live();
      return NOT_SEARCHED;
    }
    const { name } = this.#deviable;
    const { difference } = this.#plain;
    if (difference !== undefined)
      this.#notes.add(
        `two plain runs differ, in ${difference}: each set is run once, and another run may differ`,
      );
    const result = await searchDeviationSets({
      depth: exhaustiveDepth(depth),
      initialDeviations: referencesFirst(this.first),
      separationOf: (one, other) => this.#deviations.separationOf(one, other),
      run: (sets) => this.#runAll(sets),
      shuffleRandom: difference === undefined ? undefined : seededRandom(`${name} shuffled`),
      onSingles: () => this.#untilError(() => this.#live()),
      onDepthEnd: () => this.#untilError(() => this.#runForNotes()),
      drawRandom: depth === "max" ? seededRandom(name) : undefined,
    });
    this.#judgePractice();
    this.findings.sort((one, other) => this.#rankOf(one) - this.#rankOf(other));
    return result;
  }

  /** Carries out lives. If larger sets follow, half of the time that is left is theirs. */
  async #live(): Promise<void> {
    const { lives, depth, budgetMs } = this.#options;
    if (lives === undefined) return;
    const nowMs = systemWallClock.nowMs();
    const leftMs = budgetMs === undefined ? Infinity : this.#beginMs + budgetMs - nowMs;
    const endMs = nowMs + (depth === 1 ? leftMs : leftMs / 2);
    const overReason = () => (systemWallClock.nowMs() > endMs ? BUDGET_OVER : this.#overReason);
    const { runLives } = await loadLazily(() => import("./lives/lives.js"));
    const { name } = this.#deviable;
    this.lives = await this.#deviable.lives!((host) => runLives(host, name, lives, overReason));
    for (const finding of this.lives.findings)
      this.#add(finding, finding.only!, [finding.message, ...(finding.acts ?? [])]);
    for (const note of this.lives.notes) this.#notes.add(note);
  }

  singles(): ExploreSingle[] {
    const { singles } = this.evidence;
    return singles.sort((one, other) => this.#indexOf(one) - this.#indexOf(other));
  }

  /** Position among the places of the flow; after all of them for a deviation that a plain run does not have. */
  #indexOf(deviation: Deviation): number {
    return this.#indexes.get(deviationKey(deviation)) ?? this.first.length;
  }

  /** Smaller sets come first, and single deviations in the order of their places in the flow. */
  #rankOf({ deviations: [first, ...others] }: ExploreFinding): number {
    if (first === undefined) return -1;
    return others.length === 0 ? this.#indexOf(first) : this.first.length * (others.length + 1);
  }

  async #runForNotes(): Promise<void> {
    if (!this.passesPlainRun || this.findings.some(({ oracle }) => oracle === "liveness")) return;
    for (const deviation of this.#deviations.findIn(this.#plain.trace.observed))
      if (
        DEVIATION_KIND_DEFINITIONS[deviation.kind].isNoteOnly &&
        !this.#isTried(deviation) &&
        this.#overReason === undefined
      )
        await this.#runForNote(deviation);
  }

  /** Returns false for kinds with `isNoteOnly` or `untriedBecause`, unless `failOn` names them. */
  #isTried({ kind }: Deviation): boolean {
    const { isNoteOnly, untriedBecause } = DEVIATION_KIND_DEFINITIONS[kind];
    return (!isNoteOnly && untriedBecause === undefined) || this.#isRaised(kind);
  }

  /** Why the exploration must end; undefined while it goes on. */
  get #overReason(): string | undefined {
    return this.#options.overReason() ?? this.brokenOff;
  }

  /** Ends the exploration with the first error, so that the report keeps what was found before. */
  async #untilError(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#overReason === undefined) this.brokenOff = `it broke off: ${errorText(error)}`;
    }
  }

  async #runAll(sets: readonly DeviationSet[]): Promise<SearchRunResult[]> {
    const results: SearchRunResult[] = [];
    await this.#untilError(() => this.#runInto(results, sets));
    return results;
  }

  async #runInto(results: SearchRunResult[], sets: readonly DeviationSet[]): Promise<void> {
    const groups = this.#trials.groupsOf(sets);
    const done = new Map<number, Trial>();
    for (const [index, set] of sets.entries()) {
      if (this.#overReason !== undefined) break;
      for (const [of, trial] of await this.#trials.runConcurrently(sets, groups.get(index)))
        done.set(of, trial);
      const result = await this.#run(set, done.get(index));
      if (result !== undefined) results.push(result);
      if (result === undefined || result.isAppGone) return;
    }
    for (const late of await this.#deviable.lateSets()) {
      const result = await this.#run(late, undefined);
      const index = sets.findIndex((set) => deviationSetKey(set) === deviationSetKey(late));
      if (result === undefined) return void results.splice(index);
      results[index] = result;
    }
  }

  /** Runs a set, or takes its result from `done`. Returns undefined if the time is over. */
  async #run(set: DeviationSet, done: Trial | undefined): Promise<SearchRunResult | undefined> {
    const { trial, failure, unconfirmed } = await this.#trials.judge(set, done);
    const { trace, verdict } = trial;
    const passesPlainRun = verdict.outcome !== "unknown" || (await this.#trials.passesPlainRun());
    if (failure !== undefined) this.#report(set, failure);
    if (this.#overReason !== undefined) return undefined;
    this.passesPlainRun = passesPlainRun;
    if (verdict.outcome === "unknown")
      this.#notes.add(`not judged: ${deviationSetText(set)}: ${verdict.reason}`);
    if (unconfirmed !== undefined)
      this.#notes.add(`${NOT_REPEATED}: ${deviationSetText(set)}: ${unconfirmed.message}`);
    // If a failure does not recur, the effect of the deviation is unknown.
    const outcome = failure ? "wrong" : unconfirmed ? "unknown" : verdict.outcome;
    if (outcome === "unknown")
      this.#unjudgedReason ??= verdict.outcome === "unknown" ? verdict.reason : NOT_REPEATED;
    this.evidence.add(set, trace.observed, outcome);
    this.#options.onRun?.(++this.#count, this.findings.length);
    this.#deviations.excludeUnreleasedRead(set, trace.observed);
    const behaviour = behaviourOf(trace);
    const deviations = this.#deviations.findIn(trace.observed);
    return {
      hasFailed: failure !== undefined,
      behaviour,
      isAbsorbed: this.#isAbsorbed(set, trace),
      deviations: deviations.filter((one) => this.#isTried(one)),
      canApply: this.#deviations.applicabilityTest(deviations),
      isUnjudged: outcome === "unknown",
      isAppGone: failure?.verdict.isAppGone === true || !this.passesPlainRun,
    };
  }

  #isAbsorbed(set: DeviationSet, trace: Trace): boolean {
    const withReads = !set.some(({ kind }) => DEVIATION_KIND_DEFINITIONS[kind].isJob);
    return behaviourOf(trace, withReads) === behaviourOf(this.#plain.trace, withReads);
  }

  #report(set: DeviationSet, { verdict, trial, seen }: Failure): void {
    const { oracle, message, hint } = verdict;
    const what = set.map(({ kind, at }) => `${at}: ${DEVIATION_KIND_DEFINITIONS[kind].description}`);
    const often = seen.runs < seen.of ? [`seen in ${seen.runs} of ${seen.of} runs`] : [];
    const deviations = set.map(({ kind, at }) => ({ kind, at }));
    const story = this.evidence.storyOf(trial.trace.observed);
    const finding = { oracle, message, ...(hint === undefined ? {} : { hint }), deviations, seen, story };
    this.#add(finding, deviations, [message, ...what, ...often]);
  }

  /** Keeps a finding, also if no file of it can be saved. */
  #add(finding: ExploreFinding, found: DeviationSet | string, description: readonly string[]): void {
    const index = this.findings.push(finding) - 1;
    const file = this.#options.save?.(found, description.join("; "));
    if (file !== undefined) this.findings[index] = { ...finding, file };
  }

  async #runForNote(deviation: Deviation): Promise<void> {
    const { description, failsOnLoss } = DEVIATION_KIND_DEFINITIONS[deviation.kind];
    const trial = await this.#trials.runOnce(
      [deviation],
      failsOnLoss ? EAGER : { ...EAGER, isForNote: true },
    );
    const { verdict } = trial;
    if (this.#overReason !== undefined) return;
    const isLoss = failsOnLoss && verdict.outcome === "wrong" && verdict.oracle === "money";
    const { failure = undefined } = isLoss ? await this.#trials.judge([deviation], trial) : {};
    this.noteRuns++;
    this.evidence.addSingle(deviation, verdict.outcome);
    this.#options.onRun?.(++this.#count, this.findings.length);
    if (failure !== undefined) this.#report([deviation], failure);
    else if (verdict.outcome === "wrong")
      this.#notes.add(
        `${deviationSetText([deviation])}${failsOnLoss ? "" : ` (${description})`}: ${verdict.message}`,
      );
  }

  #judgePractice(): void {
    for (const { message, set } of this.evidence.badPractice(this.findings))
      if (this.#isRaised("manners"))
        this.findings.push({ oracle: "manners", message, deviations: set, seen: ONCE });
      else this.#notes.add(`manners: ${deviationSetText(set)}: ${message}`);
  }

  /** Lists the deviations that apply to a plain run and were not tried alone, and the kinds that do not apply. */
  notTried(): UntriedDeviation[] {
    const { only, lives } = this.#options;
    if (only !== undefined) return withoutPlace(only, this.#deviations);
    if (lives?.only !== undefined) return [];
    const { observed } = this.#plain.trace;
    const tried = new Set(this.evidence.singles.map(deviationKey));
    const overReason = this.#overReason ?? "the search ended first";
    const reasonOf = (one: Deviation) => {
      const { untriedBecause } = DEVIATION_KIND_DEFINITIONS[one.kind];
      return untriedBecause === undefined || this.#isTried(one)
        ? overReason
        : `${untriedBecause}: name the kind with --fail-on to try it`;
    };
    return this.#deviations.findUntried(observed, tried, reasonOf);
  }

  #isRaised(kind: FailOnKind): boolean {
    return this.#options.failOn?.includes(kind) === true;
  }
}

export function exhaustiveDepth(depth: ExploreDepth): number {
  return depth === "max" ? MAX_EXHAUSTIVE_DEPTH : depth;
}
