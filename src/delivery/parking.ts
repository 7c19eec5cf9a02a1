import type { Task } from "../engine/records.js";
import type { Job } from "./sender.js";

/** A delivery that somebody has collected from a mailbox and not answered yet. */
export interface Taken {
  readonly task: Task;
  readonly job: Job;
  readonly headers: Readonly<Record<string, string>>;
  readonly sentAt: string;
  /** Calls off the limit its answer has to keep to. */
  readonly callOff: () => void;
}

/**
 * Attempts that are due and cannot be made now: nobody listens at the endpoint yet, or the endpoint is a
 * mailbox and waits to be emptied. Their tasks stay in the state, so that nothing is lost with this process.
 */
export class Parking {
  readonly #held = new Map<string, Task[]>();
  readonly #mailboxes = new Map<string, Task[]>();
  readonly #taken = new Map<string, Taken>();

  isHeld(webhookId: string): boolean {
    return this.#held.has(webhookId);
  }

  /** Holds an attempt behind those that wait for the same endpoint; tells how many do. */
  hold(webhookId: string, task: Task): number {
    return push(this.#held, webhookId, task);
  }

  /** An attempt that was tried again and found nobody goes back to the front. */
  holdFirst(webhookId: string, task: Task): void {
    this.#held.set(webhookId, [task, ...(this.#held.get(webhookId) ?? [])]);
  }

  heldEndpoints(): string[] {
    return [...this.#held.keys()];
  }

  heldCount(webhookId: string): number {
    return this.#held.get(webhookId)?.length ?? 0;
  }

  /** The attempt to probe an endpoint with: the one that has waited longest. */
  shiftHeld(webhookId: string): Task | undefined {
    return this.#held.get(webhookId)?.shift();
  }

  /** Somebody listens: all that waited, in order. */
  release(webhookId: string): Task[] {
    const tasks = this.#held.get(webhookId) ?? [];
    this.#held.delete(webhookId);
    return tasks;
  }

  post(mailbox: string, task: Task): void {
    push(this.#mailboxes, mailbox, task);
  }

  collect(mailbox: string, max: number): Task[] {
    return this.#mailboxes.get(mailbox)?.splice(0, max) ?? [];
  }

  /** All that waits to be taken, each mailbox's in order. */
  emptyMailboxes(): Task[] {
    const tasks = [...this.#mailboxes.values()].flat();
    this.#mailboxes.clear();
    return tasks;
  }

  take(deliveryId: string, taken: Taken): void {
    this.#taken.set(deliveryId, taken);
  }

  takenAs(deliveryId: string): Taken | undefined {
    return this.#taken.get(deliveryId);
  }

  /** It has its answer, or will not get one any more. */
  settleTaken(deliveryId: string): void {
    this.#taken.get(deliveryId)?.callOff();
    this.#taken.delete(deliveryId);
  }

  clear(): void {
    this.#held.clear();
    this.#mailboxes.clear();
    for (const { callOff } of this.#taken.values()) callOff();
    this.#taken.clear();
  }
}

function push(places: Map<string, Task[]>, name: string, task: Task): number {
  const tasks = places.get(name);
  if (tasks === undefined) places.set(name, [task]);
  return tasks === undefined ? 1 : tasks.push(task);
}
