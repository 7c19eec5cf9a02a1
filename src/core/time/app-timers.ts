import { syncBuiltinESMExports } from "node:module";
import * as timers from "node:timers";
import * as timersPromises from "node:timers/promises";
import { promisify } from "node:util";
import { replaceMembers } from "./replace-members.js";
import { hasNodeTimers, NODE_TIMERS, releaseTimers, takeTimers } from "./timers.js";

interface Timer {
  /** Timers of one moment fire in this order. */
  order: number;
  dueMs: number;
  readonly run: () => void;
  /** Undefined for a timer that fires once. */
  readonly everyMs: number | undefined;
}

type Callback = (...values: unknown[]) => void;
interface PauseOptions {
  readonly signal?: AbortSignal;
}

/**
 * The timers of an app in this process, on sandbox time: `setTimeout` and `setInterval` of the global object, of
 * `node:timers` and of `node:timers/promises`. `fireNext` fires them. The sandbox itself has Node's own.
 */
export class AppTimers {
  readonly #timers = new Map<number, Timer>();
  readonly #sandboxNowMs: () => number;
  readonly #restore: () => void;
  readonly #ownSetTimeout: unknown;
  #isReleased = false;
  #lastId = 0;
  /** Time of the last timer that fired although sandbox time stood still. */
  #aheadMs = Number.NEGATIVE_INFINITY;

  /** Replaces the timers until `restore` is called. */
  constructor(sandboxNowMs: () => number) {
    this.#sandboxNowMs = sandboxNowMs;
    const own = this.#ownTimers();
    this.#ownSetTimeout = own.setTimeout;
    const { default: promises } = timersPromises as unknown as { readonly default: typeof timersPromises };
    const restores = [
      replaceMembers(globalThis, own),
      replaceMembers((timers as unknown as { readonly default: object }).default, own),
      replaceMembers(promises, {
        setTimeout: this.#pause,
        setInterval: (ms?: number, value?: unknown, options?: PauseOptions) =>
          this.#pauses(ms, value, options),
      }),
      replaceMembers(promises.scheduler, {
        wait: (ms?: number, options?: PauseOptions) => this.#pause(ms, undefined, options),
      }),
    ];
    // Named imports of the app also see the replacement.
    syncBuiltinESMExports();
    takeTimers();
    this.#restore = () => {
      for (const restore of restores) restore();
      syncBuiltinESMExports();
      releaseTimers(own.setTimeout);
    };
  }

  #ownTimers() {
    const set = (run: Callback, ms: unknown, values: readonly unknown[], isRepeated: boolean) => {
      if (typeof run !== "function") throw new TypeError("a timer needs a function");
      return this.#add(() => run(...values), ms, isRepeated);
    };
    const clear = (handle: unknown) => {
      if (isNodeTimer(handle) || !this.#timers.delete(Number(handle)))
        NODE_TIMERS.clearTimeout(handle as NodeJS.Timeout);
    };
    const setTimeout = (run: Callback, ms?: number, ...values: unknown[]) =>
      this.#isReleased || isCalledByNode(setTimeout)
        ? NODE_TIMERS.setTimeout(run, ms, ...values)
        : set(run, ms, values, false);
    const setInterval = (run: Callback, ms?: number, ...values: unknown[]) =>
      this.#isReleased ? NODE_TIMERS.setInterval(run, ms, ...values) : set(run, ms, values, true);
    Object.defineProperty(setTimeout, promisify.custom, { value: this.#pause });
    return { setTimeout, setInterval, clearTimeout: clear, clearInterval: clear };
  }

  #add(run: () => void, delayMs: unknown, isRepeated: boolean) {
    const id = ++this.#lastId;
    const ms = Math.max(isRepeated ? 1 : 0, Number(delayMs) || 0);
    const start = () =>
      this.#timers.set(id, {
        order: ++this.#lastId,
        dueMs: this.#nowMs + ms,
        run,
        everyMs: isRepeated ? ms : undefined,
      });
    start();
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
      refresh: () => {
        start();
        return handle;
      },
      close: () => {
        this.#timers.delete(id);
        return handle;
      },
      [Symbol.toPrimitive]: () => id,
      [Symbol.dispose]: () => void this.#timers.delete(id),
    };
    return handle;
  }

  readonly #pause = (ms?: number, value?: unknown, { signal }: PauseOptions = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const leave = () => reject(new DOMException("The operation was aborted", "AbortError"));
      if (signal?.aborted) return leave();
      const { close } = this.#add(() => resolve(value), ms, false);
      signal?.addEventListener("abort", () => {
        close();
        leave();
      });
    });

  async *#pauses(ms?: number, value?: unknown, options?: PauseOptions): AsyncGenerator<unknown, void> {
    for (;;) yield await this.#pause(ms, value, options);
  }

  get #nowMs(): number {
    return Math.max(this.#sandboxNowMs(), this.#aheadMs);
  }

  /** The replacement is in place: no test has installed fake timers since. */
  get isInstalled(): boolean {
    return Object.is(globalThis.setTimeout, this.#ownSetTimeout);
  }

  restore(): void {
    this.#timers.clear();
    this.#isReleased = true;
    this.#restore();
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values()) if (next === undefined || isEarlier(timer, next)) next = timer;
    return next;
  }

  /** When the earliest timer is due, in sandbox time; undefined without one. */
  get nextDueMs(): number | undefined {
    return this.#next()?.dueMs;
  }

  /** Counts the timers that are due by `untilMs` and fire once. */
  countDue(untilMs: number): number {
    const all = [...this.#timers.values()];
    return all.filter(({ dueMs, everyMs }) => dueMs <= untilMs && everyMs === undefined).length;
  }

  /** Fires the earliest timer, if it is due by `untilMs`. A later one makes the timers' time run ahead. */
  fireNext(untilMs = Infinity): boolean {
    const timer = this.#next();
    if (timer === undefined || timer.dueMs > untilMs) return false;
    this.#aheadMs = Math.max(this.#aheadMs, timer.dueMs);
    for (const [id, one] of this.#timers) {
      if (one !== timer) continue;
      if (timer.everyMs === undefined) this.#timers.delete(id);
      else {
        timer.dueMs += timer.everyMs;
        timer.order = ++this.#lastId;
      }
    }
    timer.run();
    return true;
  }

  /** Puts off to `toMs` what is due before, as a machine does that was asleep. */
  postpone(toMs: number): void {
    for (const timer of this.#timers.values()) timer.dueMs = Math.max(timer.dueMs, toMs);
  }
}

/**
 * Returns true if a library of Node, its `fetch`, has called the function. Its timers close idle connections, which would
 * all be idle for days of sandbox time.
 */
function isCalledByNode(called: (...values: never[]) => unknown): boolean {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Object.assign(Error, {
    stackTraceLimit: 1,
    prepareStackTrace: (_: Error, [caller]: NodeJS.CallSite[]) => caller,
  });
  const trace: { readonly stack?: NodeJS.CallSite } = {};
  Error.captureStackTrace(trace, called);
  const file = trace.stack?.getFileName();
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return file?.startsWith("node:internal/deps/") === true;
}

/** Both kinds of timers convert to numbers, which may be the same. */
function isNodeTimer(handle: unknown): boolean {
  return typeof handle === "object" && handle !== null && !Object.hasOwn(handle, Symbol.toPrimitive);
}

function isEarlier(one: Timer, other: Timer): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

/** Why an exploration cannot replace the timers; undefined if it can. */
export function timersFault(): string | undefined {
  return hasNodeTimers()
    ? undefined
    : "setTimeout is not Node's own: end the fake timers first, and use no browser environment";
}
