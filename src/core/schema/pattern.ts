import { MAX_LENGTHS } from "./schema-checks.js";

/** Maximum length of a text that is matched against a pattern. */
export const MAX_PATTERN_INPUT = 10_000;
const CACHE_MAX = 200;

const cache = new Map<string, RegExp | string>();

/**
 * Compiles a regular expression in Unicode mode; returns a message if it is invalid. Backtracking is not limited: the
 * pattern comes from the user's own file.
 */
export function compilePattern(source: string): RegExp | string {
  let pattern = cache.get(source);
  if (pattern === undefined) {
    if (cache.size >= CACHE_MAX) cache.clear();
    cache.set(source, (pattern = compile(source)));
  }
  return pattern;
}

function compile(source: string): RegExp | string {
  if (source.length > MAX_LENGTHS.glob) return `must be at most ${MAX_LENGTHS.glob} characters`;
  try {
    return new RegExp(source, "u");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `is not a regular expression: ${error.message.replace(/^.*: /, "")}`;
  }
}
