import type { AmountMatch } from "../schema/scenario.js";
import { globMatches } from "./glob.js";
import { amountMatches } from "./scenario.js";

/** One field that is not as expected. */
export interface Mismatch {
  /** Dotted path; empty for the whole. */
  readonly path: string;
  readonly expected: unknown;
  /** Undefined when there is nothing at that path. */
  readonly actual: unknown;
}

const BOUNDS = new Set(["gt", "gte", "lt", "lte"]);

function isBounds(value: unknown): value is AmountMatch {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => BOUNDS.has(key));
}

/**
 * Holds what was expected against what is: every named field must match, others are not looked at. Strings are
 * globs; `{gte: "100"}` compares amounts; a list must match element by element.
 */
export function mismatches(expected: unknown, actual: unknown, path = ""): Mismatch[] {
  const wrong = (): Mismatch[] => [{ path, expected, actual }];
  if (typeof expected === "string")
    return typeof actual === "string" && globMatches(expected, actual) ? [] : wrong();
  if (isBounds(expected)) return typeof actual === "string" && amountMatches(expected, actual) ? [] : wrong();
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return wrong();
    return expected.flatMap((part, index) => mismatches(part, actual[index], join(path, String(index))));
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null) return wrong();
    return Object.entries(expected).flatMap(([key, part]) =>
      mismatches(
        part,
        Object.hasOwn(actual, key) ? (actual as Record<string, unknown>)[key] : undefined,
        join(path, key),
      ),
    );
  }
  return Object.is(expected, actual) ? [] : wrong();
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
