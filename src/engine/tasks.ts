import type { Task } from "./records.js";

/**
 * Of two tasks due at the same instant, the one with the lower place comes first: expiry, then as they were planned,
 * then attempts. Those go as their deliveries were made: when one was planned depends on how fast a receiver answered.
 */
function placeOf(task: Task): number {
  return task.rank * 2 ** 50 + (task.rank === 2 ? task.step! : task.task_id);
}

/** Whether that task's turn is before the other's. */
export function comesBefore(task: Task, other: Task): boolean {
  return task.due_ms < other.due_ms || (task.due_ms === other.due_ms && placeOf(task) < placeOf(other));
}

/**
 * What is due when, in one total order (due time, rank, order of planning): a binary heap over the task records. A
 * task that was cancelled stays in the heap until it comes up and is passed over then; `isLive` says which are still
 * in the state. What the order goes by is kept beside the tasks as plain numbers: in a heap of a million, looking
 * into the records would be most of the work.
 */
export class TaskQueue {
  readonly #heap: Task[] = [];
  readonly #dues: number[] = [];
  readonly #places: number[] = [];
  readonly #isLive: (task: Task) => boolean;
  /** How many in the heap were cancelled, less those that were taken out of it and are not done yet. */
  #stale = 0;
  /** Attempts that were taken out to be made, and are not over: one may be under way for long, or lie in a mailbox. The others are done at once. */
  readonly #underWay = new Set<Task>();
  /** What was passed over or swept while that may yet be taken back. */
  #dropped: Task[] | undefined;

  constructor(isLive: (task: Task) => boolean) {
    this.#isLive = isLive;
  }

  push(task: Task): void {
    if (task.kind === "attempt") this.#underWay.delete(task);
    const dues = this.#dues;
    const due = task.due_ms;
    const order = placeOf(task);
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

  /** The next task, still in the queue; undefined when nothing is planned. */
  peek(): Task | undefined {
    while (this.#heap.length > 0) {
      const task = this.#heap[0]!;
      if (this.#isLive(task)) return task;
      this.#pop();
      this.#stale--;
      this.#dropped?.push(task);
    }
    return undefined;
  }

  /** All of them in their order, left where they are. */
  *inOrder(): Generator<Task> {
    const ahead = new TaskQueue(() => true);
    const places = new Map<Task, number>();
    const add = (place: number) => {
      const task = this.#heap[place];
      if (task === undefined) return;
      places.set(task, place);
      ahead.push(task);
    };
    add(0);
    for (let task = ahead.#take(); task !== undefined; task = ahead.#take()) {
      const place = places.get(task)!;
      places.delete(task);
      add(place * 2 + 1);
      add(place * 2 + 2);
      if (this.#isLive(task)) yield task;
    }
  }

  #take(): Task | undefined {
    return this.takeDue(Number.POSITIVE_INFINITY);
  }

  /** Takes the next task out of the queue if it is due by then. Its record stays until its work is committed. */
  takeDue(atMs: number): Task | undefined {
    const task = this.peek();
    if (task === undefined || task.due_ms > atMs) return undefined;
    this.#pop();
    this.#stale--;
    if (task.kind === "attempt") this.#underWay.add(task);
    return task;
  }

  /** How many attempts were taken out to be made, and are not over yet. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** A task's record is gone. One cancelled is left behind in the heap; when half of it is such, it is swept. */
  noteCancelled(task: Task): void {
    if (task.kind === "attempt") this.#underWay.delete(task);
    this.#stale++;
    if (this.#stale > 1_024 && this.#stale * 2 > this.#heap.length) this.#sweep();
  }

  /** One that was taken is due again: its work was not kept. */
  putBack(task: Task): void {
    this.push(task);
    this.#stale++;
  }

  /** A task's record that was gone is there again. */
  noteBack(): void {
    this.#stale--;
  }

  /** From here on, what is passed over may be live again. */
  rememberDropped(): void {
    this.#dropped ??= [];
  }

  forgetDropped(): void {
    this.#dropped = undefined;
  }

  /** What was passed over and is live again is back. */
  restoreDropped(): void {
    const dropped = this.#dropped ?? [];
    this.#dropped = undefined;
    for (const task of dropped) if (this.#isLive(task)) this.putBack(task);
  }

  #sweep(): void {
    const live = this.#heap.filter(this.#isLive);
    if (this.#dropped !== undefined)
      for (const task of this.#heap) if (!this.#isLive(task)) this.#dropped.push(task);
    this.#stale -= this.#heap.length - live.length;
    this.#heap.length = 0;
    this.#dues.length = 0;
    this.#places.length = 0;
    for (const task of live) this.push(task);
  }

  #set(place: number, task: Task, due: number, order: number): void {
    this.#heap[place] = task;
    this.#dues[place] = due;
    this.#places[place] = order;
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#heap[from]!, this.#dues[from]!, this.#places[from]!);
  }

  /** Whether what is at `a` comes before what is at `b`. */
  #isBefore(a: number, b: number): boolean {
    const dueA = this.#dues[a]!;
    const dueB = this.#dues[b]!;
    return dueA < dueB || (dueA === dueB && this.#places[a]! < this.#places[b]!);
  }

  #pop(): void {
    const task = this.#heap.pop()!;
    const due = this.#dues.pop()!;
    const order = this.#places.pop()!;
    const size = this.#heap.length;
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
}
