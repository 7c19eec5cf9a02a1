import { type Refusal, refuse } from "./refusals.js";

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

/** Base class of errors that are not reported for each call: the heap guard or the storage reports the cause once. */
export abstract class UnavailableError extends Error {
  abstract readonly refusal: Refusal;
}

/** The process is low on memory and refuses changes. */
export class InsufficientSpaceError extends UnavailableError {
  override readonly name = "InsufficientSpace";
  readonly refusal = INSUFFICIENT_SPACE;
}

/** The database does not answer, or another process now runs the namespace. */
export class StorageUnavailableError extends UnavailableError {
  override readonly name = "StorageUnavailable";
  readonly refusal = STORAGE_AWAY;
}
