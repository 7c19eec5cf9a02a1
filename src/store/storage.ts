import { memoryStore } from "./memory.js";
import type { NamespaceStorage } from "./namespaces.js";
import { SnapshotsInMemory } from "./snapshots.js";

export interface StorageOptions {
  /** The default namespace's file; undefined keeps everything in memory. */
  readonly data?: string | undefined;
  readonly defaultName: string;
  readonly fsync?: boolean | undefined;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** Where namespaces keep their state: in memory, or each in files of its own beside the default one's. */
export async function namespaceStorage({
  data,
  defaultName,
  fsync = false,
  onNotice,
}: StorageOptions): Promise<NamespaceStorage> {
  if (data === undefined) return memoryStorage();
  const { DiskStorage } = await import("./namespaces.js");
  return new DiskStorage({ data, defaultName, fsync, onNotice });
}

/** Namespaces go with the process. */
export function memoryStorage(): NamespaceStorage {
  return {
    recover: () => [],
    open: memoryStore,
    snapshots: () => new SnapshotsInMemory(),
    identity: () => ({}),
    begin: () => {},
    finish: () => {},
    undo: () => {},
    bury: () => {},
    clear: () => {},
    removeClosed: () => {},
  };
}
