import type { Key } from "../engine/records.js";
import type { JournalEntry } from "./served-request.js";

/** Changes since the last look of the waiting calls. */
export interface News<Request = JournalEntry> {
  /** Keys of stored or removed records. */
  readonly charges: ReadonlySet<Key>;
  readonly deliveries: ReadonlySet<Key>;
  readonly requests: readonly Request[];
  /** Cache of views of these records, shared by all watches. */
  readonly views: Map<object, object>;
}

/** A condition that a call waits for. */
export interface Watch<Request = JournalEntry> {
  /** Checks everything, with a yield after each step. */
  lookAround(): Iterable<unknown>;
  /** Checks the changes. */
  look(news: News<Request>): void;
  isMet(): boolean;
}

/** Reason why a wait ended: condition met, timeout, client disconnected, namespace closed, too many waits. */
export type WatchEnd = "met" | "late" | "left" | "closed" | "crowded";
