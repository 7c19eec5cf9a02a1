import type { Task } from "./records.js";
import { type OrderedTasks, placeOf } from "./task-order.js";

/** Those taken out are dropped when there are so many, and half of all. */
const DROP_AT = 1_024;

/** Tasks that were planned in the order in which they are due: each is put behind the last, and taken from the front. */
export class TaskRun implements OrderedTasks {
  #tasks: Task[] = [];
  /** How many of them have been taken out. */
  #taken = 0;
  due = Number.POSITIVE_INFINITY;
  place = 0;
  /** When the last is due; of none, before all time. */
  lastDue = Number.NEGATIVE_INFINITY;
  lastPlace = 0;

  get size(): number {
    return this.#tasks.length - this.#taken;
  }

  get first(): Task | undefined {
    return this.#tasks[this.#taken];
  }

  /** Whether one due then may be put behind the last. */
  takes(due: number, place: number): boolean {
    return this.lastDue < due || (this.lastDue === due && this.lastPlace < place);
  }

  push(task: Task, due: number, place: number): void {
    if (this.size === 0) {
      this.due = due;
      this.place = place;
    }
    this.#tasks.push(task);
    this.lastDue = due;
    this.lastPlace = place;
  }

  shift(): void {
    this.#taken++;
    const next = this.#tasks[this.#taken];
    if (next === undefined) this.#hold([]);
    else {
      this.due = next.due_ms;
      this.place = placeOf(next);
      if (this.#taken >= DROP_AT && this.#taken * 2 > this.#tasks.length) {
        this.#tasks = this.#tasks.slice(this.#taken);
        this.#taken = 0;
      }
    }
  }

  *inOrder(): Generator<Task> {
    for (let place = this.#taken; place < this.#tasks.length; place++) yield this.#tasks[place]!;
  }

  sweep(stays: (task: Task) => boolean): void {
    this.#hold(this.#tasks.slice(this.#taken).filter(stays));
  }

  #hold(tasks: Task[]): void {
    this.#tasks = tasks;
    this.#taken = 0;
    const [first] = tasks;
    const last = tasks.at(-1);
    this.due = first?.due_ms ?? Number.POSITIVE_INFINITY;
    this.place = first === undefined ? 0 : placeOf(first);
    this.lastDue = last?.due_ms ?? Number.NEGATIVE_INFINITY;
    this.lastPlace = last === undefined ? 0 : placeOf(last);
  }
}
