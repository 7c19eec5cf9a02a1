export const MATCHER_WORDS = [
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
export type MatcherWord = (typeof MATCHER_WORDS)[number];

/** Returns true for an object whose keys are all words such as `not`, `in` or `gt`. */
export function isMatcher(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every(isMatcherWord);
}

export function isMatcherWord(key: string): key is MatcherWord {
  return (MATCHER_WORDS as readonly string[]).includes(key);
}

export function isDecimal(text: string): boolean {
  return /^-?\d{1,400}(\.\d{1,400})?$/.test(text);
}
