import { createMemoryStorage } from "./memory-storage.js";
import type { PostgresStorageOptions } from "./postgres/postgres-storage.js";
import type { Storage } from "./storage.js";

export interface StorageOptions extends Omit<PostgresStorageOptions, "data"> {
  /** The default namespace's file, or the URL of a database; undefined stores everything in memory. */
  readonly data?: string | undefined;
}

export async function openStorage({ data, ...options }: StorageOptions): Promise<Storage> {
  if (data === undefined) return createMemoryStorage();
  if (/^postgres(ql)?:/.test(data)) {
    const { PostgresStorage } = await import("./postgres/postgres-storage.js");
    return new PostgresStorage({ ...options, data }).start();
  }
  const { FileStorage } = await import("./file-storage.js");
  return new FileStorage({ ...options, data });
}
