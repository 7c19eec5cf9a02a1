import type { Task } from "../engine/records.js";
import type { WallClock } from "../time/wall-clock.js";

/** Interval between probes of an unreachable endpoint, in wall time. */
const PROBE_EVERY_MS = 1_000;

interface Held {
  /** Host or mailbox, as named in messages. */
  readonly target: string;
  /** Held tasks in order of arrival, without `probing`. */
  readonly tasks: Task[];
  probing?: Task | undefined;
  cancelProbe: () => void;
}

/** Sends a held attempt to find out if the receiver is reachable. */
type SendHeldAttempt = (webhookId: string, target: string, task: Task) => void;

/**
 * Holds attempts for unreachable endpoints, and probes each endpoint with its oldest attempt. A held attempt does not
 * count as made. The tasks stay in the state, so they survive the process.
 */
export class HeldEndpoints {
  readonly #wall: WallClock;
  readonly #onWaiting: (webhookId: string, target: string) => void;
  readonly #probe: SendHeldAttempt;
  readonly #held = new Map<string, Held>();

  constructor(
    wall: WallClock,
    onWaiting: (webhookId: string, target: string) => void,
    probe: SendHeldAttempt,
  ) {
    this.#wall = wall;
    this.#onWaiting = onWaiting;
    this.#probe = probe;
  }

  /** Target of an endpoint whose attempts are held; undefined for any other endpoint. */
  targetOf(webhookId: string): string | undefined {
    return this.#held.get(webhookId)?.target;
  }

  hold(webhookId: string, target: string, task: Task): void {
    const existing = this.#held.get(webhookId);
    if (existing !== undefined) {
      existing.tasks.push(task);
      return;
    }
    const held = this.#add(webhookId, target, task);
    this.#planProbe(webhookId, target, held, () => this.#onWaiting(webhookId, target));
  }

  /** Puts the attempt of a failed probe back at the front of the endpoint's held attempts. */
  holdAfterProbe(webhookId: string, target: string, task: Task): void {
    const held = this.#held.get(webhookId);
    held?.tasks.unshift(task);
    this.#planProbe(webhookId, target, held ?? this.#add(webhookId, target, task));
  }

  #add(webhookId: string, target: string, task: Task): Held {
    const held: Held = { target, tasks: [task], cancelProbe: () => {} };
    this.#held.set(webhookId, held);
    return held;
  }

  #planProbe(webhookId: string, target: string, held: Held, beforeProbe = () => {}): void {
    held.cancelProbe();
    held.cancelProbe = this.#wall.after(PROBE_EVERY_MS, () => {
      beforeProbe();
      const task = held.tasks.shift();
      held.probing = task;
      if (task !== undefined) this.#probe(webhookId, target, task);
    });
  }

  release(webhookId: string): Task[] {
    const held = this.#held.get(webhookId);
    if (held === undefined) return [];
    held.cancelProbe();
    this.#held.delete(webhookId);
    return held.tasks;
  }

  releaseAll(): Task[] {
    return [...this.#held.keys()].flatMap((webhookId) => this.release(webhookId));
  }
}
