import { RE2JS } from "re2js";
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

const ESCAPE = String.raw`\\u\{\w+\}|\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u\w{4}|\\c\w|\\[pP]\{\w+=|\\.`;
const ESCAPES = new RegExp(ESCAPE, "gs");
/** A class, an escape, look-around, the beginning of a named group, or a dot. */
const PARTS = new RegExp(String.raw`\[(?:\\.|[^\]\\])*\]|${ESCAPE}|\(\?<?[=!]|\(\?<[^>]+>|\.`, "gs");

/** Members of `\s` and of `\S` in a class; those of RE2 know ASCII spaces only. */
const SPACE = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NOT_SPACE = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const NOT_LINE_END = String.raw`[^\n\r\x{2028}\x{2029}]`;
const ANY = String.raw`\x{0}-\x{10ffff}`;

/**
 * Translates a valid pattern of JavaScript's Unicode mode into RE2's syntax. Returns undefined for look-around and
 * back-references, which RE2 cannot express.
 */
function toRe2Syntax(source: string): string | undefined {
  let canExpress = true;
  const translated = source.replace(PARTS, (part) => {
    if (part.startsWith("[")) return translateClass(part);
    if (part === ".") return NOT_LINE_END;
    if (part.endsWith(">")) return "(";
    if (/^(\\[1-9k]|\()/.test(part)) canExpress = false;
    return /^\\[sS]/.test(part) ? `[${translateEscape(part)}]` : translateEscape(part);
  });
  return canExpress ? translated : undefined;
}

function translateClass(part: string): string {
  if (part === "[]") return `[^${ANY}]`;
  if (part === "[^]") return `[${ANY}]`;
  const members = part
    .slice(1)
    .replaceAll("[", String.raw`\[`)
    .replace(ESCAPES, (found) => (found === "\\b" ? codePointEscape(8) : translateEscape(found)));
  return `[${members}`;
}

function translateEscape(part: string): string {
  const value = part.slice(2).replace(/[{}]/g, "");
  switch (part[1]) {
    case "u":
      return codePointEscape(codePointOf(value));
    case "c":
      return codePointEscape(value.charCodeAt(0) % 32);
    case "0":
      return codePointEscape(0);
    case "s":
      return SPACE;
    case "S":
      return NOT_SPACE;
    case "p":
    case "P":
      return part.replace(/(Script|sc|General_Category|gc)=$/, "");
    default:
      return part;
  }
}

function codePointEscape(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}

/** @param value one hexadecimal number, or the two of a surrogate pair with `\u` between */
function codePointOf(value: string): number {
  const [high, low] = value.split("\\u").map((part) => Number.parseInt(part, 16));
  return low === undefined ? high! : String.fromCharCode(high!, low).codePointAt(0)!;
}
