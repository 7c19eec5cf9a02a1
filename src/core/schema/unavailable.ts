import { type Refusal, refuse } from "./refusals.js";

/** The process is low on memory and refuses changes. */
export class InsufficientSpace extends Error {
  override readonly name = "InsufficientSpace";
}

/** The database does not answer, or another process runs the namespace by now. */
export class StorageAway extends Error {
  override readonly name = "StorageAway";
}

/** Callers receive these errors themselves; the heap guard or the storage has reported each once. */
export function isCallersError(error: unknown): boolean {
  return error instanceof InsufficientSpace || error instanceof StorageAway;
}

export const INSUFFICIENT_SPACE: Refusal = refuse(
  "INTERNAL_ERROR",
  "The sandbox is out of memory and accepts no changes: reset it, delete namespaces, or start it with NODE_OPTIONS=--max-old-space-size=MB",
  undefined,
  503,
);

export const STORAGE_AWAY: Refusal = refuse(
  "STORAGE_AWAY",
  "The sandbox cannot reach its database now. If the call was under way, it may have been carried out; look before you repeat it without an Idempotency-Key.",
);
