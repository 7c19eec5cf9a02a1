import { expect, it } from "vitest";
import { HeapGuard } from "../../src/core/namespace/heap-guard.js";
import { InsufficientSpaceError } from "../../src/core/schema/unavailable.js";
import type { HeapUse } from "../../src/core/time/heap-watch.js";

/** A guard of a heap of 100 bytes, that has begun to watch it. */
async function guarded() {
  const told: unknown[] = [];
  const heap = { liveBytes: 0, measured: 0 };
  let note: ((use: HeapUse) => void) | undefined;
  const use = () => ({ liveBytes: heap.liveBytes, limitBytes: 100 });
  const measure = () => {
    heap.measured++;
    return use();
  };
  const guard = new HeapGuard(
    (error) => told.push(error),
    async () => ({
      watchHeap(noteUse) {
        note = noteUse;
        return { measure, close: () => {} };
      },
    }),
  );
  while (note === undefined) {
    guard.check();
    await Promise.resolve();
  }
  const collected = (liveBytes: number) => {
    heap.liveBytes = liveBytes;
    note?.(use());
  };
  return { guard, told, heap, collected };
}

it("refuses from seven tenths on, says so once, and takes changes again when a good part is free", async () => {
  const { guard, told, collected } = await guarded();
  collected(70);
  guard.check();
  collected(71);
  expect(() => guard.check()).toThrow(InsufficientSpaceError);
  collected(66);
  expect(() => guard.check()).toThrow(InsufficientSpaceError);
  expect(told).toHaveLength(1);
  collected(65);
  guard.check();
  collected(71);
  expect(() => guard.check()).toThrow(InsufficientSpaceError);
  expect(told).toHaveLength(2);
});

it("measures after a reset only when it would refuse, and then once", async () => {
  const { guard, heap, collected } = await guarded();
  guard.noteFreed();
  guard.check();
  expect(heap.measured).toBe(0);
  collected(90);
  heap.liveBytes = 85;
  expect(() => guard.check()).toThrow(InsufficientSpaceError);
  expect(() => guard.check()).toThrow(InsufficientSpaceError);
  expect(heap.measured).toBe(1);
  heap.liveBytes = 20;
  guard.noteFreed();
  guard.check();
  expect(heap.measured).toBe(2);
});
