import type { Attempt, Delivery } from "../../engine/records.js";
import type { ChargeStatus } from "../../schema/common.js";
import { iso } from "../../schema/time.js";
import type { JournalEntry } from "../served-request.js";

/** What of a namespace a habit is judged by. */
export interface Scene {
  readonly clock: {
    readonly runs: boolean;
    /** How far it has been put forward by hand in all. */
    readonly leaptMs: number;
  };
  /** Whose data a key is for: an organization in one mode. Nobody's, with a wrong key. */
  accountOf(apiKey: string | null): string | undefined;
  statusOf(chargeId: string): ChargeStatus | undefined;
  /** A receiver for people. */
  receiverName(webhookId: string): string;
}

/** What was done, in so many words; those that take long to put are put for whoever asks. */
export type Example = string | (() => string);

/** Where a habit is noted. */
export interface Notes {
  /** Once more. */
  found(example: Example): void;
  /** There is more to say of what was found before. */
  more(example: Example): void;
  /** So many of those found were no such thing after all. */
  undo(times: number): void;
}

/** The metadata of a call that makes something of it. */
export type Metadata = Readonly<Record<string, unknown>>;

/** A charge that was read. */
export interface ChargeRead {
  readonly id: string;
  readonly entry: JournalEntry;
  /** Since the read before; undefined where that says nothing. */
  readonly pause: number | undefined;
}

/** Looks on at each charge that is read: what is kept of it, from what `begin` makes, tells what the next read comes to. */
export interface ReadingWatch {
  begin(): object;
  onRead(kept: object, read: ChargeRead): void;
}

/** Looks on as it happens, and keeps no more than it has to. */
export interface Watch {
  onRequest?(entry: JournalEntry, metadata: Metadata): void;
  readonly reading?: ReadingWatch;
  onAttempt?(attempt: Attempt, delivery: Delivery): void;
}

/** Something an app does against what the service advises: all there is to know of it is its row. */
export interface Habit {
  /** Its name, in the API and as a heading of `docs/advice.md`. */
  readonly id: string;
  /** What to do instead. */
  readonly advice: string;
  /** What was done. */
  readonly why: string;
  watch(notes: Notes, scene: Scene): Watch;
}

/** What is known of the newest so many things, by name. */
export class Recent<Value> {
  #all: Map<string, Value> | undefined;
  readonly #make: () => Value;
  readonly #most: number;

  constructor(make: () => Value, most = 1_000) {
    this.#make = make;
    this.#most = most;
  }

  of(name: string): Value {
    const all = (this.#all ??= new Map<string, Value>());
    const known = all.get(name);
    if (known !== undefined) return known;
    if (all.size >= this.#most)
      for (const oldest of all.keys()) {
        all.delete(oldest);
        break;
      }
    const made = this.#make();
    all.set(name, made);
    return made;
  }
}

/** How an example names a request. */
export function requestAt({ id, atMs }: JournalEntry): string {
  return `request ${id} at ${iso(atMs)}`;
}
