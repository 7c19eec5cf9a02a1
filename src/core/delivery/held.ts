import type { Task } from "../engine/records.js";
import type { Wall } from "../time/wall.js";

/** How often an endpoint nobody listens on is tried again, in wall time. */
const PROBE_EVERY_MS = 1_000;

interface Held {
  /** Where the endpoint is, for people. */
  readonly target: string;
  /** In the order they came; the one that probes the endpoint is not among them. */
  readonly tasks: Task[];
  probing?: Task | undefined;
  callOffProbe: () => void;
}

/** Tries with this attempt whether somebody listens by now. */
export type Probe = (webhookId: string, target: string, task: Task) => void;

/**
 * Endpoints nobody listens on yet: their attempts wait, none is spent, and the endpoint is probed with the one that
 * has waited longest. The tasks stay in the state, so that nothing is lost with this process.
 */
export class HeldEndpoints {
  readonly #wall: Wall;
  readonly #onNotice: (notice: string) => void;
  readonly #probe: Probe;
  readonly #held = new Map<string, Held>();
  /** Since when each task waits, in sandbox time; the one that probes is among them. */
  readonly #since = new Map<number, number>();

  constructor(wall: Wall, onNotice: (notice: string) => void, probe: Probe) {
    this.#wall = wall;
    this.#onNotice = onNotice;
    this.#probe = probe;
  }

  has(webhookId: string): boolean {
    return this.#held.has(webhookId);
  }

  /** Whom that attempt waits for, and since when; undefined when it does not. */
  of(webhookId: string, taskId: number): { readonly target: string; readonly sinceMs: number } | undefined {
    const held = this.#held.get(webhookId);
    const sinceMs = this.#since.get(taskId);
    return held === undefined || sinceMs === undefined ? undefined : { target: held.target, sinceMs };
  }

  /** @param target where the endpoint is, for people */
  hold(webhookId: string, target: string, task: Task, nowMs: number): void {
    this.#since.set(task.task_id, nowMs);
    const known = this.#held.get(webhookId);
    if (known !== undefined) {
      known.tasks.push(task);
      return;
    }
    const held = this.#add(webhookId, target, task);
    this.#planProbe(webhookId, target, held, () =>
      this.#onNotice(`waiting for ${target}, ${held.tasks.length} held`),
    );
  }

  /** The attempt that probed the endpoint has found nobody: it goes back to the front. */
  holdOn(webhookId: string, target: string, task: Task): void {
    const held = this.#held.get(webhookId);
    held?.tasks.unshift(task);
    this.#planProbe(webhookId, target, held ?? this.#add(webhookId, target, task));
  }

  #add(webhookId: string, target: string, task: Task): Held {
    const held: Held = { target, tasks: [task], callOffProbe: () => {} };
    this.#held.set(webhookId, held);
    return held;
  }

  #planProbe(webhookId: string, target: string, held: Held, beforehand = () => {}): void {
    held.callOffProbe();
    held.callOffProbe = this.#wall.after(PROBE_EVERY_MS, () => {
      beforehand();
      const task = held.tasks.shift();
      held.probing = task;
      if (task !== undefined) this.#probe(webhookId, target, task);
    });
  }

  /** Somebody listens, or nobody ever will: all that waited, in order. */
  release(webhookId: string): Task[] {
    const held = this.#held.get(webhookId);
    if (held === undefined) return [];
    held.callOffProbe();
    this.#held.delete(webhookId);
    for (const task of [held.probing, ...held.tasks])
      if (task !== undefined) this.#since.delete(task.task_id);
    return held.tasks;
  }

  releaseAll(): Task[] {
    return [...this.#held.keys()].flatMap((webhookId) => this.release(webhookId));
  }
}
