import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { AppActivity } from "../../src/core/time/app-activity.js";
import type { WallClock } from "../../src/core/time/wall-clock.js";

const NONE = { waits: 0, calls: 0, longest_ms: 0, restless: 0 };

/** A wall clock of a process that is paused before each of its timers. */
class PausedWall {
  #nowMs = 0;
  readonly #timers: { readonly delayMs: number; readonly callback: () => void }[] = [];

  nowMs = () => this.#nowMs;

  after = (delayMs: number, callback: () => void) => {
    this.#timers.push({ delayMs, callback });
    return () => {};
  };

  /** Runs the timers that are set, some time too late. */
  async turn(lateMs: number): Promise<void> {
    for (const { delayMs, callback } of this.#timers.splice(0)) {
      this.#nowMs += delayMs + lateMs;
      callback();
    }
    await nextTurn();
  }
}

/** Returns the number of turns of the process until the app counts as quiet. */
async function turnsUntilQuiet(lateMs: number, onTurn: (turn: number, activity: AppActivity) => void) {
  const wall = new PausedWall();
  const activity = new AppActivity(wall as unknown as WallClock);
  let report: typeof NONE | undefined;
  const waiting = activity.waitUntilQuiet(50, NONE, () => false).then((one) => (report = one));
  let turns = 0;
  while (report === undefined) {
    onTurn(++turns, activity);
    await wall.turn(lateMs);
  }
  return { turns, report: await waiting };
}

it("an app is quiet when no call has come for the whole period", async () => {
  const { turns, report } = await turnsUntilQuiet(0, () => {});
  expect([turns, report]).toEqual([10, { ...NONE, waits: 1 }]);
});

it("a call begins the period again", async () => {
  const { turns, report } = await turnsUntilQuiet(0, (turn, activity) => {
    if (turn === 8) activity.noteEnd({ fault: null, status: 200 });
  });
  expect([turns, report]).toEqual([17, { ...NONE, waits: 1, calls: 1, longest_ms: 35 }]);
});

it("a pause of the process does not count as quiet: the app's call is read after it", async () => {
  const { report } = await turnsUntilQuiet(1_000, (turn, activity) => {
    if (turn === 4) activity.noteEnd({ fault: null, status: 200 });
  });
  expect(report).toMatchObject({ calls: 1, restless: 0 });
});
