import { getOwn } from "../schema/json-objects.js";
import { isDecimal, isMatcher, isMatcherOperator } from "../schema/matcher-words.js";
import type { Range } from "../schema/matchers.js";
import { compilePattern } from "../schema/pattern.js";
import { parseInstant } from "../schema/time.js";
import { globMatches, hasWildcard } from "./glob.js";
import { compareAmounts, decimalNotation } from "./money.js";

/** True for a match, false for no match, or the reason why the values cannot be compared. */
export type MatchResult = boolean | string;

/** Compares a value with an expected one, which may be a nested matcher. */
type ValueComparison = (expected: unknown, actual: unknown) => MatchResult;

type Word = (expected: unknown, actual: unknown, fits: ValueComparison) => MatchResult;

/** Returns true if any verdict is true; else the first reason, or false if there is none. */
function anyOf(verdicts: Iterable<MatchResult>): MatchResult {
  let answer: MatchResult = false;
  for (const verdict of verdicts) {
    if (verdict === true) return true;
    if (answer === false) answer = verdict;
  }
  return answer;
}

const WORDS: Readonly<Record<string, Word>> = {
  not: (expected, actual, fits) => {
    const verdict = fits(expected, actual);
    return typeof verdict === "string" ? verdict : !verdict;
  },
  in: (expected, actual, fits) => anyOf((expected as unknown[]).map((option) => fits(option, actual))),
  contains: (expected, actual, fits) => {
    if (typeof actual === "string")
      return typeof expected === "string" ? actual.includes(expected) : "a text contains texts only";
    if (Array.isArray(actual)) return anyOf(actual.map((element) => fits(expected, element)));
    return isThere(actual) && "contains is for texts and lists";
  },
  exists: (expected, actual) => isThere(actual) === expected,
  matches: (expected, actual) => {
    if (typeof actual !== "string") return isThere(actual) && "matches is for texts";
    const pattern = compilePattern(String(expected));
    return typeof pattern === "string" ? `the pattern ${pattern}` : pattern.test(actual);
  },
  gt: compareOrder((order) => order > 0),
  gte: compareOrder((order) => order >= 0),
  lt: compareOrder((order) => order < 0),
  lte: compareOrder((order) => order <= 0),
};

/** Returns true if the value satisfies all words of the matcher; else the result of the first word that fails. */
export function evaluateMatcher(matcher: object, actual: unknown, fits: ValueComparison): MatchResult {
  for (const [word, expected] of Object.entries(matcher)) {
    if (expected === undefined) continue;
    const verdict = WORDS[word]!(expected, actual, fits);
    if (verdict !== true) return verdict;
  }
  return true;
}

export function isInRange(range: Range, actual: number): boolean {
  return evaluateMatcher(range, actual, () => false) === true;
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Compares two numbers (decimal strings included) or two instants. Other pairs cannot be compared. */
function compareOrder(test: (order: number) => boolean): Word {
  return (bound, actual) => {
    if (!isThere(actual)) return false;
    const [a, b] = [decimalText(actual), decimalText(bound)];
    if (a !== undefined && b !== undefined) return test(compareAmounts(a, b));
    const [atMs, boundMs] = [instantOf(actual), instantOf(bound)];
    if (atMs !== undefined && boundMs !== undefined) return test(atMs - boundMs);
    return `${kindOf(actual)} cannot be compared with ${kindOf(bound)}`;
  };
}

function decimalText(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? decimalNotation(value) : undefined;
  return typeof value === "string" && isDecimal(value) ? value : undefined;
}

function instantOf(value: unknown): number | undefined {
  return typeof value === "string" ? parseInstant(value) : undefined;
}

function kindOf(value: unknown): string {
  if (decimalText(value) !== undefined) return "a number";
  if (instantOf(value) !== undefined) return "an instant";
  if (typeof value === "string") return "a text that is neither number nor instant";
  return Array.isArray(value) ? "a list" : typeof value === "boolean" ? "a truth value" : "an object";
}

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
