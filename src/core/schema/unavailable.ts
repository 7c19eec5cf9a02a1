import { type Refusal, refuse } from "./refusals.js";

export const STORAGE_AWAY: Refusal = refuse(
  "STORAGE_AWAY",
  "The sandbox cannot reach its database now. If the call was under way, it may have been carried out; look before you repeat it without an Idempotency-Key.",
);

/** The database does not answer, or another process now runs the namespace. Not reported for each call. */
export class StorageUnavailableError extends Error {
  override readonly name = "StorageUnavailable";
  readonly refusal = STORAGE_AWAY;
}
