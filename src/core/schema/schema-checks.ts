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

/** `*` matches any characters, `?` one; `\*` and `\?` are literal. */
export const globTextSchema = z.string().check(charactersAtMost(MAX_LENGTHS.glob));

/** Patterns of which at least one must match. */
export const globListSchema = z
  .array(globTextSchema)
  .check(minLength(1, "must not be empty"), entriesAtMost(1_000));
export type Glob = string | string[];

export const eventGlobsSchema = z
  .array(nonEmptyText(MAX_LENGTHS.eventGlob))
  .check(minLength(1, "must not be empty"), entriesAtMost(50));

interface LongGlob {
  readonly path: readonly (string | number)[];
  readonly input: string;
}

/** Finds globs above the maximum length in a nested value. Text without wildcards is not a glob. */
function longGlobs(value: unknown, path: readonly (string | number)[] = []): LongGlob[] {
  if (typeof value === "string")
    return value.length > MAX_LENGTHS.glob && /[*?]/.test(value) ? [{ path, input: value }] : [];
  if (Array.isArray(value)) return value.flatMap((part, index) => longGlobs(part, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => longGlobs(part, [...path, key]));
}

/** Fields that a record must have, nested fields included; text values are globs. */
export const recordMatchSchema = z.record(z.string(), z.unknown()).check(({ value, issues }) => {
  for (const { path, input } of longGlobs(value))
    issues.push({
      code: "custom",
      path: [...path],
      input,
      message: `must be at most ${MAX_LENGTHS.glob} characters with a wildcard`,
    });
});
