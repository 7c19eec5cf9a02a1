import { describe, expect, it } from "vitest";
import { type Deviation, type DeviationSet, deviationKey } from "../../src/tools/explore/deviation-set.js";
import { type SearchRunResult, searchDeviationSets, seededRandom } from "../../src/tools/explore/search.js";

const deviations = (count: number): Deviation[] =>
  Array.from({ length: count }, (_, index) => ({ kind: "response_lost", at: `op#${index + 1}` }));

/** Models an app that fails when every deviation of one of these sets occurs. */
function appOf({ failing = [], absorbed = [], more = {}, missing = {}, limit = Infinity }: App) {
  const runs: string[][] = [];
  const ranOf = (set: DeviationSet): SearchRunResult => {
    const places = set.map(({ at }) => at);
    runs.push(places);
    const seen = places.filter((at) => !absorbed.includes(at));
    return {
      hasFailed: failing.some((set) => set.every((at) => places.includes(at))),
      behaviour: [...seen].sort().join(),
      isAbsorbed: seen.length === 0,
      deviations: places.flatMap((at) => (more[at] ?? []).map((one) => ({ kind: "response_lost", at: one }))),
      canApply: ({ at }) => !places.some((place) => missing[place]?.includes(at)),
    };
  };
  const run = async (sets: readonly DeviationSet[]) => sets.slice(0, limit - runs.length).map(ranOf);
  return { runs, run };
}

interface App {
  readonly failing?: readonly (readonly string[])[];
  readonly absorbed?: readonly string[];
  readonly more?: Readonly<Record<string, readonly string[]>>;
  /** Calls that a deviation prevents. */
  readonly missing?: Readonly<Record<string, readonly string[]>>;
  /** Number of runs until the time is over. */
  readonly limit?: number;
}

const searched = async (app: App, options: Partial<Parameters<typeof searchDeviationSets>[0]> = {}) => {
  const { runs, run } = appOf(app);
  const found = await searchDeviationSets({
    depth: 2,
    initialDeviations: deviations(4),
    separationOf: () => undefined,
    onDepthEnd: async () => {},
    run,
    ...options,
  });
  return { ...found, sets: runs.map((places) => [...places].sort().join("+")) };
};

describe("the search", () => {
  it("tries each set of deviations once, smallest first", async () => {
    const { sets, runs, completeDepth, runsOfDepth, behaviours } = await searched({}, { depth: 3 });
    expect(new Set(sets).size).toBe(sets.length);
    expect({ runs, completeDepth, runsOfDepth, behaviours }).toEqual({
      runs: 4 + 6 + 4,
      completeDepth: 3,
      runsOfDepth: [4, 6, 4],
      behaviours: 14,
    });
    const sizes = sets.map((set) => set.split("+").length);
    expect(sizes).toEqual([...sizes].sort());
  });

  it("tries no set that contains a failed one", async () => {
    const { sets, saved } = await searched({ failing: [["op#2"], ["op#3", "op#4"]] }, { depth: 3 });
    expect(sets).toContain("op#3+op#4");
    expect(sets.filter((set) => set.includes("op#2"))).toEqual(["op#2"]);
    expect(sets).not.toContain("op#1+op#3+op#4");
    expect(saved.holds_a_failing_set).toBeGreaterThan(3);
  });

  it("does not combine deviations without effect", async () => {
    const { sets, saved } = await searched({ absorbed: ["op#1", "op#2"] });
    expect(sets).not.toContain("op#1+op#2");
    expect(sets).toContain("op#1+op#3");
    expect(saved).toEqual({ holds_a_failing_set: 0, absorbed: 1, alike: 0, independent: 0, unmet: 0 });
  });

  it("tries deviations that become possible during a run", async () => {
    const { sets } = await searched({ more: { "op#4": ["op#9"] }, failing: [["op#4", "op#9"]] });
    expect(sets).toContain("op#4+op#9");
    expect(sets).not.toContain("op#9");
  });

  it("skips a deviation that another one prevents", async () => {
    const app = { missing: { "op#3": ["op#1", "op#4"] } };
    const { sets, saved, completeDepth } = await searched(app, { depth: 3 });
    const left = sets.filter((set) => set !== "op#3" && set.includes("op#3"));
    expect(left).toEqual(["op#2+op#3"]);
    expect({ unmet: saved.unmet, completeDepth }).toEqual({ unmet: 5, completeDepth: 3 });
    const chance = { shuffleRandom: seededRandom("a") };
    expect((await searched(app, chance)).sets).toContain("op#3+op#4");
  });

  it("combines only the first of several deviations with the same effect", async () => {
    const kinds = ["request_lost", "response_5xx", "response_429", "response_lost"] as const;
    const first = [...kinds.map((kind): Deviation => ({ kind, at: "op#1" })), ...deviations(2).slice(1)];
    const runs: string[] = [];
    const run = async (sets: readonly DeviationSet[]) =>
      sets.map((set): SearchRunResult => {
        const key = set.map(deviationKey).join("+");
        runs.push(key);
        const behaviour = key.includes("response_429") ? "gives up" : set.map(({ at }) => at).join();
        const meets = () => true;
        return { hasFailed: false, behaviour, isAbsorbed: false, deviations: [], canApply: meets };
      });
    const { saved } = await searched({}, { initialDeviations: first, run });
    expect(runs.slice(first.length)).toEqual([
      "request_lost op#1+response_lost op#2",
      "response_429 op#1+response_lost op#2",
      "response_lost op#1+response_lost op#2",
    ]);
    expect(saved).toMatchObject({ alike: 1 });
  });

  it("skips deviations that exclude each other", async () => {
    const { sets } = await searched(
      {},
      {
        initialDeviations: [...deviations(2), { kind: "response_5xx", at: "op#1" }],
        separationOf: (one, other) =>
          [deviationKey(one), deviationKey(other)].includes("response_lost op#2") ? "impossible" : undefined,
      },
    );
    expect(sets).toEqual(["op#1", "op#2", "op#1"]);
  });

  it("reports its progress at the time limit, or when the app is gone", async () => {
    expect(await searched({ limit: 6 })).toMatchObject({ completeDepth: 1, runs: 6 });
    expect(await searched({ limit: 3 })).toMatchObject({ completeDepth: 0, runs: 3 });
    const { run } = appOf({});
    const gone = async (sets: readonly DeviationSet[]) =>
      (await run(sets)).slice(0, 1).map((ran) => ({ ...ran, isAppGone: true }));
    expect(await searched({}, { run: gone })).toMatchObject({ completeDepth: 0, runs: 1 });
  });

  it("does not combine deviations of different charges", async () => {
    const separationOf = (one: Deviation, other: Deviation) =>
      deviationKey(one) !== "response_lost op#4" && deviationKey(other) !== "response_lost op#4"
        ? "independent"
        : undefined;
    const { sets, saved } = await searched({}, { depth: 3, separationOf });
    expect(sets.slice(4).sort()).toEqual([
      ...["op#1+op#2+op#4", "op#1+op#3+op#4", "op#1+op#4"],
      ...["op#2+op#3+op#4", "op#2+op#4", "op#3+op#4"],
    ]);
    expect(saved.independent).toBe(3);
  });

  it("combines deviations when their effect is random", async () => {
    const all = { absorbed: ["op#1", "op#2", "op#3", "op#4"] };
    const { sets, saved } = await searched(all, { shuffleRandom: seededRandom("a") });
    expect({ sets: sets.length, saved: saved.absorbed }).toEqual({ sets: 10, saved: 0 });
    expect(sets).toEqual((await searched(all, { shuffleRandom: seededRandom("a") })).sets);
    expect(sets).not.toEqual((await searched(all, { shuffleRandom: seededRandom("b") })).sets);
  });

  it("reports a complete depth before it tries larger sets", async () => {
    const app = appOf({});
    let runsBefore = 0;
    const onDepthEnd = async () => void (runsBefore = app.runs.length);
    const { drawn } = await searched(
      {},
      { depth: 1, run: app.run, onDepthEnd, drawRandom: seededRandom("a") },
    );
    expect({ runsBefore, drawn }).toEqual({ runsBefore: 4, drawn: 11 });
  });

  it("tries random combinations until the time limit", async () => {
    const beyond = () => ({ drawRandom: seededRandom("a"), initialDeviations: deviations(6), depth: 1 });
    const { sets, drawn, runs, runsOfDepth } = await searched({}, beyond());
    expect({ drawn, runs, runsOfDepth }).toEqual({ drawn: 57, runs: 63, runsOfDepth: [6] });
    expect(new Set(sets).size).toBe(63);
    const some = await searched({ limit: 10 }, beyond());
    expect(some).toMatchObject({ completeDepth: 1, drawn: 4, runs: 10 });
    expect(some.sets).toEqual(sets.slice(0, 10));
    const onlyOne = {
      absorbed: deviations(6)
        .map(({ at }) => at)
        .filter((at) => at !== "op#3"),
    };
    const { sets: novel } = await searched(onlyOne, beyond());
    for (const set of novel.slice(6, 10)) expect(set).toMatch(/op#[13]/);
  });
});
