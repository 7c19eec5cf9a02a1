import type { EventRecord } from "./records.js";

/** Those forgotten are dropped when there are so many. */
const DROP_AT = 1_024;

/**
 * Events that nobody has looked for since they came, in their order: in no table and no index. Where nobody listens most
 * leave the log from here.
 */
export class UnfiledEvents {
  #events: EventRecord[] = [];
  /** How many of them, from the oldest on, are gone for good, ... */
  #forgotten = 0;
  /** ... and how many are gone in all: those may come back yet. */
  #gone = 0;

  get size(): number {
    return this.#events.length - this.#gone;
  }

  has({ seq }: EventRecord): boolean {
    return this.size > 0 && seq >= this.#events[this.#gone]!.seq;
  }

  add(event: EventRecord): void {
    this.#events.push(event);
  }

  /** The newest is taken back; false when it is not here. */
  takeBack(seq: number): boolean {
    if (this.size === 0 || this.#events.at(-1)!.seq !== seq) return false;
    this.#events.pop();
    return true;
  }

  /** The oldest goes; undefined when that one is not here. */
  letGo(seq: number): EventRecord | undefined {
    const oldest = this.#events[this.#gone];
    if (oldest?.seq !== seq) return undefined;
    this.#gone++;
    return oldest;
  }

  /** The one that went last is there again; false when it is not here. */
  putBack(seq: number): boolean {
    if (this.#gone === this.#forgotten || this.#events[this.#gone - 1]!.seq !== seq) return false;
    this.#gone--;
    return true;
  }

  /** Those that are gone do not come back. */
  forgetGone(): void {
    this.#forgotten = this.#gone;
    if (this.#forgotten < DROP_AT) return;
    this.#events = this.#events.slice(this.#forgotten);
    this.#forgotten = 0;
    this.#gone = 0;
  }

  /** Up to so many, oldest first; none with a higher number than that. */
  oldest(limit: number, highestSeq: number): EventRecord[] {
    const found: EventRecord[] = [];
    for (let place = this.#gone; found.length < limit; place++) {
      const event = this.#events[place];
      if (event === undefined || event.seq > highestSeq) break;
      found.push(event);
    }
    return found;
  }

  *[Symbol.iterator](): Generator<EventRecord> {
    for (let place = this.#gone; place < this.#events.length; place++) yield this.#events[place]!;
  }

  /** Takes all of them out; those that are gone may come back yet. */
  takeAll(): { readonly gone: readonly EventRecord[]; readonly events: readonly EventRecord[] } {
    const gone = this.#events.slice(this.#forgotten, this.#gone);
    const events = this.#events.slice(this.#gone);
    this.#events = [];
    this.#forgotten = 0;
    this.#gone = 0;
    return { gone, events };
  }
}
