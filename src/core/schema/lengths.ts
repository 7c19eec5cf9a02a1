import * as z from "zod/mini";

/**
 * Zod's own length checks measure anything that has a `length`, the object `{"length": {}}` too, and stumble
 * when that is no number. These measure texts and lists only.
 */
export function minLength(minimum: number, message?: string) {
  return measuring(z.minLength(minimum, message));
}

export function maxLength(maximum: number, message?: string) {
  return measuring(z.maxLength(maximum, message));
}

/** The longest texts that are taken, by what they are. What is kept, matched and shown for ever has to end somewhere. */
export const LONGEST = {
  name: 255,
  email: 254,
  url: 2_048,
  account: 64,
  reason: 500,
  message: 2_000,
  glob: 200,
  eventGlob: 100,
} as const;

/** Texts of at most so many characters. */
export function atMost(maximum: number) {
  return maxLength(maximum, `must be at most ${maximum} characters`);
}

/** Lists of at most so many entries. */
export function entriesAtMost(maximum: number) {
  return maxLength(maximum, `must have at most ${maximum} entries`);
}

function measuring<Check extends z.core.$ZodCheck<z.core.util.HasLength>>(check: Check): Check {
  check._zod.def.when = ({ value }) => typeof value === "string" || Array.isArray(value);
  return check;
}
