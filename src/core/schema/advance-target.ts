import { parseDuration } from "./duration.js";
import { parseInstant } from "./time.js";

/** Body of an advance request. */
export type AdvanceTarget =
  | { readonly until: "next" | "idle" }
  | { readonly by: string }
  | { readonly to: string };

/** Parses a duration, an instant, `next` or `idle`; undefined for other text. */
export function advanceTarget(text: string): AdvanceTarget | undefined {
  if (text === "next" || text === "idle") return { until: text };
  if (parseDuration(text) !== undefined) return { by: text };
  return parseInstant(text) === undefined ? undefined : { to: text };
}
