import { lazily } from "../schema/lazily.js";
import { NoRoom } from "../schema/no-room.js";
import type { HeapUse, HeapWatch } from "../time/heap-watch.js";

type LoadWatch = () => Promise<{ watchHeap(note: (use: HeapUse) => void): HeapWatch }>;

/**
 * From 0.8 on V8 gives up where collecting garbage four times took most of the time and gained little. Reads work on
 * when it is full here, and on a busy machine most of the time is lost anyway: so full is well before that.
 */
const FULL = 0.7;
/** Once full, so much has to be free again that it is not full again at once. */
const ROOMY = 0.65;
/** A start, and most sandboxes of a test, do less than would make it worth while to look. */
const WATCH_AFTER_CHANGES = 256;

/**
 * Refuses changes while memory is short. V8 ends a process whose heap is full, with nothing in what it says that a user
 * could act on; reads, resets and what deletes go on instead.
 */
export class HeapGuard {
  readonly #onError: (error: unknown) => void;
  readonly #load: LoadWatch;
  #changes = 0;
  #watch: HeapWatch | undefined;
  #noRoom: NoRoom | undefined;
  #isFreed = false;
  #isClosed = false;

  /** @param onError told once each time that memory gets short */
  constructor(onError: (error: unknown) => void, load: LoadWatch = () => import("../time/heap-watch.js")) {
    this.#onError = onError;
    this.#load = load;
  }

  /** To be called before a change is kept. @throws NoRoom when there is none for it */
  check(): void {
    if (++this.#changes === WATCH_AFTER_CHANGES) void this.#begin();
    if (this.#noRoom === undefined) return;
    if (this.#isFreed) {
      this.#isFreed = false;
      this.#note(this.#watch!.measure());
    }
    if (this.#noRoom !== undefined) throw this.#noRoom;
  }

  /** Much may have become garbage: whoever comes next and finds no room looks again. */
  noteFreed(): void {
    this.#isFreed = true;
  }

  async #begin(): Promise<void> {
    const { watchHeap } = await lazily(this.#load);
    if (!this.#isClosed) this.#watch = watchHeap((use) => this.#note(use));
  }

  #note({ liveBytes, limitBytes }: HeapUse): void {
    const isFull = liveBytes > limitBytes * (this.#noRoom === undefined ? FULL : ROOMY);
    if (!isFull) this.#noRoom = undefined;
    else if (this.#noRoom === undefined) {
      this.#noRoom = new NoRoom(
        `memory is short: ${inMB(liveBytes)} of the ${inMB(limitBytes)} MB that V8 may use are taken, so nothing more is made or changed. ` +
          'Reset or delete namespaces, keep less (config "retention"), or start with NODE_OPTIONS=--max-old-space-size=MB',
      );
      this.#onError(this.#noRoom);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#watch?.close();
  }
}

function inMB(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
