import { getOwn } from "../schema/json-objects.js";
import { isMatcher, isMatcherOperator } from "../schema/matcher-words.js";
import { globMatches, hasWildcard } from "./glob.js";
import { evaluateMatcher, type MatchResult } from "./matcher.js";

export interface Mismatch {
  /** Dotted path; empty for the whole value. */
  readonly path: string;
  readonly expected: unknown;
  /** Undefined if the path does not exist. */
  readonly actual: unknown;
  /** Reason why `expected` and `actual` cannot be compared. */
  readonly why?: string;
}

function compareDeep(expected: unknown, actual: unknown): MatchResult {
  const fail = findMismatches(expected, actual);
  return fail.length === 0 || (fail.find(({ why }) => why !== undefined)?.why ?? false);
}

/** Returns the value as text for the glob. Numbers and booleans match only globs with a wildcard. */
function globText(glob: string, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return !hasWildcard(glob) || (typeof value !== "number" && typeof value !== "boolean")
    ? undefined
    : String(value);
}

/**
 * Compares a value with an expected value; ignores fields that the expected value lacks. An expected string is a glob.
 * An expected object with only matcher words, such as `gt`, is a matcher. Lists must match element by element.
 */
export function findMismatches(expected: unknown, actual: unknown, path = ""): Mismatch[] {
  const fail = (): Mismatch[] => [{ path, expected, actual }];
  if (typeof expected === "string") {
    const text = globText(expected, actual);
    return text !== undefined && globMatches(expected, text) ? [] : fail();
  }
  if (isMatcher(expected)) {
    // `not` fails on an absent field, unless it negates `exists`.
    if (actual === undefined && "not" in expected && !mentionsExistence(expected.not)) return fail();
    const verdict = evaluateMatcher(expected, actual, compareDeep);
    if (verdict === true) return [];
    return typeof verdict === "string" ? [{ path, expected, actual, why: verdict }] : fail();
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return fail();
    return expected.flatMap((part, index) => findMismatches(part, actual[index], join(path, String(index))));
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null) return fail();
    return Object.entries(expected).flatMap(([key, part]) => {
      const field = unescapedField(key);
      return findMismatches(part, getOwn(actual as Record<string, unknown>, field), join(path, field));
    });
  }
  return Object.is(expected, actual) ? [] : fail();
}

function mentionsExistence(expected: unknown): boolean {
  return isMatcher(expected) && "exists" in expected;
}

/** Removes the backslash that escapes a field named like a matcher word. */
function unescapedField(key: string): string {
  return key.startsWith("\\") && isMatcherOperator(key.slice(1)) ? key.slice(1) : key;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
