import type { Task } from "./records.js";

/** Attempts go by the numbers of their deliveries: their own depend on how fast receivers respond. */
export function comesBefore(task: Task, other: Task): boolean {
  if (task.due_ms !== other.due_ms) return task.due_ms < other.due_ms;
  if (task.rank !== other.rank) return task.rank < other.rank;
  return numberOf(task) < numberOf(other);
}

function numberOf({ rank, step, task_id }: Task): number {
  return rank === 2 ? step! : task_id;
}

export class Heap<Item> {
  #items: Item[] = [];
  readonly #isBefore: (item: Item, other: Item) => boolean;

  constructor(isBefore: (item: Item, other: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let index = items.length;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (!this.#isBefore(item, items[parent]!)) break;
      items[index] = items[parent]!;
      index = parent;
    }
    items[index] = item;
  }

  shift(): void {
    const items = this.#items;
    const item = items.pop()!;
    if (items.length === 0) return;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#isBefore(items[child + 1]!, items[child]!)) child++;
      if (this.#isBefore(item, items[child]!)) break;
      items[index] = items[child]!;
      index = child;
    }
    items[index] = item;
  }

  /** Yields all items in order; items that are not read cost nothing. */
  *inOrder(): Generator<Item> {
    const items = this.#items;
    const next = new Heap<number>((index, other) => this.#isBefore(items[index]!, items[other]!));
    if (items.length > 0) next.push(0);
    for (let index = next.first; index !== undefined; index = next.first) {
      next.shift();
      for (const child of [index * 2 + 1, index * 2 + 2]) if (child < items.length) next.push(child);
      yield items[index]!;
    }
  }

  filter(test: (item: Item) => boolean): void {
    const items = this.#items.filter(test);
    this.#items = [];
    for (const item of items) this.push(item);
  }
}

/** Planned tasks in order. A cancelled task leaves the heap once it comes first, or once most tasks are cancelled. */
export class TaskQueue {
  readonly #heap = new Heap(comesBefore);
  readonly #isLive: (task: Task) => boolean;
  /** Number of cancelled tasks in the heap. A taken task counts as -1 until its record is removed. */
  #stale = 0;
  /** Attempts that were taken and are not over: in flight, held, or in a mailbox. */
  readonly #underWay = new Set<Task>();

  /** @param isLive tests if a task is still in the state */
  constructor(isLive: (task: Task) => boolean) {
    this.#isLive = isLive;
  }

  push(task: Task): void {
    if (task.kind === "attempt") this.#underWay.delete(task);
    this.#heap.push(task);
  }

  /** The next task, left in the queue. */
  peek(): Task | undefined {
    const heap = this.#heap;
    for (let task = heap.first; task !== undefined; task = heap.first) {
      if (this.#isLive(task)) return task;
      heap.shift();
      this.#stale--;
    }
    return undefined;
  }

  /** All tasks in their order, left in the queue. */
  *inOrder(): Generator<Task> {
    for (const task of this.#heap.inOrder()) if (this.#isLive(task)) yield task;
  }

  /** Takes the next task if it is due. The task's record stays until the task's work is committed. */
  takeDue(atMs: number): Task | undefined {
    const task = this.peek();
    if (task === undefined || task.due_ms > atMs) return undefined;
    this.#heap.shift();
    this.#stale--;
    if (task.kind === "attempt") this.#underWay.add(task);
    return task;
  }

  /** Returns true if an attempt was taken and is not over. */
  isInFlight(task: Task): boolean {
    return this.#underWay.has(task);
  }

  /** Number of attempts that were taken and are not over. */
  get inFlightCount(): number {
    return this.#underWay.size;
  }

  /** Updates the queue after the record of a finished or cancelled task was removed. */
  noteCancelled(task: Task): void {
    if (task.kind === "attempt") this.#underWay.delete(task);
    this.#stale++;
    if (this.#stale > 1_024 && this.#stale * 2 > this.#heap.size) this.#sweep();
  }

  /** Puts back a taken task whose work was not committed. */
  putBack(task: Task): void {
    this.push(task);
    this.#stale++;
  }

  #sweep(): void {
    const before = this.#heap.size;
    this.#heap.filter(this.#isLive);
    this.#stale -= before - this.#heap.size;
  }
}
