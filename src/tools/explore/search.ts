import { createHash } from "node:crypto";
import { type Deviation, type DeviationSet, deviationKey, deviationSetKey } from "./deviation-set.js";
import type { ExploreReport, SkipReason } from "./exploration.js";
import { DEVIATION_KIND_DEFINITIONS } from "./kinds.js";
import type { SeparationReason } from "./known-deviations.js";

export interface SearchRunResult {
  readonly hasFailed: boolean;
  /** The app's calls, responses and end, as `behaviourOf` describes them. */
  readonly behaviour: string;
  /** The app behaved as in a plain run. */
  readonly isAbsorbed: boolean;
  readonly deviations: readonly Deviation[];
  readonly canApply: (deviation: Deviation) => boolean;
  readonly isUnjudged?: boolean;
  /** The app is gone, no longer responds or no longer passes a plain run, so the search ends. */
  readonly isAppGone?: boolean;
}

export interface SearchOptions {
  /** Maximum number of deviations in a set. */
  readonly depth: number;
  readonly initialDeviations: readonly Deviation[];
  /** Runs sets; returns their results in the same order, or fewer results if the time is over. */
  readonly run: (sets: readonly DeviationSet[]) => Promise<readonly SearchRunResult[]>;
  readonly separationOf: (one: Deviation, other: Deviation) => SeparationReason | undefined;
  /** Present if plain runs differ. The search then shuffles sets and skips no set as `absorbed`, `alike` or `unmet`. */
  readonly shuffleRandom?: (() => number) | undefined;
  /** Called when all single deviations are done. */
  readonly onSingles?: () => Promise<void>;
  /** Called when all sets up to the depth are done, before larger ones are drawn. */
  readonly onDepthEnd: () => Promise<void>;
  /** Present with the depth `max`: draws sets larger than the depth until the budget is over. */
  readonly drawRandom?: (() => number) | undefined;
}

export interface SearchResult extends Pick<ExploreReport, "runs" | "drawn" | "behaviours" | "saved"> {
  /** All sets up to this size have been run or skipped. */
  readonly completeDepth: number;
  readonly runsOfDepth: readonly number[];
  readonly unjudged: number;
  /** Number of sets that the next depth would run, as far as it is known. */
  readonly morePairs: number;
}

/** Runs all sets of 1, 2, … deviations, smallest first, so that no reported set contains a smaller one that fails. */
export function searchDeviationSets(options: SearchOptions): Promise<SearchResult> {
  return new Search(options).run();
}

/** Returns a generator of numbers from 0 to 1, the same for the same seed. */
export function seededRandom(seed: string): () => number {
  let count = 0;
  return () => createHash("sha256").update(`${seed}\0${count++}`).digest().readUInt32BE() / 2 ** 32;
}

/** A set that has passed, and the deviations that can extend it. */
interface Base {
  readonly set: DeviationSet;
  readonly more: readonly Deviation[];
}

/** Number of sets that are drawn before they are run, so that runs can be concurrent. */
const DRAWN_TOGETHER = 16;
/** Drawing ends after this many draws without a new set. */
const MAX_VAIN_DRAWS = 1_000;

class Search {
  readonly #options: SearchOptions;
  readonly #tried = new Set<string>();
  readonly #failing: (readonly string[])[] = [];
  readonly #absorbed = new Set<string>();
  /** Sets that behaved like an earlier set. The sets differ in one deviation's kind. The kinds share a `likeness`. */
  readonly #alike: (readonly string[])[] = [];
  readonly #reactions = new Set<string>();
  readonly #meets = new Map<string, SearchRunResult["canApply"]>();
  readonly #behaviours = new Set<string>();
  readonly #skipped = { holds_a_failing_set: 0, absorbed: 0, alike: 0, independent: 0, unmet: 0 };
  readonly #runsOfDepth: number[] = [];
  /** Sets that were the first to show a behaviour. */
  readonly #novel: Base[] = [];
  #runs = 0;
  #unjudged = 0;
  #hasEnded = false;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  async run(): Promise<SearchResult> {
    const { depth, initialDeviations, onSingles, onDepthEnd, drawRandom } = this.#options;
    let bases: Base[] = [{ set: [], more: initialDeviations }];
    let completeDepth = 0;
    for (let size = 1; size <= depth && !this.#hasEnded; size++) {
      this.#runsOfDepth.push(0);
      this.#unjudged = 0;
      bases = await this.#runAll(this.#shuffle(this.#extend(bases)));
      this.#hasEnded ||= this.#unjudged * 2 > this.#runsOfDepth.at(-1)!;
      if (!this.#hasEnded) completeDepth = size;
      if (size === 1 && !this.#hasEnded) await onSingles?.();
    }
    const [runsOfDepth, unjudged] = [[...this.#runsOfDepth], this.#unjudged];
    const exhaustiveRuns = this.#runs;
    const morePairs = depth === 1 ? this.#countExtensions(bases) : 0;
    await onDepthEnd();
    if (drawRandom !== undefined) await this.#runDrawn(drawRandom);
    return {
      completeDepth,
      runs: this.#runs,
      runsOfDepth,
      unjudged,
      morePairs,
      drawn: this.#runs - exhaustiveRuns,
      behaviours: this.#behaviours.size,
      saved: this.#skipped,
    };
  }

  #extend(bases: readonly Base[]): DeviationSet[] {
    return bases.flatMap(({ set, more }) =>
      more.filter((one) => this.#isWorthRunning(set, one)).map((one) => [...set, one]),
    );
  }

  #countExtensions(bases: readonly Base[]): number {
    const met = new Set<string>();
    let count = 0;
    for (const { set, more } of bases)
      for (const one of more) {
        const extended = [...set, one];
        const key = deviationSetKey(extended);
        // The order of two deviations decides nothing.
        if (met.has(key)) continue;
        met.add(key);
        if (this.#separation(set, one) === undefined && this.#skipReasonOf(extended) === undefined) count++;
      }
    return count;
  }

  #shuffle(sets: DeviationSet[]): DeviationSet[] {
    const { shuffleRandom } = this.#options;
    // Single deviations keep their order: the ends that others are compared with come first.
    if (shuffleRandom === undefined || sets.every((set) => set.length === 1)) return sets;
    const drawn = sets.map((set) => ({ set, at: shuffleRandom() }));
    return drawn.sort((a, b) => a.at - b.at).map(({ set }) => set);
  }

  async #runAll(sets: readonly DeviationSet[]): Promise<Base[]> {
    const { initialDeviations, run } = this.#options;
    const results = await run(sets);
    this.#hasEnded ||= results.length < sets.length;
    return results.flatMap((result, index) => {
      const set = sets[index]!;
      const isNovel = this.#record(set, result);
      if (result.hasFailed) return [];
      const base = { set, more: withNew(initialDeviations, result.deviations) };
      if (isNovel) this.#novel.push(base);
      return [base];
    });
  }

  /** Runs random sets larger than the depth, mostly extensions of the latest sets that showed a new behaviour. */
  async #runDrawn(random: () => number): Promise<void> {
    while (!this.#hasEnded && this.#novel.length > 0) {
      const drawn: DeviationSet[] = [];
      for (let vain = 0; drawn.length < DRAWN_TOGETHER && vain < MAX_VAIN_DRAWS; vain++)
        drawn.push(...this.#draw(random));
      if (drawn.length === 0) return;
      await this.#runAll(drawn);
    }
  }

  /** Draws one set; returns none if the set is not worth running. */
  #draw(random: () => number): DeviationSet[] {
    const pick = <Item>(of: readonly Item[]): Item | undefined => of[Math.floor(random() * of.length)];
    const newest = Math.floor(random() ** 2 * this.#novel.length);
    const { set: base, more } = this.#novel.at(-1 - newest)!;
    const size = Math.max(this.#options.depth, base.length) + 1;
    let set = base;
    while (set.length < size - 1) {
      const next = pick(more.filter((deviation) => this.#separation(set, deviation) !== "impossible"));
      if (next === undefined) return [];
      set = [...set, next];
    }
    const last = pick(more);
    return last !== undefined && this.#isWorthRunning(set, last) ? [[...set, last]] : [];
  }

  #separation(base: DeviationSet, deviation: Deviation): SeparationReason | undefined {
    if (base.some((one) => one.at === deviation.at)) return "impossible";
    const all = base.map((one) => this.#options.separationOf(one, deviation));
    if (all.includes("impossible")) return "impossible";
    // Skips a set only if the new deviation is independent of every other deviation of the set.
    return all.length > 0 && all.every((one) => one === "independent") ? "independent" : undefined;
  }

  #isWorthRunning(base: DeviationSet, deviation: Deviation): boolean {
    const separation = this.#separation(base, deviation);
    if (separation === "impossible") return false;
    const set = [...base, deviation];
    const key = deviationSetKey(set);
    if (this.#tried.has(key)) return false;
    this.#tried.add(key);
    const skipReason = separation ?? this.#skipReasonOf(set);
    if (skipReason !== undefined) this.#skipped[skipReason]++;
    return skipReason === undefined;
  }

  #skipReasonOf(set: DeviationSet): SkipReason | undefined {
    const keys = set.map(deviationKey);
    const holds = (failing: readonly string[]) => failing.every((key) => keys.includes(key));
    if (this.#failing.some(holds)) return "holds_a_failing_set";
    if (this.#options.shuffleRandom !== undefined) return undefined;
    if (keys.filter((key) => this.#absorbed.has(key)).length > 1) return "absorbed";
    if (this.#alike.some(holds)) return "alike";
    return set.some((one) => this.#isUnmet(one, set)) ? "unmet" : undefined;
  }

  #isUnmet(one: Deviation, set: DeviationSet): boolean {
    const meets = this.#meets.get(deviationSetKey(set.filter((other) => other !== one)));
    if (meets === undefined || meets(one)) return false;
    this.#meets.set(deviationSetKey(set), meets);
    return true;
  }

  /** Returns true if the set behaved like an earlier set, in the sense of `#alike`. Remembers the set's behaviour. */
  #isLikeAnother(set: DeviationSet, { behaviour }: SearchRunResult): boolean {
    const reactions = set.flatMap((one) => {
      const { likeness } = DEVIATION_KIND_DEFINITIONS[one.kind];
      const others = deviationSetKey(set.filter((other) => other !== one));
      return likeness === undefined ? [] : [[`${likeness} ${one.at}`, others, behaviour].join("\n\n")];
    });
    const isKnown = reactions.some((reaction) => this.#reactions.has(reaction));
    for (const reaction of reactions) this.#reactions.add(reaction);
    return isKnown;
  }

  /** Records a result; returns true if its behaviour is new. */
  #record(set: DeviationSet, result: SearchRunResult): boolean {
    const keys = set.map(deviationKey);
    const index = set.length - 1;
    this.#runs++;
    this.#runsOfDepth[index] = (this.#runsOfDepth[index] ?? 0) + 1;
    if (result.isUnjudged) this.#unjudged++;
    const isNovel = !this.#behaviours.has(result.behaviour);
    this.#behaviours.add(result.behaviour);
    this.#meets.set(deviationSetKey(set), result.canApply);
    if (result.hasFailed) this.#failing.push(keys);
    else {
      if (result.isAbsorbed && keys.length === 1) this.#absorbed.add(keys[0]!);
      if (this.#isLikeAnother(set, result)) this.#alike.push(keys);
    }
    this.#hasEnded ||= result.isAppGone === true;
    return isNovel;
  }
}

/** Appends the deviations that no plain run offered, such as a deviation of a retry. */
function withNew(first: readonly Deviation[], found: readonly Deviation[]): Deviation[] {
  const known = new Set(first.map(deviationKey));
  return [...first, ...found.filter((one) => !known.has(deviationKey(one)))];
}
