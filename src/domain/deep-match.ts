import type { AmountMatch } from "../schema/scenario.js";
import { globMatches } from "./glob.js";
import { plainText } from "./money.js";
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

function isBounds(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => BOUNDS.has(key));
}

/** Bounds and what they are held against may each be a decimal string, as the service writes money, or a number. */
function isWithin(bounds: Readonly<Record<string, unknown>>, actual: unknown): boolean {
  // What is no number bounds nothing: it fits nothing.
  const texts = Object.entries(bounds).map(([key, bound]) => [key, decimalText(bound) ?? ""]);
  return amountMatches(Object.fromEntries(texts) as AmountMatch, decimalText(actual));
}

function decimalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : typeof value === "number" ? plainText(value) : undefined;
}

/** A number as a glob sees it: a glob that is no more than a text fits a text only. */
function globText(glob: string, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const isLiteral = !/[*?]/.test(glob);
  return isLiteral || (typeof value !== "number" && typeof value !== "boolean") ? undefined : String(value);
}

/**
 * Holds what was expected against what is: every named field must match, others are not looked at. Strings are
 * globs, which fit numbers and booleans too where they have a wildcard; `{gte: "100"}` compares amounts and numbers;
 * a list must match element by element.
 */
export function mismatches(expected: unknown, actual: unknown, path = ""): Mismatch[] {
  const wrong = (): Mismatch[] => [{ path, expected, actual }];
  if (typeof expected === "string") {
    const text = globText(expected, actual);
    return text !== undefined && globMatches(expected, text) ? [] : wrong();
  }
  if (isBounds(expected)) return isWithin(expected, actual) ? [] : wrong();
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
