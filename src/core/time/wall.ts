import { randomBytes } from "node:crypto";
import { monotonicMs, soon } from "./timers.js";

export { monotonicMs } from "./timers.js";

/**
 * The only place that asks the machine for the time or for a timer. Tests and embedders may hand in their own.
 */
export interface Wall {
  nowMs(): number;
  /** Milliseconds since some moment; unlike `nowMs` it is never set back. */
  monotonicMs(): number;
  /**
   * Calls back once after that long, or a little later; returns how to call it off. Planned work does not keep
   * the process running; somebody who waits for an answer does (`isAwaited`).
   */
  after(delayMs: number, callback: () => void, isAwaited?: boolean): () => void;
}

/** The longest a timer can wait: above it, setTimeout fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemWall: Wall = {
  nowMs: () => Date.now(),
  monotonicMs,
  after(delayMs, callback, isAwaited = false) {
    const timer = setTimeout(callback, Math.min(Math.max(0, Math.ceil(delayMs)), MAX_TIMER_MS));
    if (!isAwaited) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Lets everything else on the event loop have its turn. */
export function yieldToOthers(): Promise<void> {
  return new Promise(soon);
}

const BUSY_MS = 4;
let yieldedMs = Number.NEGATIVE_INFINITY;

/** Yields to the event loop if nobody has for a few milliseconds: for work in this process that never waits for a socket. */
export async function yieldIfBusy(): Promise<void> {
  if (monotonicMs() - yieldedMs < BUSY_MS) return;
  await yieldToOthers();
  yieldedMs = monotonicMs();
}

/** The same items, and between two of them everything else on the event loop has its turn. */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  for (const item of items) {
    yield item;
    await yieldToOthers();
  }
}

/** A seed nobody asked for: different at each start, and cheap; nothing secret hangs on it. */
export function madeUpSeed(): string {
  const nanoseconds = process.hrtime.bigint();
  return ((BigInt(Date.now()) << 24n) ^ (nanoseconds * 2654435761n) ^ BigInt(process.pid))
    .toString(36)
    .slice(-10);
}

/** Keeps the process running while work is under way that no socket or timer of ours holds it for. */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, MAX_TIMER_MS);
  return () => clearInterval(timer);
}

/** Tells one thing from any other there is. */
export function madeUpInstance(): string {
  return randomBytes(8).toString("hex");
}

/** A token that cannot be guessed. */
export function madeUpToken(): string {
  return randomBytes(24).toString("base64url");
}
