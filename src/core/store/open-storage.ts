import type { FileStorageOptions } from "./file-storage.js";
import { memoryStorage } from "./memory.js";
import type { Storage } from "./storage.js";

export interface StorageOptions extends Omit<FileStorageOptions, "data"> {
  /** The default namespace's file; undefined keeps everything in memory. */
  readonly data?: string | undefined;
}

/** In memory, or each namespace in files of its own beside the default one's. */
export async function openStorage({ data, ...options }: StorageOptions): Promise<Storage> {
  if (data === undefined) return memoryStorage();
  const { FileStorage } = await import("./file-storage.js");
  return new FileStorage({ ...options, data });
}
