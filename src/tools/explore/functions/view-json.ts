import { isJsonObject } from "../../../core/schema/json-objects.js";
import { UserError } from "../../../core/schema/user-error.js";

/**
 * What a view of the app shows, as JSON. A map, a set and a large integer are shown by what they hold; null is shown of a
 * value without a JSON form.
 *
 * @throws UserError if JSON shows nothing of an object, or has no form for it
 */
export function viewJson(name: string, value: unknown): unknown {
  let shown: unknown;
  try {
    shown = JSON.parse(JSON.stringify(value, toJsonValue) ?? "null");
  } catch (error) {
    throw new UserError(
      `see.${name} returns what JSON cannot show: ${(error as Error).message.split("\n")[0]}`,
    );
  }
  const isEmpty = isJsonObject(shown) && Object.keys({ ...shown, ...Object(value) }).length === 0;
  const made = isEmpty ? Object(value).constructor : Object;
  if (made !== Object && made !== undefined && made !== Map)
    throw new UserError(`see.${name} returns a ${made.name}, of which JSON shows nothing: return its values`);
  return shown;
}

function toJsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Set) return [...value];
  return value instanceof Map ? Object.fromEntries(value) : value;
}
