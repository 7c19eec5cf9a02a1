import { type FrozenState, type NamespaceRecord, type StateDump, toStateDump } from "../engine/records.js";
import type { Store } from "../engine/store.js";
import type { NamespaceIdentity } from "../schema/control-requests.js";

/*
 * Stores namespaces in memory, files or PostgreSQL. Each has a state, a journal, a lock and named snapshots.
 * Called by `namespace` (open, snapshots) and the engine (load, append, replace).
 * A change flows through: engine → `Store` → one journal line → snapshot at compaction.
 * Never here: domain rules, clock, network.
 */

/** Storage of a server's namespaces. test/runtime/storage.test.ts specifies the behavior of implementations. */
export interface Storage {
  /** Finishes or undoes interrupted operations; returns the stored names. Needs the lock of the default namespace. */
  recover(): string[];
  open(name: string): Store;
  snapshots(name: string): Snapshots;
  /** Creation parameters of a stored namespace; throws if they cannot be read. */
  identity(name: string): NamespaceIdentity;
  /** Begins a namespace; a restart before `finish` removes the namespace. Resolves to false if name or key is taken. */
  begin(name: string, identity: NamespaceIdentity): undefined | Promise<boolean>;
  finish(name: string): void;
  /** Removes everything since `begin`. */
  undo(name: string): void;
  /**
   * Deletes a namespace atomically: if it throws, the namespace still exists.
   *
   * @param close closes a namespace that is open in this process; called after the deletion. Without this callback,
   * `remove` throws if another process runs the namespace.
   */
  remove(name: string, close?: () => void): void | Promise<void>;
  /** Present if several processes share the storage. Each namespace then runs in one process at a time. */
  readonly ownership?: Ownership;
}

/** Process that runs a namespace. `url` is null for this process, for no process, and for a process without a URL. */
export interface NamespaceOwner {
  readonly name: string;
  readonly url: string | null;
}

/** Seed and start time of stored data. A namespace whose state is not stored yet has the seed only. */
export type StoredOrigin = Pick<NamespaceRecord, "seed"> &
  Partial<Pick<NamespaceRecord, "start_ms" | "asked_start_ms">>;

export type NamespaceLocation = "here" | "nowhere" | NamespaceOwner;

export interface OwnershipHandlers {
  /** Opens a namespace that was taken over from another process. */
  open(name: string): void;
  /** Reads a namespace's state again, because one of its commits failed. */
  reopen(name: string): void;
  /** Discards a namespace: another process may have it. */
  discard(name: string): void;
}

/** Which process runs which namespace, in a storage that several processes use. */
export interface Ownership {
  /** Time for which a silent process keeps its namespaces. */
  readonly leaseMs: number;
  readonly isStorageUnreachable: boolean;
  /** Seed of namespaces without their own seed. */
  readonly seed: string;
  /** Origin of the default namespace when this process started, whichever process runs the namespace. */
  readonly defaultOrigin: StoredOrigin;
  /** Namespaces that this process runs. */
  readonly ownedNamespaces: ReadonlyMap<string, unknown>;
  events: OwnershipHandlers | undefined;
  /** Returns true while no other process can have taken over the namespace. */
  owns(name: string): boolean;
  /** Takes over a free namespace; otherwise finds the process that runs the namespace. */
  locate(name: string): Promise<NamespaceLocation>;
  /** Finds the namespace created with this API key, or the namespace whose name the key contains. */
  nameOfKey(apiKey: string, nameInKey: string | undefined): Promise<string | undefined>;
  /** All namespaces, newest first. */
  listOwners(): Promise<NamespaceOwner[]>;
  /** Sets the URL to which other processes forward calls. */
  advertise(url: string | null): Promise<void>;
  /** Ends takeovers; call it before the namespaces close. */
  stop(): void;
  /** Gives all namespaces up, so that other processes take over at once. */
  release(): Promise<void>;
}

export interface Snapshot {
  readonly name: string;
  /** Sandbox time of the snapshot. */
  readonly at: string;
}

/** State of a snapshot. A dump from outside the process is unchecked. */
export type SavedState =
  | { readonly dump: StateDump; readonly isFromOutside: false }
  | { readonly dump: unknown; readonly isFromOutside: true };

export interface Snapshots {
  readonly isInMemory?: boolean;
  /** Resolves when stored. If it rejects, an earlier snapshot of that name is intact. */
  save(snapshot: Snapshot, state: FrozenState): Promise<void>;
  /** Newest first. */
  list(): Snapshot[];
  /** Returns undefined if there is no such snapshot; throws if it cannot be read. */
  read(name: string): SavedState | undefined;
  /** Returns true if the snapshot existed. */
  delete(name: string): boolean | Promise<boolean>;
  /** Discards pending saves; called when the namespace closes. */
  close(): void;
}

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
  readonly isInMemory = true;
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
