import { DueOrder } from "./due-order.js";
import type { Task } from "./records.js";

/**
 * What is due when, in one total order (due time, rank, order of planning). A task that was cancelled stays in the
 * queue until it comes up and is passed over then; `isLive` says which are still in the state.
 */
export class TaskQueue {
  readonly #order = new DueOrder();
  readonly #isLive: (task: Task) => boolean;
  /** How many in the queue were cancelled, less those that were taken out of it and are not done yet. */
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
    this.#order.push(task);
  }

  /** The next task, still in the queue; undefined when nothing is planned. */
  peek(): Task | undefined {
    const order = this.#order;
    for (let task = order.first; task !== undefined; task = order.first) {
      if (this.#isLive(task)) return task;
      order.shift();
      this.#stale--;
      this.#dropped?.push(task);
    }
    return undefined;
  }

  /** All of them in their order, left where they are. */
  *inOrder(): Generator<Task> {
    for (const task of this.#order.inOrder()) if (this.#isLive(task)) yield task;
  }

  /** Takes the next task out of the queue if it is due by then. Its record stays until its work is committed. */
  takeDue(atMs: number): Task | undefined {
    const task = this.peek();
    if (task === undefined || task.due_ms > atMs) return undefined;
    this.#order.shift();
    this.#stale--;
    if (task.kind === "attempt") this.#underWay.add(task);
    return task;
  }

  /** Tests whether an attempt was taken out of the queue and is not over yet. */
  isUnderWay(task: Task): boolean {
    return this.#underWay.has(task);
  }

  /** How many attempts were taken out to be made, and are not over yet. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** A task's record is gone. One cancelled is left behind in the queue; when half of it is such, it is swept. */
  noteCancelled(task: Task): void {
    if (task.kind === "attempt") this.#underWay.delete(task);
    this.#stale++;
    if (this.#stale > 1_024 && this.#stale * 2 > this.#order.size) this.#sweep();
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
    this.#order.sweep((task) => {
      const isLive = this.#isLive(task);
      if (!isLive) {
        this.#stale--;
        this.#dropped?.push(task);
      }
      return isLive;
    });
  }
}
