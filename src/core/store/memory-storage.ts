import { type FrozenState, toStateDump } from "../engine/records.js";
import type { Store } from "../engine/store.js";
import type { SavedState, Snapshot, Snapshots, Storage } from "./storage.js";

/** Stores nothing, so namespaces end with the process. */
export function createMemoryStorage(): Storage {
  return {
    recover: () => [],
    open: createMemoryStore,
    snapshots: () => new SnapshotsInMemory(),
    identity: () => ({}),
    begin: () => undefined,
    finish: () => {},
    undo: () => {},
    remove: (_name, close) => close?.(),
  };
}

export function createMemoryStore(): Store {
  return {
    load: () => undefined,
    replace: () => {},
    compactIfLarge: () => undefined,
    close: () => {},
    toLoadError: (cause) => cause,
  };
}

export class SnapshotsInMemory implements Snapshots {
  readonly #snapshots = new Map<string, { readonly snapshot: Snapshot; readonly state: FrozenState }>();

  async save(snapshot: Snapshot, state: FrozenState): Promise<void> {
    this.#snapshots.delete(snapshot.name);
    this.#snapshots.set(snapshot.name, { snapshot, state });
  }

  list(): Snapshot[] {
    return [...this.#snapshots.values()].map(({ snapshot }) => snapshot).reverse();
  }

  read(name: string): SavedState | undefined {
    const saved = this.#snapshots.get(name);
    return saved && { dump: toStateDump(saved.state), isFromOutside: false };
  }

  delete(name: string): boolean | Promise<boolean> {
    return this.#snapshots.delete(name);
  }

  close(): void {}
}
