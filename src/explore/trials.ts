import { customerOf } from "./alone.js";
import { briefly, type Compiled, compiled, type Lesson } from "./compile.js";
import type { Flow } from "./flow.js";
import { isSuspect, type Verdict, verdictOn } from "./judge.js";
import { surely, type Words } from "./kinds.js";
import type { Places } from "./places.js";
import type { Carried, Runs } from "./runs.js";
import { fileNameOf } from "./save.js";
import { type Deviation, keyOf, type Schedule } from "./schedule.js";
import type { Seen } from "./seen.js";

/** What runs are held against. */
export interface Learnt {
  readonly lesson: Lesson;
  /** What was seen of a plain run. */
  readonly plain: Seen;
  /** So many runs are side by side, at most. */
  readonly lanes: number;
}

/** A run that came to its end. */
export interface Trial extends Pick<Carried, "seen" | "report"> {
  /** What is wrong, a text where it could not be judged. */
  readonly verdict: Verdict | string | undefined;
}

/** Carries out what goes otherwise, and judges it. */
export class Trials {
  readonly #flow: Flow;
  readonly #runs: Runs;
  readonly #places: Places;
  readonly #learnt: Learnt;
  readonly #isOneCustomer: boolean;
  /** What has been tried by itself, and whether the app asked for nothing then that shows it other customers. */
  readonly #isSociable = new Map<string, boolean>();

  constructor(flow: Flow, runs: Runs, places: Places, learnt: Learnt) {
    this.#flow = flow;
    this.#runs = runs;
    this.#places = places;
    this.#learnt = learnt;
    this.#isOneCustomer = new Set(learnt.plain.charges.map(({ email }) => email)).size === 1;
  }

  /** The file that shows it each time. */
  kept(schedule: Schedule): Compiled {
    return this.compiled(schedule, surely);
  }

  compiled(schedule: Schedule, as = (words: Words) => words): Compiled {
    const { lesson } = this.#learnt;
    const words = schedule.map((one) => as(this.#places.wordsOf(one, lesson.whose)));
    return compiled(this.#flow, words, lesson, fileNameOf(this.#flow, schedule));
  }

  /** As the file has it, step by step. */
  async whole(run: Compiled): Promise<Trial> {
    return this.#judged(run, await this.#runs.carryOut(run, this.#customer));
  }

  /** Whether the app still goes right where nothing goes wrong. */
  async goesRight(): Promise<boolean> {
    return typeof (await this.whole(this.compiled([]))).verdict !== "object";
  }

  /** Without the steps that its trace stands for. */
  async brief(schedule: Schedule): Promise<Trial> {
    const run = briefly(this.compiled(schedule));
    const trial = this.#judged(run, await this.#runs.carryOut(run, this.#customer));
    const [only] = schedule;
    if (only !== undefined && schedule.length === 1)
      this.#isSociable.set(keyOf(only), this.#places.isOwn(only) && trial.seen.calls.every(isOfOne));
    return trial;
  }

  /**
   * As many as can be side by side, by their index. Each has its own customer, and all have one time: what it comes to is
   * what it would come to alone, as long as no app looks at other customers. What looks wrong is left out, to be done alone.
   */
  async sideBySide(schedules: readonly Schedule[]): Promise<Map<number, Trial>> {
    const trials = new Map<number, Trial>();
    const { lanes } = this.#learnt;
    const social = [...schedules.keys()].filter((index) => this.#isSocial(schedules[index]!));
    for (const some of lanes === 1 ? [] : grouped(social, lanes, (index) => schedules[index]!.length)) {
      const runs = some.map((index) => briefly(this.compiled(schedules[index]!)));
      const carried = await this.#runs.carryOutTogether(runs, this.#customer);
      if (!carried.every(({ seen }) => seen.calls.every(isOfOne))) continue;
      for (const [lane, one] of carried.entries()) {
        const trial = this.#judged(runs[lane]!, one);
        if (trial.verdict === undefined && !this.isSuspect(trial)) trials.set(some[lane]!, trial);
      }
    }
    return trials;
  }

  /** A run without the steps that its trace stands for may have come to something that they would tell. */
  isSuspect({ seen }: Trial): boolean {
    return isSuspect(seen, this.#learnt.plain);
  }

  readonly #customer = (runId: string): string | undefined =>
    this.#isOneCustomer ? customerOf(this.#learnt.lesson, runId) : undefined;

  #isSocial(schedule: readonly Deviation[]): boolean {
    return (
      schedule.length > 1 &&
      schedule.every((one) => this.#isSociable.get(keyOf(one)) ?? this.#places.isOwn(one))
    );
  }

  #judged({ roles }: Compiled, { report, seen }: Carried): Trial {
    return { report, seen, verdict: verdictOn(report, roles, seen) };
  }
}

function isOfOne({ isFlows, isOwn }: Seen["calls"][number]): boolean {
  return isFlows || isOwn;
}

/** In groups of the same size of set, for those have equally many steps; nobody is alone in one. */
function grouped(all: readonly number[], most: number, sizeOf: (index: number) => number): number[][] {
  const sizes = [...new Set(all.map(sizeOf))];
  return sizes.flatMap((size) => {
    const alike = all.filter((index) => sizeOf(index) === size);
    const groups: number[][] = [];
    for (let at = 0; at + 1 < alike.length; at += most) groups.push(alike.slice(at, at + most));
    return groups;
  });
}
