import { own } from "../../core/schema/own.js";
import { UserError } from "../../core/schema/user-error.js";
import type { Json } from "./connection.js";

/** `a.b=value` pairs as an object; what reads as JSON is JSON, the rest is text. */
export function assignments(pairs: unknown): Json {
  const result: Json = {};
  for (const pair of (pairs as string[] | undefined) ?? []) {
    const at = pair.indexOf("=");
    if (at < 1) throw new UserError(`${JSON.stringify(pair)} is not path=value`);
    const path = pair.slice(0, at).split(".");
    let place = result;
    for (const key of path.slice(0, -1)) {
      const known = own(place, key);
      const inner = typeof known === "object" && known !== null ? (known as Json) : {};
      define(place, key, inner);
      place = inner;
    }
    define(place, path.at(-1)!, parsedValue(pair.slice(at + 1)));
  }
  return result;
}

/** An amount is text, however much it looks like a number. */
function parsedValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" ? text : value;
  } catch {
    return text;
  }
}

/** By any name: an assignment would take `__proto__` for something else. */
function define(place: object, key: string, value: unknown): void {
  Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true });
}
