import type { Task } from "./records.js";

/**
 * Of two tasks due at the same instant, the one with the lower place comes first: expiry, then as they were planned,
 * then attempts. Those go as their deliveries were made: when one was planned depends on how fast a receiver answered.
 */
export function placeOf(task: Task): number {
  return task.rank * 2 ** 50 + (task.rank === 2 ? task.step! : task.task_id);
}

/** Whether that task's turn is before the other's. */
export function comesBefore(task: Task, other: Task): boolean {
  return task.due_ms < other.due_ms || (task.due_ms === other.due_ms && placeOf(task) < placeOf(other));
}

/** Tasks of which the first can be had, in the one total order (due time, rank, order of planning). */
export interface OrderedTasks {
  /** When the first is due; of none, never. */
  readonly due: number;
  /** Its place among those due then. */
  readonly place: number;
  readonly size: number;
  readonly first: Task | undefined;
  /** The first is taken out. */
  shift(): void;
  /** All of them in their order, left where they are. */
  inOrder(): Iterable<Task>;
  /** Takes out those that are not to stay. */
  sweep(stays: (task: Task) => boolean): void;
}
