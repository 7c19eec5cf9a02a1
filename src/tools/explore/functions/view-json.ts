import { types } from "node:util";
import { UserError } from "../../../core/schema/user-error.js";

/**
 * Converts what a view returns to JSON. A map, a set and a large integer are shown by what they hold; null stands for a
 * value without a JSON form.
 *
 * @throws UserError if JSON shows nothing of an object, or has no form for it
 */
export function viewJson(name: string, value: unknown): unknown {
  if (isOpaque(value))
    throw new UserError(
      `see.${name} returns a ${value.constructor.name}, of which JSON shows nothing: return its values`,
    );
  try {
    return JSON.parse(JSON.stringify(value, toJsonValue) ?? "null");
  } catch (error) {
    throw new UserError(
      `see.${name} returns what JSON cannot show: ${(error as Error).message.split("\n")[0]}`,
    );
  }
}

/** Returns true for an instance of a class without fields of its own, such as a `Response`. */
function isOpaque(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const isShown = types.isMap(value) || types.isSet(value) || "toJSON" in value || isPlain(value);
  return !isShown && Object.keys(value).length === 0;
}

/** Returns true for an object of no class, also one of another realm, such as that of a test runner. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function toJsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  // A set has no order.
  if (types.isSet(value))
    return [...value].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (!types.isMap(value)) return value;
  const isNamed = [...value.keys()].every((key) => typeof key === "string" || typeof key === "number");
  return isNamed ? Object.fromEntries(value) : [...value];
}
