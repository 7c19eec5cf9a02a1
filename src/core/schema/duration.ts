import * as z from "zod/mini";
import { didYouMean } from "./nearest.js";
import { parseInstant } from "./time.js";

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `500ms`, `30s`, `10m`, `2h`, `1d`, and sums such as `1h30m`. */
export const DURATION_PATTERN = /^(\d+(\.\d+)?(ms|s|m|h|d))+$/;

/** Maximum duration: 10,000 years, because ISO timestamps have four-digit years. */
export const MAX_DURATION_MS = 10_000 * 366 * UNIT_MS.d;

const MAX_LENGTH = 100;

/** Milliseconds, or undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text.length > MAX_LENGTH || !DURATION_PATTERN.test(text)) return undefined;
  let total = 0;
  const parts = text.match(/[\d.]+|[a-z]+/g)!;
  for (let index = 0; index < parts.length; index += 2)
    total += Number(parts[index]) * UNIT_MS[parts[index + 1] as keyof typeof UNIT_MS];
  return total <= MAX_DURATION_MS ? Math.round(total) : undefined;
}

/** Formats milliseconds as the shortest exact duration: 5400000 becomes `1h30m`. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return "0s";
  let rest = durationMs;
  let text = "";
  for (const unit of ["d", "h", "m", "s", "ms"] as const) {
    const count = Math.floor(rest / UNIT_MS[unit]);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * UNIT_MS[unit];
  }
  return text;
}

/** Milliseconds of a duration that a schema has already checked. */
export function durationToMs(text: string): number {
  const parsed = parseDuration(text);
  if (parsed === undefined) throw new Error(`not a duration: ${text}`);
  return parsed;
}

const EXAMPLES = "a duration such as 500ms, 30s, 10m, 2h, 1d or 1h30m";
const DURATION = `must be ${EXAMPLES}`;

export const durationSchema = z.string(DURATION).check(
  // `abort` lets a union report its own error.
  z.refine((text) => parseDuration(text) !== undefined, {
    abort: true,
    error: ({ input }) => durationErrorMessage(input) ?? DURATION,
  }),
);

/** Error message for a duration over the limit; undefined for other text. */
export function durationErrorMessage(text: unknown): string | undefined {
  return typeof text === "string" && text.length <= MAX_LENGTH && DURATION_PATTERN.test(text)
    ? `is too long: a duration is at most ${formatDuration(MAX_DURATION_MS)}, which is 10,000 years`
    : undefined;
}

/** Error message for a value that may be a duration or one of some words. */
export function durationOrWordMessage(value: unknown, words: readonly string[]): string {
  const hint = typeof value === "string" ? didYouMean(value, words) : "";
  return durationErrorMessage(value) ?? `must be ${words.join(", ")} or ${EXAMPLES}${hint}`;
}

export const LONGEST_WAIT_MS = 10 * UNIT_MS.m;

/** Timeout of a waiting call, in wall time. */
export const waitDurationSchema = durationSchema.check(
  z.refine(
    (text) => (parseDuration(text) ?? 0) <= LONGEST_WAIT_MS,
    `must be at most ${formatDuration(LONGEST_WAIT_MS)}`,
  ),
);

export type AdvanceBody =
  | { readonly until: "next" | "idle" }
  | { readonly by: string }
  | { readonly to: string };

/** Parses a duration, an instant, `next` or `idle`; undefined for other text. */
export function parseAdvanceBody(text: string): AdvanceBody | undefined {
  if (text === "next" || text === "idle") return { until: text };
  if (parseDuration(text) !== undefined) return { by: text };
  return parseInstant(text) === undefined ? undefined : { to: text };
}
