import type { Task } from "./records.js";
import { TaskHeap } from "./task-heap.js";
import { comesBefore, type OrderedTasks, placeOf } from "./task-order.js";
import { TaskRun } from "./task-run.js";

/** Most tasks are due so long after they are planned, and few such times are in use at once. */
const MOST_RUNS = 4;

/**
 * Tasks in the one total order. Those of one kind are mostly planned in the order in which they are due: such make a run,
 * which costs next to nothing; those that fit behind no other wait in a heap.
 */
export class DueOrder {
  readonly #heap = new TaskHeap();
  readonly #runs: TaskRun[] = [];
  /** The part with the first of all, where that is known. */
  #next: OrderedTasks | undefined;

  get #parts(): OrderedTasks[] {
    return [this.#heap, ...this.#runs];
  }

  get size(): number {
    return this.#parts.reduce((sum, { size }) => sum + size, 0);
  }

  push(task: Task): void {
    const due = task.due_ms;
    const place = placeOf(task);
    const run = this.#runFor(due, place);
    if (run === undefined) this.#heap.push(task, due, place);
    else run.push(task, due, place);
    this.#next = undefined;
  }

  /** Behind the last that may come before it: so each run keeps to its kind. */
  #runFor(due: number, place: number): TaskRun | undefined {
    let best: TaskRun | undefined;
    for (const run of this.#runs)
      if (run.takes(due, place) && (best === undefined || !run.takes(best.lastDue, best.lastPlace)))
        best = run;
    if (best === undefined && this.#runs.length < MOST_RUNS) {
      best = new TaskRun();
      this.#runs.push(best);
    }
    return best;
  }

  get first(): Task | undefined {
    return this.#part.first;
  }

  /** The first is taken out. */
  shift(): void {
    this.#part.shift();
    this.#next = undefined;
  }

  get #part(): OrderedTasks {
    if (this.#next !== undefined) return this.#next;
    let next: OrderedTasks = this.#heap;
    for (const run of this.#runs)
      if (run.due < next.due || (run.due === next.due && run.place < next.place)) next = run;
    this.#next = next;
    return next;
  }

  /** All of them in their order, left where they are. */
  *inOrder(): Generator<Task> {
    const parts = this.#parts.map((part) => part.inOrder()[Symbol.iterator]());
    const heads = parts.map((part) => part.next());
    for (;;) {
      let first = -1;
      for (const [place, head] of heads.entries())
        if (!head.done && (first === -1 || comesBefore(head.value, heads[first]!.value))) first = place;
      if (first === -1) return;
      yield heads[first]!.value;
      heads[first] = parts[first]!.next();
    }
  }

  /** Takes out those that are not to stay. */
  sweep(stays: (task: Task) => boolean): void {
    for (const part of this.#parts) part.sweep(stays);
    this.#next = undefined;
  }
}
