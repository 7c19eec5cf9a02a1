import { isDatabaseUrl } from "../schema/option-schemas.js";
import type { FileStorageOptions } from "./file-storage.js";
import { memoryStorage } from "./memory-storage.js";
import type { Storage } from "./storage.js";

export interface StorageOptions extends Omit<FileStorageOptions, "data"> {
  /** The default namespace's file, or the URL of a database; undefined stores everything in memory. */
  readonly data?: string | undefined;
  readonly version: string;
  /** Seed of a new database schema. */
  readonly seed: string;
}

export async function openStorage({ data, ...options }: StorageOptions): Promise<Storage> {
  if (data === undefined) return memoryStorage();
  if (isDatabaseUrl(data)) {
    const { PostgresStorage } = await import("./postgres/postgres-storage.js");
    return new PostgresStorage({ onNotice: () => {}, ...options, url: data }).start();
  }
  const { FileStorage } = await import("./file-storage.js");
  return new FileStorage({ ...options, data });
}
