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
