import * as z from "zod/mini";
import { atMost, entriesAtMost, LONGEST, minLength } from "./lengths.js";

/** A text in which `*` stands for any run of characters and `?` for one; `\*` and `\?` are the signs themselves. */
export const globTextSchema = z.string().check(atMost(LONGEST.glob));

/** Several; any of them has to match. */
export const severalGlobsSchema = z
  .array(globTextSchema)
  .check(minLength(1, "must not be empty"), entriesAtMost(1_000));
/** One or several. */
export type Glob = string | string[];

/** The event types that a receiver hears. */
export const eventGlobsSchema = z
  .array(z.string().check(minLength(1, "must not be empty"), atMost(LONGEST.eventGlob)))
  .check(minLength(1, "must not be empty"), entriesAtMost(50));

interface LongGlob {
  readonly path: readonly (string | number)[];
  readonly input: string;
}

/** The globs in a value, at any depth, that are longer than a glob may be. A text without wildcards is none. */
function longGlobs(value: unknown, path: readonly (string | number)[] = []): LongGlob[] {
  if (typeof value === "string")
    return value.length > LONGEST.glob && /[*?]/.test(value) ? [{ path, input: value }] : [];
  if (Array.isArray(value)) return value.flatMap((part, index) => longGlobs(part, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => longGlobs(part, [...path, key]));
}

/** What a record has to be like: fields of any name and depth, whose texts are globs. */
export const recordMatchSchema = z.record(z.string(), z.unknown()).check(({ value, issues }) => {
  for (const { path, input } of longGlobs(value))
    issues.push({
      code: "custom",
      path: [...path],
      input,
      message: `must be at most ${LONGEST.glob} characters with a wildcard`,
    });
});
