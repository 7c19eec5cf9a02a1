import type { RunContext } from "../running/context.js";

const WITHIN = "20s";

/**
 * What has been set in motion comes to its end before anything is looked at: an event's first attempt begins
 * after the call that caused it has been answered. If that takes too long, things are looked at as they are.
 */
export async function settle({ client }: RunContext): Promise<void> {
  await client.control("POST", "/wait", { for: "idle", timeout: WITHIN });
}
