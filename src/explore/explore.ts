import { UserError } from "../schema/user-error.js";
import { systemWall } from "../time/wall.js";
import { type Choice, choicesOf } from "./choices.js";
import { briefly, type Compiled, compiled, compiledPlain, type Lesson } from "./compile.js";
import { type Flow, pressOf } from "./flow.js";
import { isSuspect, type Verdict, verdictOn } from "./judge.js";
import { deviationsAt, isRace, KINDS, surely, type Words } from "./kinds.js";
import { lessonOf } from "./lesson.js";
import type { ExploreFinding, ExploreReport } from "./report.js";
import { type Carried, Runs, type RunsOptions } from "./runs.js";
import { fileNameOf, type SaveTo, saved } from "./save.js";
import { type Deviation, keyOf, type Schedule, scheduleText } from "./schedule.js";
import { type Ran, search } from "./search.js";
import { sentenceOf } from "./sentence.js";
import { behaviourOf, failedStep, hasFailed } from "./trace.js";

export interface ExploreOptions extends RunsOptions {
  /** So many deviations together, at most. */
  readonly depth: number;
  /** So much wall time, in milliseconds; without it, as long as it takes. */
  readonly budgetMs?: number | undefined;
  /** The folder for the scenario files of what is found. */
  readonly saveTo?: SaveTo | undefined;
  /** Called after each run: how many there were, and what was found so far. */
  readonly onRun?: ((runs: number, findings: number) => void) | undefined;
}

/** More of what could not be judged nobody wants to read. */
const MOST_NOTES = 20;

/** Looks for the smallest sets of deviations from a flow that make its app go wrong. */
export async function explore(flow: Flow, options: ExploreOptions): Promise<ExploreReport> {
  const runs = await Runs.open(flow, options);
  try {
    return await new Exploration(flow, options, runs).run();
  } finally {
    await runs.close();
  }
}

class Exploration {
  readonly #flow: Flow;
  readonly #options: ExploreOptions;
  readonly #runs: Runs;
  readonly #press: string | undefined;
  readonly #findings: ExploreFinding[] = [];
  readonly #notes = new Set<string>();
  /** Where each deviation is, as it was first seen. */
  readonly #places = new Map<string, Choice>();
  #count = 0;

  constructor(flow: Flow, options: ExploreOptions, runs: Runs) {
    this.#flow = flow;
    this.#options = options;
    this.#runs = runs;
    this.#press = pressOf(flow)?.app as string | undefined;
  }

  async run(): Promise<ExploreReport> {
    const { wall = systemWall, depth, budgetMs, signal } = this.#options;
    const startedMs = wall.nowMs();
    const isOver = (): boolean =>
      signal?.aborted === true || (budgetMs !== undefined && wall.nowMs() - startedMs >= budgetMs);
    const plain = await this.#plainRuns();
    const lesson = plain && lessonOf(this.#flow, ...plain);
    const all = plain === undefined ? [] : this.#deviationsOf(plain[0]);
    const first = all.filter(({ kind }) => !KINDS[kind].isNoteOnly);
    const base = plain && behaviourOf(plain[0].seen, plain[0].report);
    const found = await search({
      depth: plain === undefined ? 0 : depth,
      first,
      areCompatible: (one, other) => !this.#collide(one, other),
      isOver,
      run: (schedule) => this.#tried(schedule, lesson!, base!),
    });
    if (!this.#findings.some(({ oracle }) => oracle === "liveness"))
      for (const deviation of all)
        if (KINDS[deviation.kind].isNoteOnly && !isOver()) await this.#noted(deviation, lesson!);
    const part = {
      passed: this.#findings.length === 0 && found.completeDepth > 0,
      complete_depth: found.completeDepth,
      runs: found.runs,
      choices: first.length,
      behaviours: found.behaviours,
      ms: wall.nowMs() - startedMs,
      saved: found.saved,
      findings: this.#findings,
      notes: [...this.#notes].slice(0, MOST_NOTES),
    };
    return { ...part, sentence: sentenceOf(String(this.#flow.raw.name), part, found.runsOfDepth) };
  }

  /**
   * The flow as it is written, which has to pass, and two runs that teach, to the good end; undefined where nothing has
   * to go wrong for the app to do so, or it has gone.
   */
  async #plainRuns(): Promise<readonly [Carried, Carried] | undefined> {
    const { given: _given, ...written } = this.#flow.raw;
    const plain = compiledPlain(this.#flow);
    const runs: Carried[] = [];
    for (const [index, document] of [written, plain.document, plain.document].entries()) {
      const carried = await this.#runs.carryOut({ document });
      if (!carried.report.passed) {
        const step = failedStep(carried.report);
        const why = carried.report.error ?? `${step?.title}: ${step?.failure?.message}`;
        const verdict = verdictOn(carried.report, plain.roles, carried.seen, NOTHING_LEARNT);
        const isInTheEnd = index > 0 && plain.roles[carried.report.steps.findIndex(hasFailed)] !== "drive";
        if (typeof verdict !== "object" || !(verdict.isOver || isInTheEnd))
          throw new UserError(`${this.#flow.file}: the flow fails with nothing going wrong: ${why}`);
        const message = verdict.isOver
          ? verdict.message
          : `with nothing going wrong, in the end: ${verdict.message}`;
        this.#findings.push({ oracle: verdict.oracle, message, deviations: [] });
        return undefined;
      }
      runs.push(carried);
    }
    const [, one, other] = runs as [Carried, Carried, Carried];
    const [first, second] = [one, other].map(({ seen, report }) => behaviourOf(seen, report).split("\n"));
    const differing = first!.find((line, index) => line !== second![index]) ?? second![first!.length];
    if (differing !== undefined) this.#notes.add(`two plain runs differ, in ${differing}`);
    return [one, other];
  }

  #deviationsOf({ seen }: Carried): Deviation[] {
    return choicesOf(seen, this.#press).flatMap((choice) => {
      const deviations = deviationsAt(choice);
      for (const deviation of deviations)
        if (!this.#places.has(keyOf(deviation))) this.#places.set(keyOf(deviation), choice);
      return deviations;
    });
  }

  #wordsOf(deviation: Deviation, whose: Lesson["whose"] = {}): Words {
    return KINDS[deviation.kind].words(this.#places.get(keyOf(deviation))!, whose)!;
  }

  /** Two that would go wrong with the same call, or that both hold the flow, cannot stand in one run. */
  #collide(one: Deviation, other: Deviation): boolean {
    const [a, b] = [this.#wordsOf(one), this.#wordsOf(other)];
    const isSameCall =
      a.faults !== undefined &&
      a.faults.skip === b.faults?.skip &&
      a.faults.match?.operation === b.faults?.match?.operation;
    return isSameCall || (a.meanwhile !== undefined && b.meanwhile !== undefined);
  }

  #compiled(schedule: Schedule, lesson: Lesson, as = (words: Words) => words): Compiled {
    const words = schedule.map((one) => as(this.#wordsOf(one, lesson.whose)));
    return compiled(this.#flow, words, lesson, fileNameOf(this.#flow, schedule));
  }

  async #carried(run: Compiled, lesson: Lesson) {
    const carried = await this.#runs.carryOut(run);
    return { ...carried, verdict: verdictOn(carried.report, run.roles, carried.seen, lesson) };
  }

  async #tried(schedule: Schedule, lesson: Lesson, base: string): Promise<Ran> {
    const brief = await this.#carried(briefly(this.#compiled(schedule, lesson)), lesson);
    const kept = this.#compiled(schedule, lesson, surely);
    if (typeof brief.verdict === "string")
      this.#notes.add(`not judged: ${scheduleText(schedule)}: ${brief.verdict}`);
    const verdict =
      typeof brief.verdict === "object" || isSuspect(brief.seen, lesson)
        ? await this.#confirmed(schedule, kept, brief.verdict, lesson)
        : undefined;
    if (verdict !== undefined) this.#found(schedule, verdict, kept);
    this.#options.onRun?.(++this.#count, this.#findings.length);
    const behaviour = behaviourOf(brief.seen, brief.report);
    return {
      hasFailed: verdict !== undefined,
      behaviour,
      isAbsorbed: behaviour === base,
      deviations: this.#deviationsOf(brief).filter(({ kind }) => !KINDS[kind].isNoteOnly),
      isOver: verdict?.isOver === true,
    };
  }

  /** What is said where the file that is kept fails too. What does not come again is no finding: nobody could mend it by what is told of it. */
  async #confirmed(
    schedule: Schedule,
    run: Compiled,
    first: Verdict | string | undefined,
    lesson: Lesson,
  ): Promise<Verdict | undefined> {
    if (typeof first === "object" && first.isOver) return first;
    const { verdict } = await this.#carried(run, lesson);
    // What is kept of a race has more in it than twice.
    if (typeof verdict === "object" && typeof first === "object" && schedule.some(isRace)) return first;
    if (typeof verdict === "object") return verdict;
    if (typeof first === "object")
      this.#notes.add(`came once and not again: ${scheduleText(schedule)}: ${first.message}`);
    return undefined;
  }

  #found(schedule: Schedule, { oracle, message }: Verdict, { document }: Compiled): void {
    const { saveTo, vars = {} } = this.#options;
    const says = `${message}; ${schedule.map(({ kind, at }) => `${at}: ${KINDS[kind].says}`).join("; ")}`;
    const file = saveTo && saved(saveTo, { flow: this.#flow, schedule, document, vars, says });
    const deviations = schedule.map(({ kind, at }) => ({ kind, at }));
    this.#findings.push({ oracle, message, deviations, ...(file === undefined ? {} : { file }) });
  }

  async #noted(deviation: Deviation, lesson: Lesson): Promise<void> {
    const { verdict } = await this.#carried(this.#compiled([deviation], lesson), lesson);
    if (typeof verdict === "object")
      this.#notes.add(`${scheduleText([deviation])} (${KINDS[deviation.kind].says}): ${verdict.message}`);
  }
}

const NOTHING_LEARNT: Lesson = { whose: {}, order: {}, completed: 0, observed: [] };
