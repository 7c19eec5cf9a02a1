import { isJsonObject } from "../../../core/schema/json-objects.js";
import { isMatcher, isMatcherOperator } from "../../../core/schema/matcher-words.js";

/*
 * The app's views as values, and as expectations of every run: without the run's id and without fields that may differ.
 */

/** Placeholder for the run id in scenario files. */
export const RUN_ID = `\${run.id}`;
export const PRESENT = { exists: true };

/** Replaces the run id by its placeholder, so that the value can be expected of every run. */
export function withoutRun(value: unknown, runId: string): unknown {
  if (typeof value === "string")
    return value.replace(/[*?]/g, "\\$&").replaceAll("${", "$${").replaceAll(runId, RUN_ID);
  if (Array.isArray(value)) return value.map((part) => withoutRun(part, runId));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutRun(part, runId)]));
}

/** Selects the fields that are not compared, by dotted path. */
export type IsFree = (path: string) => boolean;

/**
 * Returns an expectation of the parts that both values share; undefined if they share none.
 *
 * @param onDifference called with the path of each field that differs
 */
export function commonPart(
  one: unknown,
  other: unknown,
  isFree: IsFree,
  onDifference: (path: string) => void = () => {},
  path = "",
): unknown {
  if (isFree(path)) return undefined;
  const common = (first: unknown, second: unknown, key: string) =>
    commonPart(first, second, isFree, onDifference, path === "" ? key : `${path}.${key}`);
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.map((part, index) => common(part, other[index], String(index)) ?? PRESENT);
  if (isJsonObject(one) && isJsonObject(other)) {
    const fields = [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) => {
      const part = common(one[key], other[key], key);
      return part === undefined ? [] : [[isMatcherOperator(key) ? `\\${key}` : key, part]];
    });
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }
  if (JSON.stringify(one) === JSON.stringify(other) && !Array.isArray(one)) return one;
  onDifference(path);
  return undefined;
}

/** The path with `*` for positions in lists: a list of another run may be longer. */
export function generalPath(path: string): string {
  return path.replaceAll(/(^|\.)\d+(?=\.|$)/g, "$1*");
}

/** A field of a view that has no fields itself: a text, a number, a boolean or a list. */
export interface Field {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Lists the fields of an expectation, or of a body. */
export function fieldsIn(view: unknown, path: readonly string[] = []): Field[] {
  if (!isJsonObject(view) || isMatcher(view)) return [{ path, value: view }];
  return Object.entries(view).flatMap(([key, part]) => fieldsIn(part, [...path, key.replace(/^\\/, "")]));
}

export function fieldAt(view: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isJsonObject(part) ? part[key] : undefined), view);
}

/** Returns an expectation of the fields alone; undefined without fields. */
export function expectationOf(fields: readonly Field[]): unknown {
  const [first] = fields;
  if (first === undefined || first.path.length === 0) return first?.value;
  const heads = new Map<string, Field[]>();
  for (const { path, value } of fields) {
    const [head = "", ...rest] = path;
    heads.set(head, [...(heads.get(head) ?? []), { path: rest, value }]);
  }
  return Object.fromEntries(
    [...heads].map(([head, parts]) => [isMatcherOperator(head) ? `\\${head}` : head, expectationOf(parts)]),
  );
}

/** The size of a number, or of a list; NaN for anything else, because comparisons with NaN are false. */
export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === "number" ? value : Number.NaN;
}

/** Returns true if a number is less than in a plain run. */
export function isLess(got: unknown, plain: unknown): boolean {
  if (typeof got === "number" && typeof plain === "number") return got < plain;
  if (typeof got !== "object" || got === null || typeof plain !== "object" || plain === null) return false;
  return Object.entries(plain).some(([key, part]) => isLess((got as Record<string, unknown>)[key], part));
}

/** Allows each number of an expectation to be lower. */
export function withFewer(expected: unknown): unknown {
  if (typeof expected === "number" && expected > 0) return { gte: 0, lte: expected };
  if (Array.isArray(expected)) return expected.map(withFewer);
  if (!isJsonObject(expected) || isMatcher(expected)) return expected;
  return Object.fromEntries(Object.entries(expected).map(([key, part]) => [key, withFewer(part)]));
}
