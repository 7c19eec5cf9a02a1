import { RE2JS } from "re2js";
import { toRe2Syntax } from "./re2-syntax.js";
import { MAX_LENGTHS } from "./schema-checks.js";

/** Maximum length of a text that is matched against a pattern. */
export const MAX_PATTERN_INPUT = 10_000;
/** Maximum size of a compiled pattern. The time of a match grows with this size and the length of the text. */
const MAX_INSTRUCTIONS = 1_000;

interface Pattern {
  /** Returns true if the pattern matches somewhere in the text. */
  test(text: string): boolean;
}

/**
 * Compiles a regular expression of JavaScript's Unicode mode; returns a message if it is invalid. RE2 matches in linear
 * time. A backtracking match could hold the process, and a pattern may come from anybody who can call the server.
 */
export function compilePattern(source: string): Pattern | string {
  if (source.length > MAX_LENGTHS.glob) return `must be at most ${MAX_LENGTHS.glob} characters`;
  try {
    new RegExp(source, "u");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `is not a regular expression: ${error.message.replace(/^.*: /, "")}`;
  }
  const translated = toRe2Syntax(source);
  if (translated === undefined)
    return "must not use look-ahead, look-behind or back-references, whose matching time has no limit";
  try {
    const pattern = RE2JS.compile(translated);
    return pattern.programSize() <= MAX_INSTRUCTIONS
      ? pattern
      : `is too large: with its repetitions written out, it has more than ${MAX_INSTRUCTIONS} steps`;
  } catch (error) {
    if (!(error instanceof Error && error.name.startsWith("RE2JS"))) throw error;
    return `cannot be matched in linear time: ${error.message.replace(/^error parsing regexp: /, "")}`;
  }
}
