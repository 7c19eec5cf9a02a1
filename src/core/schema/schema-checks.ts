import * as z from "zod/mini";

/** Checks text and lists only. Zod's own check measures any value with a `length`, and throws on `{"length": {}}`. */
export function minLength(minimum: number, message?: string) {
  return onlyTextAndLists(z.minLength(minimum, message));
}

export function maxLength(maximum: number, message?: string) {
  return onlyTextAndLists(z.maxLength(maximum, message));
}

/** Maximum lengths of text, in UTF-16 units. */
export const MAX_LENGTHS = {
  name: 255,
  email: 254,
  url: 2_048,
  account: 64,
  reason: 500,
  message: 2_000,
  glob: 200,
  eventGlob: 100,
} as const;

export function charactersAtMost(maximum: number) {
  return maxLength(maximum, `must be at most ${maximum} characters`);
}

export function nonEmptyText(maximum: number) {
  return z.string().check(minLength(1, "must not be empty"), charactersAtMost(maximum));
}

export function entriesAtMost(maximum: number) {
  return maxLength(maximum, `must have at most ${maximum} entries`);
}

function onlyTextAndLists<Check extends z.core.$ZodCheck<z.core.util.HasLength>>(check: Check): Check {
  check._zod.def.when = ({ value }) => typeof value === "string" || Array.isArray(value);
  return check;
}

/** A check that runs only on a value without other errors. */
export function refineIfValid<Value>(test: (value: Value) => boolean, error: string) {
  return z.refine<Value>(test, { error, when: ({ issues }) => issues.length === 0 });
}
