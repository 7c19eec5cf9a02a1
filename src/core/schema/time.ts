import * as z from "zod/mini";
import { didYouMean } from "./nearest.js";

/** The last instant with a four-digit year; sandbox time never passes it. */
export const MAX_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Limits an instant to the maximum, so that tasks planned for later still fall due. */
export function clampInstant(atMs: number): number {
  return Math.min(atMs, MAX_INSTANT_MS);
}

/** Formats as ISO 8601 with milliseconds and Z. Never throws, because each error response contains a time. */
export function iso(atMs: number): string {
  return new Date(atMs >= 0 ? clampInstant(atMs) : 0).toISOString();
}

/** An ISO 8601 instant with a zone, or a date. A date means 00:00 UTC. */
export const INSTANT_PATTERN = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/;

/** Milliseconds since 1970, or undefined if the text is not an instant. */
export function parseInstant(text: string): number | undefined {
  if (!INSTANT_PATTERN.test(text)) return undefined;
  const day = text.slice(0, 10);
  // Date.parse reads 30 February as 2 March.
  const dayMs = Date.parse(day);
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, 10) !== day) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) || atMs < 0 || atMs > MAX_INSTANT_MS ? undefined : atMs;
}

/** Error message for text with the form of an instant but an invalid value; undefined for other text. */
export function instantErrorMessage(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?$/.test(text))
    return "needs a time zone: append Z for UTC";
  if (!INSTANT_PATTERN.test(text) || text < "1970") return undefined;
  return "is not an existing date or time";
}

/** Converts a Date to ISO text; returns text as it is. An invalid value becomes text that no parser accepts. */
export function instantText(target: string | Date): string {
  if (typeof target === "string") return target;
  return Number.isFinite(target?.getTime?.()) ? target.toISOString() : String(target);
}

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

/** `4 m 40 s`: the two largest units, each with a no-break space before it. */
export function readableDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)}\u00a0s`;
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "m"],
    [1, "s"],
  ] as const;
  const first = units.findIndex(([size]) => seconds >= size);
  let rest = Math.round(seconds);
  return units
    .slice(first, first + 2)
    .map(([size, name]) => {
      const many = Math.floor(rest / size);
      rest -= many * size;
      return many === 0 ? "" : `${many}\u00a0${name}`;
    })
    .filter((part) => part !== "")
    .join(" ");
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
