import type { Task } from "./records.js";

/** Whether `a` comes before `b`: due time, then rank (expiry first), then order of scheduling. */
function before(a: Task, b: Task): boolean {
  if (a.due_ms !== b.due_ms) return a.due_ms < b.due_ms;
  if (a.rank !== b.rank) return a.rank < b.rank;
  return a.task_id < b.task_id;
}

/**
 * What is due when, in one total order: a binary heap over the task records. A task that was cancelled stays
 * in the heap until it comes up and is passed over then; `isLive` says which are still in the state.
 */
export class TaskQueue {
  readonly #heap: Task[] = [];
  readonly #isLive: (task: Task) => boolean;
  #stale = 0;

  constructor(isLive: (task: Task) => boolean) {
    this.#isLive = isLive;
  }

  push(task: Task): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(task);
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (!before(task, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = task;
  }

  /** The next task, still in the queue; undefined when nothing is planned. */
  peek(): Task | undefined {
    while (this.#heap.length > 0) {
      const task = this.#heap[0]!;
      if (this.#isLive(task)) return task;
      this.#pop();
      if (this.#stale > 0) this.#stale--;
    }
    return undefined;
  }

  /** Takes the next task out of the queue if it is due by then. Its record stays until its work is committed. */
  takeDue(atMs: number): Task | undefined {
    const task = this.peek();
    if (task === undefined || task.due_ms > atMs) return undefined;
    this.#pop();
    return task;
  }

  /** A cancelled task is left behind; when half the heap is such, it is swept. */
  noteCancelled(): void {
    this.#stale++;
    if (this.#stale > 1_024 && this.#stale * 2 > this.#heap.length) this.#sweep();
  }

  #sweep(): void {
    const live = this.#heap.filter(this.#isLive).sort((a, b) => (before(a, b) ? -1 : 1));
    this.#heap.length = 0;
    for (const task of live) this.#heap.push(task);
    this.#stale = 0;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = place * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
  }
}
