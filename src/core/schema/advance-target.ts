import { parseDuration } from "./duration.js";
import { parseInstant } from "./time.js";

/** What time is moved by, to or until, as the control API is asked for it. */
export type AdvanceTarget =
  | { readonly until: "next" | "idle" }
  | { readonly by: string }
  | { readonly to: string };

/** The target that a duration, an instant, `next` or `idle` stands for; undefined for any other text. */
export function advanceTarget(text: string): AdvanceTarget | undefined {
  if (text === "next" || text === "idle") return { until: text };
  if (parseDuration(text) !== undefined) return { by: text };
  return parseInstant(text) === undefined ? undefined : { to: text };
}
