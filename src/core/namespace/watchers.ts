import type { Change, RecordKey } from "../engine/records.js";
import { afterPendingIo } from "../time/timers.js";
import {
  createSlicer,
  type Deadline,
  onDeadline,
  type WallClock,
  yieldToEventLoop,
} from "../time/wall-clock.js";
import type { RequestEntry } from "./request-journal.js";

/** Changes that the waiting calls have not checked yet. */
export class WatchedChanges<Request = RequestEntry> {
  /** Keys of changed or deleted charges. */
  readonly charges = new Set<RecordKey>();
  readonly deliveries = new Set<RecordKey>();
  readonly requests: Request[] = [];
  /** Cache of views of the changed records, shared by all waiting calls. */
  readonly views = new Map<object, object>();
}

export interface WaitCondition<Request = RequestEntry> {
  /** Checks all records and requests, with a yield after each. */
  checkAll(): Iterable<unknown>;
  checkChanges(changes: WatchedChanges<Request>): Iterable<unknown>;
  isMet(): boolean;
}

/** Reason why a wait ended: condition met, timeout, client disconnected, namespace closed, too many waits. */
export type WaitEndReason = "met" | "late" | "left" | "closed" | "crowded";

const MAX_WAITS = 1_000;

interface Wait<Request> {
  readonly watch: WaitCondition<Request>;
  readonly end: (end: WaitEndReason) => void;
  readonly fail: (error: unknown) => void;
  /** Number of the call's latest full check. A new full check cancels the earlier ones. */
  round: number;
}

/** The first check of a waiting call covers all records; later checks cover only changes, in batches. */
export class PendingWaits<Request = RequestEntry> {
  readonly #wall: WallClock;
  readonly #waits = new Set<Wait<Request>>();
  /** Created by the first change while a call waits. */
  #changes: WatchedChanges<Request> | undefined;
  #isPlanned = false;
  /** Resolves when the queued full checks have ended. */
  #lastCheck: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(wall: WallClock) {
    this.#wall = wall;
  }

  #collected(): WatchedChanges<Request> {
    return (this.#changes ??= new WatchedChanges());
  }

  onChange({ puts }: Change): void {
    if (this.#waits.size === 0) return;
    for (const [name, key] of puts)
      if (name === "charges" || name === "deliveries") this.#collected()[name].add(key);
    this.onWake();
  }

  onRequest(request: Request): void {
    if (this.#waits.size === 0) return;
    this.#collected().requests.push(request);
    this.onWake();
  }

  /** Schedules a check of all waiting calls. Called after a change, and when the namespace may have become idle. */
  onWake(): void {
    if (this.#waits.size === 0 || this.#isPlanned) return;
    this.#isPlanned = true;
    afterPendingIo(() => {
      this.#isPlanned = false;
      void this.#checkChanges();
    });
  }

  startOver(): void {
    this.#changes = undefined;
    for (const wait of this.#waits) this.#planCheck(wait);
  }

  /** Runs to its end at once, unless it takes longer than a slice of time. */
  async #checkChanges(): Promise<void> {
    const changes = this.#collected();
    this.#changes = undefined;
    const isSliceOver = createSlicer();
    for (const wait of [...this.#waits]) {
      const { watch, end, fail } = wait;
      try {
        for (const _ of watch.checkChanges(changes)) if (isSliceOver()) await yieldToEventLoop();
        if (this.#waits.has(wait) && watch.isMet()) end("met");
      } catch (error) {
        fail(error);
      }
    }
  }

  /** Queues a full check; one runs at a time. */
  #planCheck(wait: Wait<Request>): void {
    const round = ++wait.round;
    const isOver = () => wait.round !== round || !this.#waits.has(wait);
    this.#lastCheck = this.#lastCheck.then(() => this.#checkAll(wait, isOver));
  }

  /** Yields to the event loop between slices of time and at the end. */
  async #checkAll({ watch, end, fail }: Wait<Request>, isOver: () => boolean): Promise<void> {
    if (isOver()) return;
    try {
      const isSliceOver = createSlicer();
      for (const _ of watch.checkAll()) {
        if (isSliceOver()) await yieldToEventLoop();
        if (isOver()) return;
      }
      if (watch.isMet()) end("met");
    } catch (error) {
      fail(error);
    } finally {
      await yieldToEventLoop();
    }
  }

  waitFor(watch: WaitCondition<Request>, patience: Deadline): Promise<WaitEndReason> {
    if (this.#isClosed) return Promise.resolve("closed");
    if (patience.signal.aborted) return Promise.resolve("left");
    if (this.#waits.size >= MAX_WAITS) return Promise.resolve("crowded");
    return new Promise((resolve, reject) => {
      const remove = (): void => {
        this.#waits.delete(wait);
        cancelTimeout();
      };
      const end = (reason: WaitEndReason): void => {
        remove();
        resolve(reason);
      };
      const fail = (error: unknown): void => {
        remove();
        reject(error);
      };
      const wait: Wait<Request> = { watch, end, fail, round: 0 };
      const cancelTimeout = onDeadline(this.#wall, patience, (reason) => {
        const endAsIs = () => this.#waits.has(wait) && end(reason);
        if (reason === "late") void this.#checkChanges().then(endAsIs);
        else endAsIs();
      });
      this.#waits.add(wait);
      this.#planCheck(wait);
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const { end } of [...this.#waits]) end("closed");
  }
}
