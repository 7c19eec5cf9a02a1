import { describe, expect, it } from "vitest";
import { atEndOfTick } from "../../src/core/time/end-of-tick.js";
import { afterPendingIo } from "../../src/core/time/timers.js";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";

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
