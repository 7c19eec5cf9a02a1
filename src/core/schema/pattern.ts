import { LONGEST } from "./lengths.js";

/** Longer texts are not matched against patterns. */
export const LONGEST_MATCHED = 10_000;
const CACHE_MAX = 200;

const cache = new Map<string, RegExp | string>();

/** The regular expression, in Unicode mode, or what is wrong with it. It comes from the user's own file, so backtracking is not limited. */
export function patternOf(source: string): RegExp | string {
  let pattern = cache.get(source);
  if (pattern === undefined) {
    if (cache.size >= CACHE_MAX) cache.clear();
    cache.set(source, (pattern = compile(source)));
  }
  return pattern;
}

function compile(source: string): RegExp | string {
  if (source.length > LONGEST.glob) return `must be at most ${LONGEST.glob} characters`;
  try {
    return new RegExp(source, "u");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `is no regular expression: ${error.message.replace(/^.*: /, "")}`;
  }
}
