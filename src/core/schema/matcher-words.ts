/* The words of matchers, apart from their schemas: a start needs only the words. */

export const MATCHER_OPERATORS = [
  "not",
  "in",
  "contains",
  "exists",
  "matches",
  "gt",
  "gte",
  "lt",
  "lte",
] as const;
export type MatcherOperator = (typeof MATCHER_OPERATORS)[number];

/** Returns true for an object whose keys are all words such as `not`, `in` or `gt`. */
export function isMatcher(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every(isMatcherOperator);
}

export function isMatcherOperator(key: string): key is MatcherOperator {
  return (MATCHER_OPERATORS as readonly string[]).includes(key);
}

export function isDecimal(text: string): boolean {
  return /^-?\d{1,400}(\.\d{1,400})?$/.test(text);
}

/** Returns true if the value has a matcher with a pattern, at any depth. */
export function hasPattern(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return (isMatcher(value) && "matches" in value) || Object.values(value).some(hasPattern);
}
