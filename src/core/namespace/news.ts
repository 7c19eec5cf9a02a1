import type { Key } from "../engine/records.js";
import type { JournalEntry } from "./served-request.js";

/** What has changed since those who wait looked last. */
export interface News<Request = JournalEntry> {
  /** Keys of what was put or removed. */
  readonly charges: ReadonlySet<Key>;
  readonly deliveries: ReadonlySet<Key>;
  readonly requests: readonly Request[];
  /** Room for what is made of these records, once for all who look. */
  readonly views: Map<object, object>;
}

/** Somebody who waits for something to be so. */
export interface Watch<Request = JournalEntry> {
  /** Looks at all there is; at each step others get their turn. */
  lookAround(): Iterable<unknown>;
  /** Looks at what has changed. */
  look(news: News<Request>): void;
  /** Whether it is so, as far as has been looked. */
  isMet(): boolean;
}

/** How a wait ends: it is so, or the time is up, nobody waits any more, the namespace is gone, too many wait already. */
export type WatchEnd = "met" | "late" | "left" | "closed" | "crowded";
