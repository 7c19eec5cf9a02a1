import { describe, expect, it } from "vitest";
import { type Deviation, keyOf, type Schedule } from "../../src/explore/schedule.js";
import { type Ran, search } from "../../src/explore/search.js";

const deviations = (count: number): Deviation[] =>
  Array.from({ length: count }, (_, index) => ({ kind: "answer_lost", at: `op#${index + 1}` }));

/** An app as a function: it fails when all of one of the sets go wrong, and absorbs some without a trace. */
function appOf({ failing = [], absorbed = [], more = {} }: App) {
  const runs: string[][] = [];
  const run = async (schedule: Schedule): Promise<Ran> => {
    const places = schedule.map(({ at }) => at);
    runs.push(places);
    const seen = places.filter((at) => !absorbed.includes(at));
    return {
      hasFailed: failing.some((set) => set.every((at) => places.includes(at))),
      behaviour: [...seen].sort().join(),
      isAbsorbed: seen.length === 0,
      deviations: places.flatMap((at) => (more[at] ?? []).map((one) => ({ kind: "answer_lost", at: one }))),
    };
  };
  return { runs, run };
}

interface App {
  readonly failing?: readonly (readonly string[])[];
  readonly absorbed?: readonly string[];
  readonly more?: Readonly<Record<string, readonly string[]>>;
}

const searched = async (app: App, options: Partial<Parameters<typeof search>[0]> = {}) => {
  const { runs, run } = appOf(app);
  const found = await search({
    depth: 2,
    first: deviations(4),
    areCompatible: () => true,
    isOver: () => false,
    run,
    ...options,
  });
  return { ...found, sets: runs.map((places) => [...places].sort().join("+")) };
};

describe("the search", () => {
  it("runs each set of up to so many once, the smallest first", async () => {
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

  it("runs no set that holds one which has failed", async () => {
    const { sets, saved } = await searched({ failing: [["op#2"], ["op#3", "op#4"]] }, { depth: 3 });
    expect(sets).toContain("op#3+op#4");
    expect(sets.filter((set) => set.includes("op#2"))).toEqual(["op#2"]);
    expect(sets).not.toContain("op#1+op#3+op#4");
    expect(saved.holds_a_failing_set).toBeGreaterThan(3);
  });

  it("does not combine what the app takes without a trace", async () => {
    const { sets, saved } = await searched({ absorbed: ["op#1", "op#2"] });
    expect(sets).not.toContain("op#1+op#2");
    expect(sets).toContain("op#1+op#3");
    expect(saved).toEqual({ holds_a_failing_set: 0, absorbed: 1 });
  });

  it("tries what comes up in a run, together with what brought it up", async () => {
    const { sets } = await searched({ more: { "op#4": ["op#9"] }, failing: [["op#4", "op#9"]] });
    expect(sets).toContain("op#4+op#9");
    expect(sets).not.toContain("op#9");
  });

  it("leaves out what cannot stand in one run, and two at one place", async () => {
    const { sets } = await searched(
      {},
      {
        first: [...deviations(2), { kind: "answer_5xx", at: "op#1" }],
        areCompatible: (one, other) => ![keyOf(one), keyOf(other)].includes("answer_lost op#2"),
      },
    );
    expect(sets).toEqual(["op#1", "op#2", "op#1"]);
  });

  it("says how far it came when there is no time left, or the app has gone", async () => {
    let left = 6;
    expect(await searched({}, { isOver: () => left-- === 0 })).toMatchObject({ completeDepth: 1, runs: 6 });
    const { run } = appOf({});
    const gone = async (schedule: Schedule) => ({ ...(await run(schedule)), isOver: true });
    expect(await searched({}, { run: gone })).toMatchObject({ completeDepth: 0, runs: 1 });
  });
});
