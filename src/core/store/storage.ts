import type { FrozenState } from "../engine/frozen-state.js";
import type { StateDump } from "../engine/records.js";
import type { Store } from "../engine/store.js";
import type { NamespaceIdentity } from "../schema/control.js";

/** Where a server keeps its namespaces. What each must do is in test/runtime/storage.test.ts. */
export interface Storage {
  /**
   * Finishes or undoes what a killed run left half done, and tells the names of the namespaces that an earlier run
   * kept. To be called when the default namespace is open: its lock stands for them all.
   */
  recover(): string[];
  open(name: string): Store;
  /** To be called when the namespace is open. */
  snapshots(name: string): Snapshots;
  /** What a namespace was made with, for it to be made with again; throws when that cannot be read. */
  identity(name: string): NamespaceIdentity;
  /** From here to `finish`, the next run would undo all that there is of the new namespace. */
  begin(name: string, identity: NamespaceIdentity): void;
  finish(name: string): void;
  /** Takes back what `begin` and the opening made. */
  undo(name: string): void;
  /**
   * Deletes a namespace in one step: when it throws, it still is one.
   *
   * @param close closes it when it is none any more; without, it is one that could not be opened, and it throws when
   *   that is because another process has it
   */
  remove(name: string, close?: () => void): void;
}

export interface Snapshot {
  readonly name: string;
  /** Sandbox time it was taken at. */
  readonly at: string;
}

/** The state a snapshot is of: as it was saved, or as it was found where others can write, and then it may be anything. */
export type SavedState =
  | { readonly dump: StateDump; readonly isFromOutside: false }
  | { readonly dump: unknown; readonly isFromOutside: true };

/** Snapshots of one namespace, under names. */
export interface Snapshots {
  /** Resolves when it is kept. When it throws, what was under the name before is there still. */
  save(snapshot: Snapshot, state: FrozenState): Promise<void>;
  /** Newest first. */
  list(): Snapshot[];
  /** Undefined when there is none of that name, which may come from anywhere; throws when it cannot be read. */
  read(name: string): SavedState | undefined;
  /** Whether there was one. */
  delete(name: string): boolean;
  /** What is not kept by now is not kept: the namespace is closed, and may be about to be deleted. */
  close(): void;
}
