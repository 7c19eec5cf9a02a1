import type { FileStorageOptions } from "./file-storage.js";
import { memoryStorage } from "./memory-storage.js";
import type { Storage } from "./storage.js";

export interface StorageOptions extends Omit<FileStorageOptions, "data"> {
  /** The default namespace's file; undefined stores everything in memory. */
  readonly data?: string | undefined;
}

export async function openStorage({ data, ...options }: StorageOptions): Promise<Storage> {
  if (data === undefined) return memoryStorage();
  const { FileStorage } = await import("./file-storage.js");
  return new FileStorage({ ...options, data });
}
