import { type Deviation, keyOf, likenessOf, type Schedule, scheduleKey } from "./schedule.js";

/** What came of one run. */
export interface Ran {
  readonly hasFailed: boolean;
  /** What the app did and said: what reacts alike is one behaviour. */
  readonly behaviour: string;
  /** The app took it without a trace: it did and said what it does in a plain run. */
  readonly isAbsorbed: boolean;
  /** What can go otherwise in such a run; some of it may be new. */
  readonly deviations: readonly Deviation[];
  /** Whether there is anything in such a run that it could go wrong with. */
  readonly meets: (deviation: Deviation) => boolean;
  /** The app has gone, or answers no more: there is nothing left to explore. */
  readonly isOver?: boolean;
}

/** Why two deviations need not stand in one run: it cannot be, or nothing could come of it that neither does alone. */
export type Apart = "impossible" | "independent";

export interface SearchOptions {
  /** So many deviations together, at most. */
  readonly depth: number;
  readonly first: readonly Deviation[];
  /** Carries them out side by side or one after the other; what came of each, fewer where it was interrupted. */
  readonly run: (schedules: readonly Schedule[]) => Promise<readonly Ran[]>;
  /** So many are handed over at a time. */
  readonly atATime?: number;
  /** Whether two need not stand in one run. */
  readonly apart: (one: Deviation, other: Deviation) => Apart | undefined;
  /** Whether there is no time left. */
  readonly isOver: () => boolean;
  /**
   * A number from 0 to 1, another each time. With it, what an app takes without a trace is combined all the same, and
   * in an order by chance: it does not do the same each time.
   */
  readonly shuffledBy?: (() => number) | undefined;
  /** When all is done: sets that are larger still, until the time is over, drawn by such numbers. */
  readonly beyond?: (() => number) | undefined;
}

/** What was done, and what need not be. */
export interface Searched {
  /** All sets of so many have been run, but for those left out with a reason. */
  readonly completeDepth: number;
  readonly runs: number;
  readonly runsOfDepth: readonly number[];
  /** Of them so many were drawn, larger than the depth. */
  readonly drawn: number;
  readonly behaviours: number;
  /** Sets that were not run, by why. */
  readonly saved: Readonly<Record<Saving, number>>;
}

/**
 * A set has one in it that fails by itself, or that the app takes as it does another of its kind, or two that it takes
 * without a trace, or that concern other charges, or one that meets nothing where the others go otherwise: it would be
 * the run without it.
 */
export type Saving = "holds_a_failing_set" | "absorbed" | "alike" | "independent" | "unmet";

/** Runs all sets of 1, 2, … deviations, smallest first, so that a set which fails has no smaller one in it that does. */
export function search(options: SearchOptions): Promise<Searched> {
  return new Search(options).all();
}

/** A set that has been run and has not failed, and what may go otherwise besides. */
interface Base {
  readonly schedule: Schedule;
  readonly more: readonly Deviation[];
}

/** So often in a row nothing new is drawn: there is hardly anything left. */
const MOST_IN_VAIN = 1_000;

class Search {
  readonly #options: SearchOptions;
  readonly #tried = new Set<string>();
  readonly #failing: ReadonlySet<string>[] = [];
  readonly #absorbed = new Set<string>();
  /** Sets that came to what another did that differs in a kind of the same likeness. */
  readonly #alike: ReadonlySet<string>[] = [];
  readonly #reactions = new Set<string>();
  /** What each set that has been run has met. */
  readonly #meets = new Map<string, Ran["meets"]>();
  readonly #behaviours = new Set<string>();
  readonly #saved = { holds_a_failing_set: 0, absorbed: 0, alike: 0, independent: 0, unmet: 0 };
  readonly #runsOfDepth: number[] = [];
  /** Sets that were the first to make the app do something. */
  readonly #novel: Base[] = [];
  #runs = 0;
  #isOver = false;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  async all(): Promise<Searched> {
    const { depth, first, beyond } = this.#options;
    let bases: Base[] = [{ schedule: [], more: first }];
    let completeDepth = 0;
    for (let size = 1; size <= depth && !this.#isOver; size++) {
      this.#runsOfDepth.push(0);
      bases = await this.#carriedOut(this.#inOrder(this.#extended(bases)));
      if (!this.#isOver) completeDepth = size;
    }
    const runsOfDepth = [...this.#runsOfDepth];
    const inAll = this.#runs;
    if (beyond !== undefined) await this.#drawn(beyond);
    return {
      completeDepth,
      runs: this.#runs,
      runsOfDepth,
      drawn: this.#runs - inAll,
      behaviours: this.#behaviours.size,
      saved: this.#saved,
    };
  }

  /** Each with one deviation more. What comes of one set of a size says nothing of another. */
  #extended(bases: readonly Base[]): Schedule[] {
    return bases.flatMap(({ schedule, more }) =>
      more.filter((one) => this.#isWorthIt(schedule, one)).map((one) => [...schedule, one]),
    );
  }

  #inOrder(schedules: Schedule[]): Schedule[] {
    const { shuffledBy } = this.#options;
    if (shuffledBy === undefined) return schedules;
    const drawn = schedules.map((schedule) => ({ schedule, at: shuffledBy() }));
    return drawn.sort((a, b) => a.at - b.at).map(({ schedule }) => schedule);
  }

  /** Those that have not failed, and what can go otherwise in each. */
  async #carriedOut(schedules: readonly Schedule[]): Promise<Base[]> {
    const { first, atATime = 1, run, isOver } = this.#options;
    const bases: Base[] = [];
    for (let at = 0; at < schedules.length; at += atATime) {
      this.#isOver ||= isOver();
      if (this.#isOver) break;
      const some = schedules.slice(at, at + atATime);
      const ran = await run(some);
      this.#isOver ||= ran.length < some.length;
      for (const [index, one] of ran.entries()) {
        const schedule = some[index]!;
        const isNovel = this.#noted(schedule, one);
        if (one.hasFailed) continue;
        const base = { schedule, more: withNew(first, one.deviations) };
        bases.push(base);
        if (isNovel) this.#novel.push(base);
      }
    }
    return bases;
  }

  /** Larger sets by chance: the likeliest are those with one in it that made the app do what it had not done before. */
  async #drawn(chance: () => number): Promise<void> {
    const { atATime = 1 } = this.#options;
    while (!this.#isOver && this.#novel.length > 0) {
      const drawn: Schedule[] = [];
      for (let vain = 0; drawn.length < atATime && vain < MOST_IN_VAIN; vain++)
        drawn.push(...this.#oneDrawn(chance));
      if (drawn.length === 0) return;
      await this.#carriedOut(drawn);
    }
  }

  /** One that is larger than all that have been run as a whole, if it is worth it. */
  #oneDrawn(chance: () => number): Schedule[] {
    const one = <Item>(of: readonly Item[]): Item | undefined => of[Math.floor(chance() * of.length)];
    const newest = Math.floor(chance() ** 2 * this.#novel.length);
    const { schedule: base, more } = this.#novel.at(-1 - newest)!;
    const size = Math.max(this.#options.depth, base.length) + 1;
    let schedule = base;
    while (schedule.length < size - 1) {
      const next = one(more.filter((deviation) => this.#apart(schedule, deviation) !== "impossible"));
      if (next === undefined) return [];
      schedule = [...schedule, next];
    }
    const last = one(more);
    return last !== undefined && this.#isWorthIt(schedule, last) ? [[...schedule, last]] : [];
  }

  #apart(base: Schedule, deviation: Deviation): Apart | undefined {
    if (base.some((one) => one.at === deviation.at)) return "impossible";
    const all = base.map((one) => this.#options.apart(one, deviation));
    if (all.includes("impossible")) return "impossible";
    // What connects two of them may be a third.
    return all.length > 0 && all.every((why) => why === "independent") ? "independent" : undefined;
  }

  #isWorthIt(base: Schedule, deviation: Deviation): boolean {
    const apart = this.#apart(base, deviation);
    if (apart === "impossible") return false;
    const schedule = [...base, deviation];
    const key = scheduleKey(schedule);
    if (this.#tried.has(key)) return false;
    this.#tried.add(key);
    const saving = apart ?? this.#savingOf(schedule);
    if (saving !== undefined) this.#saved[saving]++;
    return saving === undefined;
  }

  #savingOf(schedule: Schedule): Saving | undefined {
    const keys = new Set(schedule.map(keyOf));
    const holds = (set: ReadonlySet<string>) => [...set].every((key) => keys.has(key));
    if (this.#failing.some(holds)) return "holds_a_failing_set";
    if (this.#options.shuffledBy !== undefined) return undefined;
    if ([...keys].filter((key) => this.#absorbed.has(key)).length > 1) return "absorbed";
    if (this.#alike.some(holds)) return "alike";
    return schedule.some((one) => this.#isUnmet(one, schedule)) ? "unmet" : undefined;
  }

  /** The run of the others is known, and has nothing in it for the one to go wrong with: with it, it would be the same. */
  #isUnmet(one: Deviation, schedule: Schedule): boolean {
    const meets = this.#meets.get(scheduleKey(schedule.filter((other) => other !== one)));
    if (meets === undefined || meets(one)) return false;
    this.#meets.set(scheduleKey(schedule), meets);
    return true;
  }

  /** Whether the app did what it did when one of it was of another kind that it may take alike. */
  #isLikeAnother(schedule: Schedule, { behaviour }: Ran): boolean {
    const reactions = schedule.flatMap((one) => {
      const likeness = likenessOf(one);
      const others = scheduleKey(schedule.filter((other) => other !== one));
      return likeness === undefined ? [] : [[likeness, others, behaviour].join("\n\n")];
    });
    const isKnown = reactions.some((reaction) => this.#reactions.has(reaction));
    for (const reaction of reactions) this.#reactions.add(reaction);
    return isKnown;
  }

  /** Whether the app did what it had not done before. */
  #noted(schedule: Schedule, ran: Ran): boolean {
    const keys = schedule.map(keyOf);
    const size = schedule.length - 1;
    this.#runs++;
    this.#runsOfDepth[size] = (this.#runsOfDepth[size] ?? 0) + 1;
    const isNovel = !this.#behaviours.has(ran.behaviour);
    this.#behaviours.add(ran.behaviour);
    this.#meets.set(scheduleKey(schedule), ran.meets);
    if (ran.hasFailed) this.#failing.push(new Set(keys));
    else {
      if (ran.isAbsorbed && keys.length === 1) this.#absorbed.add(keys[0]!);
      if (this.#isLikeAnother(schedule, ran)) this.#alike.push(new Set(keys));
    }
    this.#isOver ||= ran.isOver === true;
    return isNovel;
  }
}

/** What can go otherwise from the first, and what came up in a run. */
function withNew(first: readonly Deviation[], seen: readonly Deviation[]): Deviation[] {
  const known = new Set(first.map(keyOf));
  return [...first, ...seen.filter((one) => !known.has(keyOf(one)))];
}
