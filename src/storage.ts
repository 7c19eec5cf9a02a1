import { DEFAULT_NAMESPACE } from "./host.js";
import { SnapshotsInMemory } from "./runtime/snapshots.js";
import { memoryStore } from "./runtime/store/memory.js";
import type { NamespaceStorage } from "./runtime/store/namespaces.js";

export interface StorageOptions {
  /** The default namespace's file; undefined keeps everything in memory. */
  readonly data?: string | undefined;
  readonly fsync?: boolean | undefined;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** Where namespaces keep their state: in memory, or each in files of its own beside the default one's. */
export async function namespaceStorage({
  data,
  fsync = false,
  onNotice,
}: StorageOptions): Promise<NamespaceStorage> {
  if (data === undefined) return memoryStorage();
  const { DiskStorage } = await import("./runtime/store/namespaces.js");
  return new DiskStorage({ data, defaultName: DEFAULT_NAMESPACE, fsync, onNotice });
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
