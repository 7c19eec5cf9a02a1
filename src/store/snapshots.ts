import { type FrozenState, thaw } from "../engine/frozen-state.js";
import type { StateDump } from "../engine/records.js";

export interface Snapshot {
  readonly name: string;
  /** Sandbox time it was taken at. */
  readonly at: string;
}

/** Snapshots of one namespace, under names. */
export interface Snapshots {
  /** Whether they have never been out of this process's hands: then they need not be looked at before they are used. */
  readonly areOurs: boolean;
  /** Resolves when it is kept. When it throws, what was under the name before is there still. */
  save(snapshot: Snapshot, state: FrozenState): Promise<void>;
  /** Newest first. */
  list(): Snapshot[];
  /** Undefined when there is none of that name, which may come from anywhere; throws when it cannot be read. */
  dump(name: string): StateDump | undefined;
  /** Whether there was one. */
  delete(name: string): boolean;
  /** What is not kept by now is not kept: the namespace is closed, and may be about to be deleted. */
  close(): void;
}

/** Snapshots that go with the process. */
export class SnapshotsInMemory implements Snapshots {
  readonly areOurs = true;
  readonly #kept = new Map<string, { readonly snapshot: Snapshot; readonly state: FrozenState }>();

  async save(snapshot: Snapshot, state: FrozenState): Promise<void> {
    this.#kept.delete(snapshot.name);
    this.#kept.set(snapshot.name, { snapshot, state });
  }

  list(): Snapshot[] {
    return [...this.#kept.values()].map(({ snapshot }) => snapshot).reverse();
  }

  dump(name: string): StateDump | undefined {
    const kept = this.#kept.get(name);
    return kept === undefined ? undefined : thaw(kept.state);
  }

  delete(name: string): boolean {
    return this.#kept.delete(name);
  }

  close(): void {}
}
