import { DEFAULT_LANES } from "../schema/explore.js";
import { aborter } from "../time/patience.js";
import { systemWall } from "../time/wall.js";
import { whyAlone } from "./alone.js";
import { chanceOf } from "./chance.js";
import { type Flow, paidPageOf, pressOf } from "./flow.js";
import type { Verdict } from "./judge.js";
import { isRace, KINDS } from "./kinds.js";
import { lessonOf } from "./lesson.js";
import { Places } from "./places.js";
import { type Plain, plainRuns } from "./plain.js";
import type { ExploreFinding, ExploreReport } from "./report.js";
import { Runs, type RunsOptions } from "./runs.js";
import { type SaveTo, saved } from "./save.js";
import { type Deviation, type Schedule, scheduleText } from "./schedule.js";
import { type Ran, type Searched, search } from "./search.js";
import type { Seen } from "./seen.js";
import { sentenceOf } from "./sentence.js";
import { behaviourOf } from "./trace.js";
import { type Trial, Trials } from "./trials.js";
import { Witness } from "./witness.js";

export interface ExploreOptions extends RunsOptions {
  /** So many deviations together, at most. */
  readonly depth: number;
  /** So much wall time, in milliseconds; without it, as long as it takes. */
  readonly budgetMs?: number | undefined;
  /** So many runs side by side, where that can be. */
  readonly lanes?: number | undefined;
  /** The folder for the scenario files of what is found. */
  readonly saveTo?: SaveTo | undefined;
  /** Called after each run with the number of runs and findings so far. */
  readonly onRun?: ((runs: number, findings: number) => void) | undefined;
}

/** More of what could not be judged nobody wants to read. */
const MOST_NOTES = 20;
/** So many sets for each lane are looked through for those that can be side by side. */
const SETS_A_LANE = 4;
const NOTHING_SEARCHED: Searched = {
  completeDepth: 0,
  runs: 0,
  runsOfDepth: [],
  drawn: 0,
  behaviours: 0,
  saved: { holds_a_failing_set: 0, absorbed: 0, alike: 0, independent: 0, unmet: 0 },
};

/** Looks for the smallest sets of deviations from a flow that make its app go wrong. */
export async function explore(flow: Flow, options: ExploreOptions): Promise<ExploreReport> {
  const { wall = systemWall, budgetMs, signal } = options;
  const end = aborter();
  // Each step of each lane listens.
  const stop = (): void => end.abort();
  const callOff = budgetMs === undefined ? () => {} : wall.after(budgetMs, stop);
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  const why = (): string | undefined => {
    if (signal?.aborted) return "interrupted";
    return end.signal.aborted ? "the budget was over" : undefined;
  };
  try {
    const runs = await Runs.open(flow, { ...options, signal: end.signal });
    try {
      return await new Exploration(flow, options, runs, why).run();
    } finally {
      await runs.close();
    }
  } finally {
    callOff();
    signal?.removeEventListener("abort", stop);
  }
}

class Exploration {
  readonly #flow: Flow;
  readonly #options: ExploreOptions;
  readonly #runs: Runs;
  /** Why there is no time left; undefined while there is. */
  readonly #over: () => string | undefined;
  readonly #places: Places;
  readonly #findings: ExploreFinding[] = [];
  readonly #notes = new Set<string>();
  readonly #witness = new Witness();
  #count = 0;

  constructor(flow: Flow, options: ExploreOptions, runs: Runs, over: () => string | undefined) {
    this.#flow = flow;
    this.#options = options;
    this.#runs = runs;
    this.#over = over;
    this.#places = new Places({
      press: pressOf(flow)?.app as string | undefined,
      isOnPage: paidPageOf(flow) !== undefined,
    });
  }

  async run(): Promise<ExploreReport> {
    const { wall = systemWall } = this.#options;
    const startedMs = wall.nowMs();
    const plain = await plainRuns(this.#flow, this.#runs, this.#over);
    if (!("runs" in plain)) this.#findings.push(plain);
    const first = "runs" in plain ? this.#places.deviationsOf(plain.runs[0].seen) : [];
    const found = "runs" in plain ? await this.#searched(plain, first) : NOTHING_SEARCHED;
    for (const note of this.#witness.manners(this.#findings)) this.#notes.add(note);
    const part = {
      passed: this.#findings.length === 0 && found.completeDepth > 0,
      complete_depth: found.completeDepth,
      runs: found.runs,
      drawn: found.drawn,
      choices: first.filter(isPossible).length,
      behaviours: found.behaviours,
      ms: wall.nowMs() - startedMs,
      saved: found.saved,
      findings: this.#findings,
      singles: this.#witness.singles,
      notes: [...this.#notes].slice(0, MOST_NOTES),
    };
    return { ...part, sentence: sentenceOf(String(this.#flow.raw.name), part, found.runsOfDepth) };
  }

  async #searched({ runs, differing }: Plain, all: readonly Deviation[]): Promise<Searched> {
    const { depth, budgetMs } = this.#options;
    const lesson = lessonOf(this.#flow, ...runs);
    const [{ seen: plain, report }] = runs;
    this.#witness.seePlain(plain);
    const lanes = this.#lanesFor(whyAlone(this.#flow, lesson, plain));
    const trials = new Trials(this.#flow, this.#runs, this.#places, { lesson, plain, lanes });
    const base = behaviourOf(plain, report);
    if (differing !== undefined)
      this.#notes.add(
        `two plain runs differ, in ${differing}: each set is run once, and another run may differ`,
      );
    const name = String(this.#flow.raw.name);
    const found = await search({
      depth,
      first: all.filter(isPossible),
      apart: (one, other) => this.#places.apart(one, other),
      isOver: () => this.#over() !== undefined,
      atATime: lanes === 1 ? 1 : lanes * SETS_A_LANE,
      run: (schedules) => this.#tried(schedules, trials, base),
      shuffledBy: differing === undefined ? undefined : chanceOf(`${name} shuffled`),
      beyond: budgetMs === undefined ? undefined : chanceOf(name),
    });
    if (!this.#findings.some(({ oracle }) => oracle === "liveness"))
      for (const deviation of all)
        if (!isPossible(deviation) && this.#over() === undefined) await this.#noted(deviation, trials);
    return found;
  }

  #lanesFor(why: string | undefined): number {
    const { lanes } = this.#options;
    if (why === undefined) return lanes ?? DEFAULT_LANES;
    if (lanes !== undefined && lanes > 1) this.#notes.add(`one lane: ${why}`);
    return 1;
  }

  /** In their order, until it is over. */
  async #tried(schedules: readonly Schedule[], trials: Trials, base: string): Promise<Ran[]> {
    const ran: Ran[] = [];
    const done = await trials.sideBySide(schedules);
    for (const [index, schedule] of schedules.entries()) {
      const one = await this.#judged(schedule, done.get(index), trials, base);
      if (one !== undefined) ran.push(one);
      if (one === undefined || one.isOver) break;
    }
    return ran;
  }

  /** Undefined where there was no time left for it. */
  async #judged(
    schedule: Schedule,
    done: Trial | undefined,
    trials: Trials,
    base: string,
  ): Promise<Ran | undefined> {
    const trial = done ?? (await trials.brief(schedule));
    const isWrong = typeof trial.verdict === "object" || trials.isSuspect(trial);
    const verdict = isWrong ? await this.#confirmed(schedule, trial.verdict, trials) : undefined;
    if (this.#over() !== undefined) return undefined;
    if (typeof trial.verdict === "string")
      this.#notes.add(`not judged: ${scheduleText(schedule)}: ${trial.verdict}`);
    if (verdict !== undefined) this.#found(schedule, verdict, trial.seen, trials);
    this.#witness.see(
      schedule,
      trial.seen,
      verdict ?? (typeof trial.verdict === "object" ? "came once" : trial.verdict),
    );
    this.#options.onRun?.(++this.#count, this.#findings.length);
    const behaviour = behaviourOf(trial.seen, trial.report);
    return {
      hasFailed: verdict !== undefined,
      behaviour,
      isAbsorbed: behaviour === base,
      deviations: this.#places.deviationsOf(trial.seen).filter(isPossible),
      meets: this.#places.metIn(trial.seen),
      isOver: verdict?.isOver === true,
    };
  }

  /** What is said where the file that is kept fails too. What does not come again is no finding: nobody could mend it by what is told of it. */
  async #confirmed(
    schedule: Schedule,
    first: Trial["verdict"],
    trials: Trials,
  ): Promise<Verdict | undefined> {
    if (typeof first === "object" && first.isOver) return first;
    const { verdict } = await trials.whole(trials.kept(schedule));
    if (typeof verdict === "object" && (verdict.isOver || verdict.isBroken)) {
      const isOver = verdict.isOver || !(await trials.goesRight());
      return { ...(typeof first === "object" ? first : verdict), isOver };
    }
    // What is kept of a race has more in it than twice.
    if (typeof verdict === "object" && typeof first === "object" && schedule.some(isRace)) return first;
    if (typeof verdict === "object") return verdict;
    if (typeof first === "object" && this.#over() === undefined)
      this.#notes.add(`happened once and could not be repeated: ${scheduleText(schedule)}: ${first.message}`);
    return undefined;
  }

  #found(schedule: Schedule, { oracle, message }: Verdict, seen: Seen, trials: Trials): void {
    const { saveTo, vars = {} } = this.#options;
    const says = `${message}; ${schedule.map(({ kind, at }) => `${at}: ${KINDS[kind].says}`).join("; ")}`;
    const { document } = trials.kept(schedule);
    const file = saveTo && saved(saveTo, { flow: this.#flow, schedule, document, vars, says });
    const deviations = schedule.map(({ kind, at }) => ({ kind, at }));
    const story = this.#witness.story(seen);
    this.#findings.push({ oracle, message, deviations, story, ...(file === undefined ? {} : { file }) });
  }

  async #noted(deviation: Deviation, trials: Trials): Promise<void> {
    const { verdict } = await trials.whole(trials.compiled([deviation]));
    if (typeof verdict === "object" && this.#over() === undefined)
      this.#notes.add(`${scheduleText([deviation])} (${KINDS[deviation.kind].says}): ${verdict.message}`);
  }
}

function isPossible({ kind }: Deviation): boolean {
  return KINDS[kind].isNoteOnly !== true;
}
