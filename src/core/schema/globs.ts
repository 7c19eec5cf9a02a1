import * as z from "zod/mini";
import { charactersAtMost, entriesAtMost, MAX_LENGTHS, minLength, nonEmptyText } from "./schema-checks.js";

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
