import { getOwn } from "../../core/schema/json-objects.js";
import { UserError } from "../../core/schema/user-error.js";
import type { JsonBody } from "./connection.js";

/** Parses `a.b=value` pairs into an object. Values are JSON or text. */
export function parseAssignments(pairs: unknown): JsonBody {
  const result: JsonBody = {};
  for (const pair of (pairs as string[] | undefined) ?? []) {
    const at = pair.indexOf("=");
    if (at < 1) throw new UserError(`${JSON.stringify(pair)} is not path=value`);
    const path = pair.slice(0, at).split(".");
    let place = result;
    for (const key of path.slice(0, -1)) {
      const known = getOwn(place, key);
      const inner = typeof known === "object" && known !== null ? (known as JsonBody) : {};
      define(place, key, inner);
      place = inner;
    }
    define(place, path.at(-1)!, parsedValue(pair.slice(at + 1)));
  }
  return result;
}

/** Parses JSON. A number stays text, because 25.00 would lose its decimals. Invalid JSON stays text too. */
function parsedValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" ? text : value;
  } catch {
    return text;
  }
}

/** Defines an own property. An assignment to `__proto__` would set the prototype instead. */
function define(place: object, key: string, value: unknown): void {
  Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true });
}
