import { type Deviation, keyOf, type Schedule, scheduleKey } from "./schedule.js";

/** What came of one run. */
export interface Ran {
  readonly hasFailed: boolean;
  /** What the app did and said: what reacts alike is one behaviour. */
  readonly behaviour: string;
  /** The app took it without a trace: it did and said what it does in a plain run. */
  readonly isAbsorbed: boolean;
  /** What can go otherwise in such a run; some of it may be new. */
  readonly deviations: readonly Deviation[];
  /** The app has gone, or answers no more: there is nothing left to explore. */
  readonly isOver?: boolean;
}

export interface SearchOptions {
  /** So many deviations together, at most. */
  readonly depth: number;
  readonly first: readonly Deviation[];
  readonly run: (schedule: Schedule) => Promise<Ran>;
  /** Whether two can stand in one run. */
  readonly areCompatible: (one: Deviation, other: Deviation) => boolean;
  /** Whether there is no time left. */
  readonly isOver: () => boolean;
}

/** What was done, and what need not be. */
export interface Searched {
  /** All sets of so many have been run, but for those left out with a reason. */
  readonly completeDepth: number;
  readonly runs: number;
  readonly runsOfDepth: readonly number[];
  readonly behaviours: number;
  /** Sets that were not run, by why. */
  readonly saved: Readonly<Record<Saving, number>>;
}

/** A set has one in it that fails by itself, or two that the app takes without a trace. */
export type Saving = "holds_a_failing_set" | "absorbed";

/** Runs all sets of 1, 2, … deviations, smallest first, so that a set which fails has no smaller one in it that does. */
export function search(options: SearchOptions): Promise<Searched> {
  return new Search(options).all();
}

/** A set that has been run and has not failed, and what may go otherwise besides. */
interface Base {
  readonly schedule: Schedule;
  readonly more: readonly Deviation[];
}

class Search {
  readonly #options: SearchOptions;
  readonly #tried = new Set<string>();
  readonly #failing: ReadonlySet<string>[] = [];
  readonly #absorbed = new Set<string>();
  readonly #behaviours = new Set<string>();
  readonly #saved = { holds_a_failing_set: 0, absorbed: 0 };
  readonly #runsOfDepth: number[] = [];
  #isOver = false;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  async all(): Promise<Searched> {
    const { depth, first } = this.#options;
    let bases: Base[] = [{ schedule: [], more: first }];
    let completeDepth = 0;
    for (let size = 1; size <= depth && !this.#isOver; size++) {
      this.#runsOfDepth.push(0);
      bases = await this.#extended(bases);
      if (!this.#isOver) completeDepth = size;
    }
    return {
      completeDepth,
      runs: this.#runsOfDepth.reduce((sum, count) => sum + count, 0),
      runsOfDepth: this.#runsOfDepth,
      behaviours: this.#behaviours.size,
      saved: this.#saved,
    };
  }

  /** Each with one deviation more. */
  async #extended(bases: readonly Base[]): Promise<Base[]> {
    const { first, isOver } = this.#options;
    const next: Base[] = [];
    for (const { schedule: base, more } of bases)
      for (const deviation of more) {
        if (!this.#isWorthIt(base, deviation)) continue;
        this.#isOver ||= isOver();
        if (this.#isOver) return next;
        const schedule = [...base, deviation];
        const ran = await this.#run(schedule);
        if (!ran.hasFailed) next.push({ schedule, more: withNew(first, ran.deviations) });
      }
    return next;
  }

  #isWorthIt(base: Schedule, deviation: Deviation): boolean {
    const { areCompatible } = this.#options;
    if (base.some((one) => one.at === deviation.at || !areCompatible(one, deviation))) return false;
    const schedule = [...base, deviation];
    const key = scheduleKey(schedule);
    if (this.#tried.has(key)) return false;
    this.#tried.add(key);
    const saving = this.#savingOf(schedule);
    if (saving !== undefined) this.#saved[saving]++;
    return saving === undefined;
  }

  #savingOf(schedule: Schedule): Saving | undefined {
    const keys = new Set(schedule.map(keyOf));
    if (this.#failing.some((set) => [...set].every((key) => keys.has(key)))) return "holds_a_failing_set";
    return [...keys].filter((key) => this.#absorbed.has(key)).length > 1 ? "absorbed" : undefined;
  }

  async #run(schedule: Schedule): Promise<Ran> {
    const ran = await this.#options.run(schedule);
    const keys = schedule.map(keyOf);
    this.#runsOfDepth[schedule.length - 1]! += 1;
    this.#behaviours.add(ran.behaviour);
    if (ran.hasFailed) this.#failing.push(new Set(keys));
    else if (ran.isAbsorbed && keys.length === 1) this.#absorbed.add(keys[0]!);
    this.#isOver ||= ran.isOver === true;
    return ran;
  }
}

/** What can go otherwise from the first, and what came up in a run. */
function withNew(first: readonly Deviation[], seen: readonly Deviation[]): Deviation[] {
  const known = new Set(first.map(keyOf));
  return [...first, ...seen.filter((one) => !known.has(keyOf(one)))];
}
