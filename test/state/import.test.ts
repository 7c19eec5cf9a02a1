import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import type { StateDump } from "../../src/core/engine/records.js";
import { COLLECTION_NAMES, type CollectionName } from "../../src/core/schema/records/collection-names.js";
import { temporaryFolder } from "../support/folders.js";
import { type Mutation, mutate, mutation } from "./mutations.js";
import { busyExports, carryOn, type Json, type Opened, opened, sweep } from "./world.js";

/** Set the variable to test more broken states. */
const RUNS = Number(process.env.PAYMENTS_SANDBOX_STATE_RUNS ?? 75);
const SEED = Number(process.env.PAYMENTS_SANDBOX_STATE_SEED ?? 2026);

let exports: StateDump[];
beforeAll(async () => {
  exports = await busyExports();
});

const wrongs = fc.array(mutation, { minLength: 1, maxLength: 3 });
const which = fc.nat(100);

/** Returns a broken export and what was changed. */
function broken(number: number, mutations: readonly Mutation[]): { state: Json; what: string[] } {
  const state: Json = structuredClone(exports[number % exports.length]);
  const what: string[] = [];
  for (const one of mutations) {
    const collections: Json[] = Object.values(state.collections ?? {});
    const isEntry = (entry: Json) =>
      Array.isArray(entry) && typeof entry[1] === "object" && entry[1] !== null;
    if (!collections.every((entries) => Array.isArray(entries) && entries.every(isEntry))) break;
    if (!collections.some((entries) => entries.length > 0)) break;
    what.push(mutate(state, one));
  }
  return { state, what };
}

const withoutClock = (state: Json) => ({
  ...state,
  seq: 0,
  collections: { ...state.collections, clock: [] },
});

/** Removes what a restart replaces. */
const withoutOwn = (state: Json) => {
  const { collections, at: _at, ...rest } = withoutClock(state);
  return { ...rest, collections: { ...collections, scenarios: [] } };
};

/** Imports a state, which is either refused or works in all later calls. */
async function takeIn(world: Opened, state: Json): Promise<boolean> {
  const { client, sandbox, errors } = world;
  const before = withoutClock(sandbox.snapshot());
  const { status, json } = await client.ask("PUT /_sandbox/state", state);
  if (status !== 200) {
    expect([status, json.error?.code]).toEqual([400, "VALIDATION_ERROR"]);
    const places = Object.keys(json.error.details);
    expect(places.length).toBeGreaterThan(0);
    expect(places.length).toBeLessThanOrEqual(20);
    expect(withoutClock(sandbox.snapshot())).toEqual(before);
    return false;
  }
  await sweep(world);
  await carryOn(world);
  for (const target of [{ by: "1h" }, { by: "366d" }, { until: "idle" }]) {
    const answer = await client.advance(target);
    expect([200, 400]).toContain(answer.status);
  }
  await sweep(world);
  expect(errors).toEqual([]);
  return true;
}

/** Adds the mutations to an error message. */
async function explaining<Result>(what: readonly string[], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${what.join(", ")}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

it("an export contains every type of record and task", () => {
  const isEmpty = (name: CollectionName) => exports.every((state) => state.collections[name].length === 0);
  expect(COLLECTION_NAMES.filter(isEmpty)).toEqual([]);
  const kinds = new Set(exports.flatMap((state) => state.collections.tasks.map(([, { kind }]) => kind)));
  expect([...kinds].sort()).toEqual(["attempt", "expire", "settle", "timeline", "withdrawal"]);
});

it("an imported state equals the exported one", async () => {
  for (const state of exports) {
    await using world = await opened();
    expect(await takeIn(world, state)).toBe(true);
  }
});

it("a damaged state is either refused, or imported and usable", { timeout: 3_600_000 }, async () => {
  const tally = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(which, wrongs, async (number, mutations) => {
      const { state, what } = broken(number, mutations);
      await using world = await opened();
      const isTaken = await explaining(what, () => takeIn(world, state));
      tally[isTaken ? "taken" : "refused"]++;
    }),
    { numRuns: RUNS, seed: SEED },
  );
  expect(tally.refused).toBeGreaterThan(RUNS / 4);
  expect(tally.taken).toBeGreaterThan(RUNS / 40);
});

it("a broken data file is refused or survives a restart", { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(which, wrongs, async (number, mutations) => {
      const { state, what } = broken(number, mutations);
      const data = `${temporaryFolder()}/data.json`;
      let kept: Json;
      {
        await using world = await opened(data);
        await world.client.ask("PUT /_sandbox/state", state);
        // Runs due tasks before the restart.
        await world.client.ask("GET /_sandbox");
        await world.sandbox.settled();
        kept = world.sandbox.snapshot();
      }
      await explaining(what, async () => {
        await using again = await opened(data, "");
        expect(withoutOwn(again.sandbox.snapshot())).toEqual(withoutOwn(kept));
        await sweep(again);
        expect((await again.client.advance({ by: "366d" })).status).toBe(200);
        expect(again.errors).toEqual([]);
      });
    }),
    { numRuns: Math.ceil(RUNS / 5), seed: SEED },
  );
});
