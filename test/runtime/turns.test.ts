import { describe, expect, it } from "vitest";
import { atEndOfTick } from "../../src/core/time/end-of-tick.js";
import { afterPendingIo } from "../../src/core/time/timers.js";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";
import { WorkQueue } from "../../src/core/time/work-queue.js";

describe("turns", () => {
  it("lets one through in each turn of the event loop, in the order they came", async () => {
    const turns = new WorkQueue();
    const done: number[] = [];
    const all = Array.from({ length: 5 }, (_, index) => turns.waitForTurn().then(() => done.push(index)));
    const seen: number[] = [];
    while (done.length < 5) {
      await yieldToEventLoop();
      seen.push(done.length);
    }
    await Promise.all(all);
    expect(done).toEqual([0, 1, 2, 3, 4]);
    for (const [index, count] of seen.entries())
      expect(count - (seen[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  it("takes thousands, and goes on after a rest", async () => {
    const turns = new WorkQueue();
    let count = 0;
    const take = (many: number) =>
      Promise.all(Array.from({ length: many }, () => turns.waitForTurn().then(() => count++)));
    await take(3_000);
    expect(count).toBe(3_000);
    await take(2);
    expect(count).toBe(3_002);
  });

  it("keeps the pieces apart while the API is being called, and no longer", async () => {
    let nowMs = 1_000;
    const pauses: { delayMs: number; end: () => void }[] = [];
    const turns = new WorkQueue(
      () => nowMs,
      (delayMs) => new Promise((end) => pauses.push({ delayMs, end })),
    );
    let count = 0;
    const take = () => void turns.waitForTurn().then(() => count++);
    for (let waiting = 0; waiting < 4; waiting++) take();
    await yieldToEventLoop();
    expect(count).toBe(1);
    turns.noteCall();
    await yieldToEventLoop();
    // The turn that was planned before the call is over; from then on a pause is made for each.
    expect(pauses.map(({ delayMs }) => delayMs)).toEqual([1]);
    const before = count;
    for (let loop = 0; loop < 10; loop++) await yieldToEventLoop();
    expect(count).toBe(before);
    nowMs += 1;
    pauses[0]!.end();
    await yieldToEventLoop();
    expect(count).toBe(before + 1);
    nowMs += 5;
    pauses[1]!.end();
    while (count < 4) await yieldToEventLoop();
    expect(pauses).toHaveLength(2);
  });
});

/** Runs in a turn of its own, from its beginning. */
async function inATurn(run: () => void): Promise<void> {
  await yieldToEventLoop();
  await new Promise<void>((resolve) => setTimeout(resolve));
  run();
}

describe("the end of a turn of the event loop", () => {
  it("comes after what goes on at once, to all who wait for it in their order", async () => {
    const seen: string[] = [];
    await inATurn(() => {
      atEndOfTick(() => seen.push("first"));
      atEndOfTick(() => seen.push("second"));
      process.nextTick(() => seen.push("next tick"));
      void Promise.resolve().then(() => seen.push("promise"));
    });
    await yieldToEventLoop();
    expect(seen.slice(-2)).toEqual(["first", "second"]);
    expect(seen.slice(0, 2).sort()).toEqual(["next tick", "promise"]);
  });

  it("is the same for what is asked for by then, after all that waited has been done", async () => {
    const seen: string[] = [];
    const step = async (name: string) => {
      await new Promise<void>((resolve) => atEndOfTick(resolve));
      seen.push(`${name} done`);
      atEndOfTick(() => seen.push(`${name} kept`));
    };
    await inATurn(() => {
      void step("a");
      void step("b");
      afterPendingIo(() => seen.push("later in this turn"));
    });
    await yieldToEventLoop();
    expect(seen).toEqual(["a done", "b done", "a kept", "b kept", "later in this turn"]);
  });

  it("comes to the others, too, when one of them fails, and that is heard", async () => {
    const ours = process.listeners("uncaughtException");
    const heard = new Promise<unknown>((resolve) => {
      process.removeAllListeners("uncaughtException").once("uncaughtException", resolve);
    });
    const seen: string[] = [];
    try {
      await inATurn(() => {
        atEndOfTick(() => {
          throw new Error("disk gone");
        });
        atEndOfTick(() => seen.push("the other"));
      });
      expect(await heard).toEqual(new Error("disk gone"));
    } finally {
      for (const listener of ours) process.on("uncaughtException", listener);
    }
    expect(seen).toEqual(["the other"]);
  });
});
