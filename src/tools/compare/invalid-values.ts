// biome-ignore-all lint/suspicious/noExplicitAny: a JSON schema, read with care.
import { isJsonObject } from "../../core/schema/json-objects.js";

export type Json = Record<string, any>;

/** Variants of a body that a JSON schema refuses: no field, every field of a wrong type, every field out of its bounds. */
export type InvalidKind = "empty" | "types" | "below" | "above";

/** Resolves references and takes the first variant that is not null. */
function plainSchema(schema: Json, document: Json): Json {
  if (schema.$ref !== undefined)
    return plainSchema(document.components.schemas[String(schema.$ref).split("/").at(-1)!], document);
  const variants: Json[] | undefined = schema.anyOf ?? schema.oneOf;
  const variant = variants?.find(({ type }) => type !== "null");
  return variant === undefined ? schema : { ...schema, ...plainSchema(variant, document) };
}

const typeOf = ({ type }: Json): string | undefined =>
  Array.isArray(type) ? type.find((one) => one !== "null") : type;

/** Texts that miss a pattern of the interface narrowly, on either side. */
const NEAR_MISSES: readonly (readonly [pattern: RegExp, below: string, above: string | undefined])[] = [
  [/@/, "nobody", "a@b"],
  [/\[Tt\]/, "nothing", "ftp://shop.test"],
  [/^\^\[A-Z\]/, "kes", undefined],
  [/\\\+\?\[1-9\]/, "12", "+1234567890123456789"],
  [/\\d/, "0.00", "1.0005"],
];

/** A value that the schema refuses; undefined if there is none of this kind. */
function invalidValue(given: Json, kind: InvalidKind, document: Json, valid: unknown): unknown {
  const schema = plainSchema(given, document);
  if (schema.properties !== undefined) return invalidBody(schema, kind, document, valid);
  if (kind === "types") return typeOf(schema) === "string" ? 5 : "x";
  if (schema.enum !== undefined) return "NOTHING";
  const [, ...misses] = NEAR_MISSES.find(([about]) => about.test(schema.pattern)) ?? [];
  if (schema.pattern !== undefined) return misses[kind === "below" ? 0 : 1];
  return kind === "below" ? valueBelow(schema) : valueAbove(schema);
}

function valueBelow({ minimum, minItems, minLength }: Json): unknown {
  if (minimum !== undefined) return minimum - 1;
  if (minItems !== undefined) return [];
  return minLength === undefined ? undefined : "";
}

function valueAbove(schema: Json): unknown {
  const { maximum, maxProperties, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (maximum !== undefined) return maximum + 1;
  if (maxProperties !== undefined)
    return Object.fromEntries(
      Array.from({ length: maxProperties + 1 }, (_, index) => [`key_${index}`, "value"]),
    );
  if (typeOf(schema) !== "string") return undefined;
  return maxLength > 1_000 ? "nothing_here" : "x".repeat(maxLength + 1);
}

/** A body with every fault of one kind; what has no such fault is as in the valid body. */
export function invalidBody(given: Json, kind: InvalidKind, document: Json, valid: unknown): Json {
  const { properties = {} } = plainSchema(given, document);
  const isMerged = kind === "below" || kind === "above";
  const body: Json = isMerged && isJsonObject(valid) ? { ...valid } : {};
  if (kind === "empty") return body;
  for (const [name, one] of Object.entries(properties)) {
    const value = invalidValue(one as Json, kind, document, body[name]);
    if (value !== undefined) body[name] = value;
  }
  return body;
}
