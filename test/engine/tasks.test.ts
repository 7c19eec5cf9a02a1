import fc from "fast-check";
import { expect, it } from "vitest";
import type { Task } from "../../src/core/engine/records.js";
import { TaskQueue } from "../../src/core/engine/task-queue.js";

function task(task_id: number, due_ms: number, rank: 0 | 1): Task {
  return { task_id, due_ms, rank, kind: rank === 0 ? "expire" : "timeline", ref: `ch_${task_id}` };
}

/** Sorts tasks as documented: expiry comes first at the same time. */
function inOrder(tasks: readonly Task[]): Task[] {
  return tasks.toSorted((a, b) => a.due_ms - b.due_ms || a.rank - b.rank || a.task_id - b.task_id);
}

/** A queue together with the records of its tasks. */
class Planned {
  readonly live = new Map<number, Task>();
  readonly queue = new TaskQueue((one) => this.live.get(one.task_id) === one);

  push(one: Task): void {
    this.live.set(one.task_id, one);
    this.queue.push(one);
  }

  cancel(taskId: number): void {
    const gone = this.live.get(taskId);
    if (gone !== undefined && this.live.delete(taskId)) this.queue.noteCancelled(gone);
  }

  /** Takes the next due task and removes its record. */
  take(atMs: number): Task | undefined {
    const taken = this.queue.takeDue(atMs);
    if (taken !== undefined) this.cancel(taken.task_id);
    return taken;
  }

  drain(): Task[] {
    const taken: Task[] = [];
    for (
      let one = this.take(Number.MAX_SAFE_INTEGER);
      one !== undefined;
      one = this.take(Number.MAX_SAFE_INTEGER)
    )
      taken.push(one);
    return taken;
  }
}

const taskArb = fc.tuple(fc.nat(6), fc.constantFrom<0 | 1>(0, 1));
const stepArb = fc.oneof(
  { weight: 4, arbitrary: taskArb.map(([due, rank]) => ({ do: "plan" as const, due, rank })) },
  { weight: 2, arbitrary: fc.nat(200).map((which) => ({ do: "cancel" as const, which })) },
  { weight: 2, arbitrary: fc.nat(8).map((atMs) => ({ do: "take" as const, atMs })) },
  { weight: 1, arbitrary: fc.nat(8).map((atMs) => ({ do: "fail" as const, atMs })) },
);

it("sorts tasks by due time, then rank, then order of scheduling", () => {
  fc.assert(
    fc.property(fc.array(taskArb, { maxLength: 100 }), (wanted) => {
      const planned = new Planned();
      const tasks = wanted.map(([due, rank], index) => task(index + 1, due, rank));
      for (const one of tasks) planned.push(one);
      expect([...planned.queue.inOrder()]).toEqual(inOrder(tasks));
      expect(planned.drain()).toEqual(inOrder(tasks));
    }),
    { numRuns: 300 },
  );
});

it("keeps the order when tasks are added, cancelled, completed or restored", () => {
  fc.assert(
    fc.property(fc.array(stepArb, { maxLength: 150 }), (steps) => {
      const planned = new Planned();
      let model: Task[] = [];
      let lastId = 0;
      for (const step of steps) {
        if (step.do === "plan") {
          const one = task(++lastId, step.due, step.rank);
          planned.push(one);
          model.push(one);
        } else if (step.do === "cancel") {
          const taskId = 1 + (step.which % Math.max(1, lastId));
          planned.cancel(taskId);
          model = model.filter((one) => one.task_id !== taskId);
        } else {
          const expected = inOrder(model).find((one) => one.due_ms <= step.atMs);
          const taken = step.do === "take" ? planned.take(step.atMs) : planned.queue.takeDue(step.atMs);
          expect(taken).toBe(expected);
          if (step.do === "take") model = model.filter((one) => one !== taken);
          else if (taken !== undefined) planned.queue.push(taken);
        }
        expect(planned.queue.peek()).toBe(inOrder(model)[0]);
        expect([...planned.queue.inOrder()]).toEqual(inOrder(model));
      }
      expect(planned.drain()).toEqual(inOrder(model));
    }),
    { numRuns: 300 },
  );
});

it("keeps the order after thousands of tasks were taken and cancelled", () => {
  const planned = new Planned();
  let model: Task[] = [];
  let lastId = 0;
  for (let round = 0; round < 5; round++) {
    for (let count = 0; count < 3_000; count++) {
      const one = task(++lastId, round * 1_000 + ((count * 7_919) % 5_000), count % 3 === 0 ? 0 : 1);
      planned.push(one);
      model.push(one);
    }
    for (const { task_id } of model.filter((_one, place) => place % 5 > 0)) planned.cancel(task_id);
    model = inOrder(model.filter((_one, place) => place % 5 === 0));
    for (const expected of model.splice(0, 300)) expect(planned.take(Number.MAX_SAFE_INTEGER)).toBe(expected);
  }
  expect(planned.drain()).toEqual(model);
});

it("counts a rescheduled task once", () => {
  const planned = new Planned();
  planned.push(task(1, 10, 1));
  planned.push(task(2, 20, 1));
  planned.push(task(1, 30, 1));
  expect(planned.drain().map((one) => one.due_ms)).toEqual([20, 30]);
});
