import { parseDuration } from "../../core/schema/duration.js";
import { UserError } from "../../core/schema/user-error.js";
import { machineNowMs, pause } from "../../core/time/timers.js";
import type { Connection } from "./connection.js";

const POLL_MS = 50;

/** Resolves when the sandbox responds. Throws after the timeout. */
export async function waitUntilReady(connection: Connection, timeout: string): Promise<void> {
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === undefined) throw new UserError(`--timeout takes a duration such as 30s, not ${timeout}`);
  const endMs = machineNowMs() + timeoutMs;
  for (;;) {
    try {
      if ((await connection.send("GET", "/health")).ok) return;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
    if (machineNowMs() >= endMs) throw new UserError(`no sandbox at ${connection.url} within ${timeout}`);
    await pause(POLL_MS);
  }
}
