/** Deeper than anybody writes. What goes through JSON by calling itself, level by level, is safe up to here. */
export const MAX_DEPTH = 100;
export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** Whether a value from JSON has lists and objects within each other to more than so many levels. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
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

/** What JSON stands in a text; the text itself when it is none, or too deep to be passed on as JSON. */
export function jsonOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
}
