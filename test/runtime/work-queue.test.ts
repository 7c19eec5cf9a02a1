import { expect, it } from "vitest";
import { yieldToEventLoop } from "../../src/core/time/wall-clock.js";
import { WorkQueue } from "../../src/core/time/work-queue.js";

it("runs one piece of work per tick, in order of arrival", async () => {
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
  for (const [index, count] of seen.entries()) expect(count - (seen[index - 1] ?? 0)).toBeLessThanOrEqual(1);
});

it("accepts thousands of pieces, and continues after a pause", async () => {
  const turns = new WorkQueue();
  let count = 0;
  const take = (many: number) =>
    Promise.all(Array.from({ length: many }, () => turns.waitForTurn().then(() => count++)));
  await take(3_000);
  expect(count).toBe(3_000);
  await take(2);
  expect(count).toBe(3_002);
});

it("pauses between pieces only while API calls arrive", async () => {
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
  // Each further call causes a pause.
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
