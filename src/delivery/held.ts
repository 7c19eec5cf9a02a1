import type { Task } from "../engine/records.js";
import type { Wall } from "../time/wall.js";

/** How often an endpoint nobody listens on is tried again, in wall time. */
const PROBE_EVERY_MS = 1_000;

interface Held {
  /** In the order they came; the one that probes the endpoint is not among them. */
  readonly tasks: Task[];
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

  constructor(wall: Wall, onNotice: (notice: string) => void, probe: Probe) {
    this.#wall = wall;
    this.#onNotice = onNotice;
    this.#probe = probe;
  }

  has(webhookId: string): boolean {
    return this.#held.has(webhookId);
  }

  /** @param target where the endpoint is, for people */
  hold(webhookId: string, target: string, task: Task): void {
    const known = this.#held.get(webhookId);
    if (known !== undefined) {
      known.tasks.push(task);
      return;
    }
    const held = this.#add(webhookId, task);
    this.#planProbe(webhookId, target, held, () =>
      this.#onNotice(`waiting for ${target}, ${held.tasks.length} held`),
    );
  }

  /** The attempt that probed the endpoint has found nobody: it goes back to the front. */
  holdOn(webhookId: string, target: string, task: Task): void {
    const held = this.#held.get(webhookId);
    held?.tasks.unshift(task);
    this.#planProbe(webhookId, target, held ?? this.#add(webhookId, task));
  }

  #add(webhookId: string, task: Task): Held {
    const held: Held = { tasks: [task], callOffProbe: () => {} };
    this.#held.set(webhookId, held);
    return held;
  }

  #planProbe(webhookId: string, target: string, held: Held, beforehand = () => {}): void {
    held.callOffProbe();
    held.callOffProbe = this.#wall.after(PROBE_EVERY_MS, () => {
      beforehand();
      const task = held.tasks.shift();
      if (task !== undefined) this.#probe(webhookId, target, task);
    });
  }

  /** Somebody listens, or nobody ever will: all that waited, in order. */
  release(webhookId: string): Task[] {
    const held = this.#held.get(webhookId);
    if (held === undefined) return [];
    held.callOffProbe();
    this.#held.delete(webhookId);
    return held.tasks;
  }

  releaseAll(): Task[] {
    return [...this.#held.keys()].flatMap((webhookId) => this.release(webhookId));
  }
}
