import { expect, it } from "vitest";
import type { Change, RecordPut } from "../../src/core/engine/records.js";
import {
  PendingWaits,
  type WaitCondition,
  type WaitEndReason,
  type WatchedChanges,
} from "../../src/core/namespace/watchers.js";
import { systemWallClock } from "../../src/core/time/wall-clock.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

function changeOf(...puts: RecordPut[]): Change {
  return { seq: 1, at: 0, puts, counters: {} };
}

/** A condition that counts its checks. */
class Counting implements WaitCondition<string> {
  around = 0;
  readonly seen: unknown[] = [];
  isSo = false;

  *checkAll(): Generator<undefined, void> {
    this.around++;
    yield;
  }

  checkChanges({ charges, deliveries, requests }: WatchedChanges<string>): unknown[] {
    this.seen.push([...charges, ...deliveries, ...requests]);
    return [];
  }

  isMet(): boolean {
    return this.isSo;
  }
}

const patience = (signal = new AbortController().signal) => ({ timeoutMs: 600_000, signal });

async function settle(): Promise<void> {
  for (let n = 0; n < 5; n++) await turn();
}

it("a wait checks only changes after its first check", async () => {
  const watchers = new PendingWaits<string>(systemWallClock);
  const watch = new Counting();
  const waiting = watchers.waitFor(watch, patience());
  await settle();
  watchers.onChange(changeOf(["charges", "ch_1", {}], ["quotes", "qt_1", {}]));
  watchers.onChange(changeOf(["deliveries", "dl_1", {}], ["charges", "ch_1", {}]));
  watchers.onRequest("a request");
  await settle();
  watchers.onChange(changeOf(["charges", "ch_2", null]));
  await settle();
  expect(watch.around).toBe(1);
  expect(watch.seen).toEqual([["ch_1", "dl_1", "a request"], ["ch_2"]]);
  watch.isSo = true;
  watchers.onWake();
  expect(await waiting).toBe("met");
});

it("a wait checks everything again when the state is replaced", async () => {
  const watchers = new PendingWaits<string>(systemWallClock);
  const watch = new Counting();
  const waiting = watchers.waitFor(watch, patience());
  await settle();
  watchers.startOver();
  await settle();
  expect(watch.around).toBe(2);
  watchers.close();
  expect(await waiting).toBe("closed");
  expect(await watchers.waitFor(watch, patience())).toBe("closed");
});

it("at most a thousand waits are open", async () => {
  const watchers = new PendingWaits<string>(systemWallClock);
  const watches = Array.from({ length: 1_000 }, () => ({
    watch: new Counting(),
    leaving: new AbortController(),
  }));
  const ends: Promise<WaitEndReason>[] = watches.map(({ watch, leaving }) =>
    watchers.waitFor(watch, patience(leaving.signal)),
  );
  expect(await watchers.waitFor(new Counting(), patience())).toBe("crowded");
  for (const { leaving } of watches) leaving.abort();
  expect(new Set(await Promise.all(ends))).toEqual(new Set(["left"]));
  watchers.onChange(changeOf(["charges", "ch_1", {}]));
  await settle();
  expect(watches.every(({ watch }) => watch.seen.length === 0)).toBe(true);
  expect(await watchers.waitFor(new Counting(), patience(watches[0]!.leaving.signal))).toBe("left");
});

it("a wait checks once more before its timeout", async () => {
  let timeIsUp = (): void => {};
  const watchers = new PendingWaits<string>({
    nowMs: () => 0,
    monotonicMs: () => 0,
    after: (_delay, callback) => {
      timeIsUp = callback;
      return () => {};
    },
  });
  const watch = new Counting();
  const waiting = watchers.waitFor(watch, patience());
  await settle();
  watchers.onChange(changeOf(["charges", "ch_1", {}]));
  timeIsUp();
  expect(await waiting).toBe("late");
  expect(watch.seen).toEqual([["ch_1"]]);
});

it("a check that throws ends only its own wait", async () => {
  const watchers = new PendingWaits<string>(systemWallClock);
  const broken = new Counting();
  broken.checkChanges = () => {
    throw new Error("broken");
  };
  const failing = watchers.waitFor(broken, patience());
  const watch = new Counting();
  const waiting = watchers.waitFor(watch, patience());
  await settle();
  watch.isSo = true;
  watchers.onChange(changeOf(["charges", "ch_1", {}]));
  await expect(failing).rejects.toThrow("broken");
  expect(await waiting).toBe("met");
});
