import type { OpenApiDocument } from "../../server/openapi/document.js";
import { type DocumentSchema, refName } from "./schema-markup.js";

/** Values for strings: the first that the pattern allows. */
const STRINGS = ["2026-01-31T09:00:00.000Z", "25.00", "KES", "5s", "…", "example", "sk_test_sandbox"];

/**
 * Makes a value of a schema: its required fields, null where that is allowed, the first choice, one item in a list.
 *
 * @param known values of fields by name, for fields that have no example
 */
export function sampleOf(
  { components }: OpenApiDocument,
  whole: DocumentSchema,
  known: Readonly<Record<string, unknown>>,
): unknown {
  const sample = (schema: DocumentSchema, name: string): unknown => {
    const { $ref, anyOf, oneOf, properties, required, items, additionalProperties, type } = schema;
    if ($ref !== undefined) return sample(components.schemas[refName($ref)]!, name);
    const choices = anyOf ?? oneOf ?? [];
    if (type?.includes("null") || choices.some((choice) => choice.type === "null")) return null;
    const value = [schema.const, ...(schema.examples ?? []), known[name], schema.enum?.[0]].find(
      (one) => one !== undefined,
    );
    if (value !== undefined) return value;
    if (properties !== undefined)
      return Object.fromEntries(
        (required ?? Object.keys(properties)).map((field) => [field, sample(properties[field]!, field)]),
      );
    if (choices[0] !== undefined) return sample(choices[0], name);
    if (items !== undefined) return [sample(items, "")];
    if (additionalProperties) return { example: sample(additionalProperties, "") };
    return sampleOfType(schema);
  };
  return sample(whole, "");
}

function sampleOfType({ type, minimum = 1, pattern = "…" }: DocumentSchema): unknown {
  if (type === "integer" || type === "number") return Math.max(1, minimum);
  if (type === "boolean") return true;
  return type === "string" ? STRINGS.find((text) => new RegExp(pattern).test(text)) : {};
}
