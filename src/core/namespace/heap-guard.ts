import { InsufficientSpaceError } from "../schema/unavailable.js";
import type { HeapUse, HeapWatch } from "../time/heap-watch.js";
import { loadLazily } from "../time/load-lazily.js";

type LoadWatch = () => Promise<{ watchHeap(note: (use: HeapUse) => void): HeapWatch }>;

/** Changes are refused above this share of the heap limit. At a share of 0.8, V8 may end the process. */
const FULL_SHARE = 0.7;
/** Changes are accepted again below this share, which is lower so that the guard does not flip to and fro. */
const FREE_SHARE = 0.65;
/** From this many changes on, the heap is watched. Most sandboxes in tests make fewer. */
const WATCH_AFTER_CHANGES = 256;

/**
 * Refuses changes while memory is short; reads, resets and deletions go on. Without this guard V8 would end the process
 * with a message that names no remedy.
 */
export class HeapGuard {
  readonly #onError: (error: unknown) => void;
  readonly #load: LoadWatch;
  #changes = 0;
  #watch: HeapWatch | undefined;
  #shortage: InsufficientSpaceError | undefined;
  #isFreed = false;
  #isClosed = false;

  /** @param onError called once each time that memory gets short */
  constructor(onError: (error: unknown) => void, load: LoadWatch = () => import("../time/heap-watch.js")) {
    this.#onError = onError;
    this.#load = load;
  }

  /** Called before a change is committed. Throws while memory is short. */
  check(): void {
    if (++this.#changes === WATCH_AFTER_CHANGES) void this.#begin();
    if (this.#shortage === undefined) return;
    if (this.#isFreed) {
      this.#isFreed = false;
      this.#note(this.#watch!.measure());
    }
    if (this.#shortage !== undefined) throw this.#shortage;
  }

  /** Called when data is deleted. The next check measures the heap again before it refuses a change. */
  noteFreed(): void {
    this.#isFreed = true;
  }

  async #begin(): Promise<void> {
    const { watchHeap } = await loadLazily(this.#load);
    if (!this.#isClosed) this.#watch = watchHeap((use) => this.#note(use));
  }

  #note({ liveBytes, limitBytes }: HeapUse): void {
    const isFull = liveBytes > limitBytes * (this.#shortage === undefined ? FULL_SHARE : FREE_SHARE);
    if (!isFull) this.#shortage = undefined;
    else if (this.#shortage === undefined) {
      this.#shortage = new InsufficientSpaceError(
        `memory is short: ${inMB(liveBytes)} of the ${inMB(limitBytes)} MB that V8 may use are taken, so changes are refused. ` +
          'Reset or delete namespaces, keep less (config "retention"), or start with NODE_OPTIONS=--max-old-space-size=MB',
      );
      this.#onError(this.#shortage);
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
