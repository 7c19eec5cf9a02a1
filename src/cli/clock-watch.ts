import type { ControlClient } from "../core/client/control-client.js";
import { monotonicMs } from "../core/time/wall-clock.js";

/** Sandbox time before and after a run that moved the clock. */
export interface MovedClock {
  readonly before: string;
  readonly now: string;
}

/** Minimum advance that counts as moved. Smaller differences come from the duration of the calls. */
const SHORTEST_MS = 1_000;

/** Reads the clock. The returned check resolves with undefined if it was not moved ahead, or cannot be read. */
export async function watchClock(client: ControlClient): Promise<() => Promise<MovedClock | undefined>> {
  const read = () =>
    client.run<{ now: string; mode: string; speed: number }>("getClock").then(
      (clock) => ({ ...clock, wallMs: monotonicMs() }),
      () => undefined,
    );
  const before = await read();
  return async () => {
    const after = await read();
    if (before === undefined || after === undefined) return undefined;
    const speed = before.mode === "manual" ? 0 : before.speed;
    const expectedMs = Date.parse(before.now) + (after.wallMs - before.wallMs) * speed;
    const isMoved = Date.parse(after.now) - expectedMs >= SHORTEST_MS;
    return isMoved ? { before: before.now, now: after.now } : undefined;
  };
}

export function movedClockText({ before, now }: MovedClock): string {
  return `the sandbox's clock stands at ${now} (before: ${before}) until the sandbox ends, or until npx payments-sandbox reset, which deletes every charge\n`;
}
