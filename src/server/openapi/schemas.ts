import * as z from "zod/mini";
import {
  amountSchema,
  httpUrlSchema,
  METADATA_MAX_BYTES,
  METADATA_MAX_KEYS,
  metadataSchema,
  rateSchema,
  timestampSchema,
} from "../../core/schema/common.js";
import { instantSchema } from "../../core/schema/control.js";
import { DURATION_PATTERN, durationSchema, waitDurationSchema } from "../../core/schema/duration.js";
import { LONGEST } from "../../core/schema/lengths.js";
import { clockOptionSchema } from "../../core/schema/options.js";
import {
  PAYIN_LIMIT_DEFAULT,
  PAYIN_LIMIT_MAX,
  pageQuerySchema,
  receiverUrlSchema,
} from "../../core/schema/requests.js";
import { INSTANT_PATTERN } from "../../core/schema/time.js";
import { type Note, namedSchemas, type Words, wordsOf } from "../../core/schema/words.js";
import { ASSUMPTION, type Json } from "./document.js";

const REF = "#/components/schemas/";

export function ref(component: string): Json {
  return { $ref: REF + component };
}

/** What the document calls a schema. */
export function nameOf(schema: z.core.$ZodType): string {
  const name = wordsOf(schema)?.name;
  if (name === undefined) throw new Error("a schema without a name");
  return name;
}

/** The schema that has the name. */
export function schemaCalled(name: string): z.core.$ZodType {
  for (const [schema, words] of namedSchemas()) if (words.name === name) return schema;
  throw new Error(`no schema is called ${name}`);
}

/** What is said of the schema that has the name. */
export function saidOf(name: string): string {
  const { note } = wordsOf(schemaCalled(name))!;
  return typeof note === "string" ? note : note.says;
}

/**
 * The named schemas of a document, made of the zod schemas that check requests and describe answers. Where one is
 * within another it is named there.
 */
export function componentSchemas(): Record<string, Json> {
  const named = [...namedSchemas()].flatMap(([schema, words]) =>
    words.name === undefined ? [] : [{ schema, words, name: words.name }],
  );
  const registry = z.registry<{ id: string }>();
  for (const { schema, name } of named) registry.add(schema, { id: name });
  const made = z.toJSONSchema(registry, { io: "input", uri: (id) => REF + id, override }).schemas;
  return Object.fromEntries(
    named.map(({ name, schema, words }) => {
      const { $schema, $id, ...rest } = made[name] as Json;
      return [name, said({ ...rest, ...discriminator(schema, registry) }, words)];
    }),
  );
}

/** The schemas that are named by these parts, and by each other. */
export function reachable(
  schemas: Readonly<Record<string, Json>>,
  parts: readonly unknown[],
): Record<string, Json> {
  const found = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"/]+)"/g))
      if (!found.has(name!)) {
        found.add(name!);
        if (schemas[name!] === undefined) throw new Error(`no schema is called ${name}`);
        follow(schemas[name!]);
      }
  };
  follow(parts);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

/** The parameters of a query as the document lists them. */
export function queryParameters(query: z.ZodMiniObject): Json[] {
  const words = wordsOf(query)!.fields;
  const { properties } = z.toJSONSchema(query, { io: "input", override });
  return Object.entries(properties as Record<string, Json>).map(([name, schema]) => {
    const { examples, ...keywords } = noteKeywords(words[name]!.note);
    return {
      name,
      in: "query",
      ...keywords,
      schema: { ...schema, ...(examples === undefined ? {} : { examples }) },
    };
  });
}

/** Writes the words into the schema made of what they are said of. */
function said(made: Json, { note, fields }: Words): Json {
  const properties = Object.entries((made.properties ?? {}) as Readonly<Record<string, Json>>).map(
    ([name, property]) => [name, { ...property, ...noteKeywords(fields[name]!.note) }],
  );
  return {
    ...made,
    ...noteKeywords(note),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
  };
}

/** A note as keywords that stand beside a schema's own. */
function noteKeywords(note: Note): Json {
  if (typeof note === "string") return note === "" ? {} : { description: note };
  return {
    ...note.adds,
    description: note.says,
    ...(note.examples === undefined ? {} : { examples: note.examples }),
    ...(note.assumed === undefined ? {} : { [ASSUMPTION]: note.assumed }),
  };
}

/** Names the component of each variant of a choice that is told by a field. */
function discriminator(schema: z.core.$ZodType, names: z.core.$ZodRegistry<{ id: string }>): Json {
  if (!(schema instanceof z.ZodMiniDiscriminatedUnion)) return {};
  const { discriminator: propertyName, options } = schema._zod.def;
  const mapping = Object.fromEntries(
    options.map((option) => {
      const [value] = option._zod.propValues![propertyName]!;
      return [value, REF + names.get(option)!.id];
    }),
  );
  return { discriminator: { propertyName, mapping } };
}

const AMOUNT: Json = { type: "string", pattern: "^(?=.*[1-9])(0|[1-9]\\d{0,29}){{fraction}}$" };
const DURATION: Json = { type: "string", pattern: DURATION_PATTERN.source, maxLength: 100 };

const HTTP_URL: Json = {
  type: "string",
  format: "uri",
  pattern: "^[Hh][Tt][Tt][Pp][Ss]?://.",
  maxLength: LONGEST.url,
};

/** What zod checks by a refinement, or says in a way no reader would follow, in JSON Schema's words. */
const INSTEAD = new Map<z.core.$ZodType, Json>([
  [amountSchema, AMOUNT],
  [
    timestampSchema,
    {
      type: "string",
      format: "date-time",
      pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
    },
  ],
  [durationSchema, DURATION],
  [waitDurationSchema, DURATION],
  [instantSchema, { type: "string", pattern: INSTANT_PATTERN.source }],
  [rateSchema, { type: "string", pattern: "^(?=.*[1-9])(0|[1-9]\\d{0,29})(\\.\\d{1,30})?$" }],
  [
    clockOptionSchema,
    { type: "string", pattern: "^(real|manual|(?=[^x]*[1-9])(\\d{1,7}|\\d{1,6}\\.\\d{1,6})x)$" },
  ],
  [httpUrlSchema, HTTP_URL],
  [receiverUrlSchema, HTTP_URL],
  [
    metadataSchema,
    {
      type: "object",
      maxProperties: METADATA_MAX_KEYS,
      // Bytes cannot be counted here; a character has at least one.
      propertyNames: { maxLength: METADATA_MAX_BYTES, not: { const: "__proto__" } },
      additionalProperties: { type: "string", maxLength: METADATA_MAX_BYTES },
    },
  ],
  [
    pageQuerySchema.shape.limit,
    { type: "integer", minimum: 1, maximum: PAYIN_LIMIT_MAX, default: PAYIN_LIMIT_DEFAULT },
  ],
  [pageQuerySchema.shape.offset, { type: "integer", minimum: 0, default: 0 }],
]);

function override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  const schema = jsonSchema as Json;
  const other = INSTEAD.get(zodSchema);
  if (other !== undefined) {
    for (const keyword of Object.keys(schema)) delete schema[keyword];
    Object.assign(schema, structuredClone(other));
  }
  // A tuple: readers of arrays expect `items`.
  const { prefixItems } = schema as { prefixItems?: readonly unknown[] };
  if (prefixItems !== undefined && schema.items === undefined)
    Object.assign(schema, { items: {}, minItems: prefixItems.length, maxItems: prefixItems.length });
  // The largest safe integer is no limit anybody set.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // The names of a record are strings whatever else.
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
}
