/** The last instant that still has a four-digit year; sandbox time never passes it. */
export const MAX_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The instant, or the end of time for one that would come after it: what is planned for later is due then. */
export function withinTime(atMs: number): number {
  return Math.min(atMs, MAX_INSTANT_MS);
}

let lastMs = Number.NaN;
let lastText = "";
let otherMs = Number.NaN;
let otherText = "";

/**
 * ISO 8601 with milliseconds and Z. The last two answers are kept: what is made at an instant has that written many times,
 * and in between when it expires. Never throws: every answer says what time it is, an error's too.
 */
export function iso(atMs: number): string {
  if (atMs === lastMs) return lastText;
  const text = atMs === otherMs ? otherText : new Date(atMs >= 0 ? withinTime(atMs) : 0).toISOString();
  otherMs = lastMs;
  otherText = lastText;
  lastMs = atMs;
  lastText = text;
  return text;
}

/** An ISO 8601 instant with a zone, or a day, which begins in UTC. */
export const INSTANT_PATTERN = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/;

/** Milliseconds of an ISO 8601 instant with a zone, or undefined when it is not one. */
export function parseInstant(text: string): number | undefined {
  if (!INSTANT_PATTERN.test(text)) return undefined;
  const day = text.slice(0, 10);
  // Date takes 30 February for 2 March.
  const dayMs = Date.parse(day);
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, 10) !== day) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) || atMs < 0 || atMs > MAX_INSTANT_MS ? undefined : atMs;
}

/** What is wrong with a text that is written as an instant, or nearly so. */
export function instantFault(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?$/.test(text))
    return "needs a zone: write a Z behind it for UTC";
  if (!INSTANT_PATTERN.test(text) || text < "1970") return undefined;
  return "names a day or a time there is not";
}

/** A Date as ISO text; a text is left as it is, and of what is neither there is no instant. */
export function instantText(target: string | Date): string {
  if (typeof target === "string") return target;
  return Number.isFinite(target?.getTime?.()) ? target.toISOString() : String(target);
}
