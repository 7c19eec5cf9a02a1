import { isMatcher, isMatcherWord } from "../schema/matcher-words.js";
import { own } from "../schema/own.js";
import { globMatches, isWild } from "./glob.js";
import { matcherFits, type Verdict } from "./matcher.js";

/** One field that is not as expected. */
export interface Mismatch {
  /** Dotted path; empty for the whole. */
  readonly path: string;
  readonly expected: unknown;
  /** Undefined when there is nothing at that path. */
  readonly actual: unknown;
  /** Why the two cannot be compared at all. */
  readonly why?: string;
}

function verdictOn(expected: unknown, actual: unknown): Verdict {
  const wrong = mismatches(expected, actual);
  return wrong.length === 0 || (wrong.find(({ why }) => why !== undefined)?.why ?? false);
}

/** A number as a glob sees it: a glob that is no more than a text fits a text only. */
function globText(glob: string, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return !isWild(glob) || (typeof value !== "number" && typeof value !== "boolean")
    ? undefined
    : String(value);
}

/**
 * Holds what was expected against what is: every named field must match, others are not looked at. Strings are
 * globs, which fit numbers and booleans too where they have a wildcard; an object of nothing but a matcher's words is
 * one; a list must match element by element.
 */
export function mismatches(expected: unknown, actual: unknown, path = ""): Mismatch[] {
  const wrong = (): Mismatch[] => [{ path, expected, actual }];
  if (typeof expected === "string") {
    const text = globText(expected, actual);
    return text !== undefined && globMatches(expected, text) ? [] : wrong();
  }
  if (isMatcher(expected)) {
    const verdict = matcherFits(expected, actual, verdictOn);
    if (verdict === true) return [];
    return typeof verdict === "string" ? [{ path, expected, actual, why: verdict }] : wrong();
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return wrong();
    return expected.flatMap((part, index) => mismatches(part, actual[index], join(path, String(index))));
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null) return wrong();
    return Object.entries(expected).flatMap(([key, part]) => {
      const field = fieldOf(key);
      return mismatches(part, own(actual as Record<string, unknown>, field), join(path, field));
    });
  }
  return Object.is(expected, actual) ? [] : wrong();
}

/** A field that is called like a word of a matcher is written with a backslash before it. */
function fieldOf(key: string): string {
  return key.startsWith("\\") && isMatcherWord(key.slice(1)) ? key.slice(1) : key;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
