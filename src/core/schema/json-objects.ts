/** Looks up a name from user input. Plain indexing also finds inherited names: `constructor`, `__proto__`. */
export function getOwn<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Nesting limit of JSON; recursive functions rely on it. */
export const MAX_JSON_DEPTH = 100;
export const TOO_DEEP_MESSAGE = `is nested deeper than ${MAX_JSON_DEPTH} levels`;

export function isTooDeep(value: unknown, levels = MAX_JSON_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const part of value) if (isTooDeep(part, levels - 1)) return true;
    return false;
  }
  for (const key in value)
    if (isTooDeep((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return true;
  return false;
}

/** Maximum number of values in a body, because validation takes time for each of them. */
export const MAX_JSON_VALUES = 20_000;
/** Written out: formatting the number would load the locales at every start. */
export const TOO_MANY_VALUES_MESSAGE = "has more than 20,000 values";

/** Requires that the value is not nested too deep. */
export function hasTooManyValues(value: object, maxValues: number): boolean {
  let left = maxValues;
  const count = (part: object): void => {
    const values = Object.values(part);
    left -= values.length;
    for (const inner of values) {
      if (left < 0) return;
      if (typeof inner === "object" && inner !== null) count(inner);
    }
  };
  count(value);
  return left < 0;
}

/** Parses JSON; returns the text itself if it is invalid or nested too deep. */
export function parseJsonOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
}

/** Returns a JSON copy; null if the value has no JSON form. */
export function toPlainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null");
}
