import type { EventRecord, Key, Put } from "./records.js";
import { first, Table } from "./table.js";
import { UnfiledEvents } from "./unfiled-events.js";

/** More are filed at once, be the log as long as it may: somebody waits for that, and it is a matter of milliseconds so. */
const MOST_UNFILED = 16_384;

/** That of an event that nobody hears, or that goes before anybody has looked for it. */
export type NumberedPut = readonly ["events", seq: number, event: EventRecord | null];

export function isNumbered(put: Put): put is NumberedPut {
  return typeof put[1] === "number" && put[0] === "events";
}

/** What the log needs of the state it is part of. */
export interface LogOptions {
  /** @param isBack whether `after` is what there was before `before` */
  readonly index: (before: EventRecord | undefined, after: EventRecord | undefined, isBack?: boolean) => void;
  /** The event with that number, which has been filed. */
  readonly filed: (seq: number) => EventRecord;
}

/**
 * The events, and those that are not filed yet. Whoever looks for one has them filed; to count, freeze or sample them, or
 * for one to go, that is not needed.
 */
export class EventLog extends Table<EventRecord> {
  readonly #unfiled = new UnfiledEvents();
  readonly #options: LogOptions;

  constructor(options: LogOptions) {
    super();
    this.#options = options;
  }

  putNumbered([, seq, event]: NumberedPut): void {
    if (event !== null) this.#add(event);
    else if (this.#unfiled.letGo(seq) === undefined) {
      const filed = this.#options.filed(seq);
      super.delete(filed.event_id);
      this.#options.index(filed, undefined);
    }
  }

  /** As `putNumbered`, until `takeBackNumbered`. @returns what has gone by it */
  tryNumbered([, seq, event]: NumberedPut): EventRecord | undefined {
    if (event !== null) {
      this.#add(event);
      return undefined;
    }
    const gone = this.#unfiled.letGo(seq);
    if (gone !== undefined) return gone;
    const filed = this.#options.filed(seq);
    this.hide(filed.event_id);
    this.#options.index(filed, undefined);
    return filed;
  }

  /** By then it may have been filed. */
  takeBackNumbered([, seq, event]: NumberedPut, gone: EventRecord | undefined): void {
    if (event !== null) {
      if (this.#unfiled.takeBack(seq)) return;
      super.delete(event.event_id);
      this.#options.index(event, undefined, true);
    } else if (gone !== undefined && !this.#unfiled.putBack(seq)) {
      this.unhide(gone.event_id, gone);
      this.#options.index(undefined, gone, true);
    }
  }

  /** Those that have gone do not come back. */
  forgetGone(): void {
    this.#unfiled.forgetGone();
  }

  #add(event: EventRecord): void {
    if (this.#unfiled.size === MOST_UNFILED) this.file();
    this.#unfiled.add(event);
  }

  isUnfiled(event: EventRecord): boolean {
    return this.#unfiled.has(event);
  }

  oldestUnfiled(limit: number, highestSeq: number): EventRecord[] {
    return this.#unfiled.oldest(limit, highestSeq);
  }

  /** Puts all in their place and in the indexes, for somebody looks for one. */
  file(): void {
    if (this.#unfiled.size === 0) return;
    const { gone, events } = this.#unfiled.takeAll();
    for (const event of gone) {
      super.set(event.event_id, event);
      this.hide(event.event_id);
    }
    for (const event of events) {
      super.set(event.event_id, event);
      this.#options.index(undefined, event);
    }
  }

  override oldest(limit: number): [Key, EventRecord][] {
    const filed = first(super.entries(), limit);
    const unfiled = this.#unfiled.oldest(limit - filed.length, Number.POSITIVE_INFINITY);
    return [...filed, ...unfiled.map((event): [Key, EventRecord] => [event.event_id, event])];
  }

  override entriesNow(): { readonly keys: Key[]; readonly records: EventRecord[] } {
    return { keys: [...super.keys()], records: [...super.values(), ...this.#unfiled] };
  }

  override get(key: Key): EventRecord | undefined {
    this.file();
    return super.get(key);
  }

  override has(key: Key): boolean {
    this.file();
    return super.has(key);
  }

  override get size(): number {
    return super.size + this.#unfiled.size;
  }

  override keys(): MapIterator<Key> {
    this.file();
    return super.keys();
  }

  override values(): MapIterator<EventRecord> {
    this.file();
    return super.values();
  }

  override entries(): MapIterator<[Key, EventRecord]> {
    this.file();
    return super.entries();
  }
}
