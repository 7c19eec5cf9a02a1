import type { Change, Key } from "../engine/records.js";
import { type Patience, whenOver } from "../time/patience.js";
import { soon } from "../time/timers.js";
import { inTurns, type Wall, yieldToOthers } from "../time/wall.js";
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

const MOST_WAITING = 1_000;

/** Changes collected for the next check. */
class Gathered<Request> implements News<Request> {
  readonly charges = new Set<Key>();
  readonly deliveries = new Set<Key>();
  readonly requests: Request[] = [];
  readonly views = new Map<object, object>();
}

interface Waiting<Request> {
  readonly watch: Watch<Request>;
  readonly end: (end: WatchEnd) => void;
  readonly fail: (error: unknown) => void;
  /** Incremented by each full check, which cancels earlier ones. */
  round: number;
}

/**
 * Calls that wait for a condition. Each checks everything once, then the changes after each burst. Costs nothing
 * without waiting calls.
 */
export class Watchers<Request = JournalEntry> {
  readonly #wall: Wall;
  readonly #waiting = new Set<Waiting<Request>>();
  /** Created on demand. */
  #news: Gathered<Request> | undefined;
  #isPlanned = false;
  /** End of the queued full checks. */
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  #gathered(): Gathered<Request> {
    return (this.#news ??= new Gathered());
  }

  onChange({ puts }: Change): void {
    if (this.#waiting.size === 0) return;
    for (const [name, key] of puts)
      if (name === "charges" || name === "deliveries") this.#gathered()[name].add(key);
    this.onWake();
  }

  onArrival(request: Request): void {
    this.onRequest(request);
  }

  onRequest(request: Request): void {
    if (this.#waiting.size === 0) return;
    this.#gathered().requests.push(request);
    this.onWake();
  }

  /** Called also for a possible idle state, which is not a change. */
  onWake(): void {
    if (this.#waiting.size === 0 || this.#isPlanned) return;
    this.#isPlanned = true;
    soon(() => {
      this.#isPlanned = false;
      this.#tell();
    });
  }

  /** Repeats the full check of each waiting call. */
  startOver(): void {
    this.#news = undefined;
    for (const waiting of this.#waiting) this.#planLook(waiting);
  }

  #tell(): void {
    const news = this.#gathered();
    this.#news = undefined;
    for (const { watch, end, fail } of [...this.#waiting]) {
      try {
        watch.look(news);
        if (watch.isMet()) end("met");
      } catch (error) {
        fail(error);
      }
    }
  }

  /** One at a time. */
  #planLook(waiting: Waiting<Request>): void {
    const round = ++waiting.round;
    const isOver = () => waiting.round !== round || !this.#waiting.has(waiting);
    this.#looking = this.#looking.then(() => this.#lookAround(waiting, isOver));
  }

  /** Yields meanwhile and afterwards. */
  async #lookAround({ watch, end, fail }: Waiting<Request>, isOver: () => boolean): Promise<void> {
    if (isOver()) return;
    try {
      for await (const _ of inTurns(watch.lookAround())) if (isOver()) return;
      if (watch.isMet()) end("met");
    } catch (error) {
      fail(error);
    } finally {
      await yieldToOthers();
    }
  }

  /** Resolves when the condition is met, or with the reason why the wait ended. */
  until(watch: Watch<Request>, patience: Patience): Promise<WatchEnd> {
    if (this.#isClosed) return Promise.resolve("closed");
    if (patience.signal.aborted) return Promise.resolve("left");
    if (this.#waiting.size >= MOST_WAITING) return Promise.resolve("crowded");
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting);
        callOff();
      };
      const end = (how: WatchEnd): void => {
        leave();
        resolve(how);
      };
      const fail = (error: unknown): void => {
        leave();
        reject(error);
      };
      const waiting: Waiting<Request> = { watch, end, fail, round: 0 };
      const callOff = whenOver(this.#wall, patience, (how) => {
        if (how === "late") this.#tell();
        if (this.#waiting.has(waiting)) end(how);
      });
      this.#waiting.add(waiting);
      this.#planLook(waiting);
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const { end } of [...this.#waiting]) end("closed");
  }
}
