import type { Task } from "./records.js";
import { type OrderedTasks, placeOf } from "./task-order.js";

/**
 * Tasks that were planned in any order: a binary heap. What the order goes by is kept beside the tasks as plain numbers: in
 * a heap of a million, looking into the records would be most of the work.
 */
export class TaskHeap implements OrderedTasks {
  readonly #tasks: Task[] = [];
  readonly #dues: number[] = [];
  readonly #places: number[] = [];

  get due(): number {
    return this.#dues[0] ?? Number.POSITIVE_INFINITY;
  }

  get place(): number {
    return this.#places[0] ?? 0;
  }

  get size(): number {
    return this.#tasks.length;
  }

  get first(): Task | undefined {
    return this.#tasks[0];
  }

  push(task: Task, due = task.due_ms, order = placeOf(task)): void {
    const dues = this.#dues;
    let place = dues.length;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      const parentDue = dues[parent]!;
      if (due > parentDue || (due === parentDue && order > this.#places[parent]!)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#set(place, task, due, order);
  }

  shift(): void {
    const task = this.#tasks.pop()!;
    const due = this.#dues.pop()!;
    const order = this.#places.pop()!;
    const size = this.#tasks.length;
    if (size === 0) return;
    let place = 0;
    for (;;) {
      let child = place * 2 + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#isBefore(child + 1, child)) child++;
      const childDue = this.#dues[child]!;
      if (due < childDue || (due === childDue && order < this.#places[child]!)) break;
      this.#move(child, place);
      place = child;
    }
    this.#set(place, task, due, order);
  }

  *inOrder(): Generator<Task> {
    const ahead = new TaskHeap();
    const places = new Map<Task, number>();
    const add = (place: number) => {
      const task = this.#tasks[place];
      if (task === undefined) return;
      places.set(task, place);
      ahead.push(task);
    };
    add(0);
    for (let task = ahead.first; task !== undefined; task = ahead.first) {
      ahead.shift();
      const place = places.get(task)!;
      places.delete(task);
      add(place * 2 + 1);
      add(place * 2 + 2);
      yield task;
    }
  }

  sweep(stays: (task: Task) => boolean): void {
    const live = this.#tasks.filter(stays);
    this.#tasks.length = 0;
    this.#dues.length = 0;
    this.#places.length = 0;
    for (const task of live) this.push(task);
  }

  #set(place: number, task: Task, due: number, order: number): void {
    this.#tasks[place] = task;
    this.#dues[place] = due;
    this.#places[place] = order;
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#tasks[from]!, this.#dues[from]!, this.#places[from]!);
  }

  /** Whether what is at `a` comes before what is at `b`. */
  #isBefore(a: number, b: number): boolean {
    const dueA = this.#dues[a]!;
    const dueB = this.#dues[b]!;
    return dueA < dueB || (dueA === dueB && this.#places[a]! < this.#places[b]!);
  }
}
