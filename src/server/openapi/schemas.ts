import * as z from "zod/mini";
import {
  amountSchema,
  httpUrlSchema,
  METADATA_MAX_BYTES,
  METADATA_MAX_KEYS,
  metadataSchema,
  phoneSchema,
  rateSchema,
  timestampSchema,
} from "../../core/schema/common.js";
import { instantSchema } from "../../core/schema/control-requests.js";
import {
  allSchemaDescriptions,
  type Note,
  type SchemaDescription,
  schemaDescriptionOf,
} from "../../core/schema/descriptions.js";
import { clockOptionSchema } from "../../core/schema/option-schemas.js";
import { MAX_LENGTHS } from "../../core/schema/schema-checks.js";
import {
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  pageQuerySchema,
  receiverUrlSchema,
} from "../../core/schema/service-requests.js";
import {
  DURATION_PATTERN,
  durationSchema,
  INSTANT_PATTERN,
  waitDurationSchema,
} from "../../core/schema/time.js";
import { ASSUMPTION_KEY, type OpenApiJson } from "./document.js";

const REF = "#/components/schemas/";

export function schemaRef(component: string): OpenApiJson {
  return { $ref: REF + component };
}

export function schemaNameOf(schema: z.core.$ZodType): string {
  const name = schemaDescriptionOf(schema)?.name;
  if (name === undefined) throw new Error("a schema without a name");
  return name;
}

export function schemaNote(schema: z.core.$ZodType): string {
  const { note } = schemaDescriptionOf(schema)!;
  return typeof note === "string" ? note : note.description;
}

/** Makes `components.schemas` from the named zod schemas; nested named schemas become references. */
export function componentSchemas(): Record<string, OpenApiJson> {
  const named = [...allSchemaDescriptions()].flatMap(([schema, words]) =>
    words.name === undefined ? [] : [{ schema, words, name: words.name }],
  );
  const registry = z.registry<{ id: string }>();
  for (const { schema, name } of named) registry.add(schema, { id: name });
  const overrideInner: typeof override = (context) => {
    override(context);
    const words = schemaDescriptionOf(context.zodSchema);
    if (words !== undefined && words.name === undefined)
      Object.assign(context.jsonSchema, withNotes(context.jsonSchema as OpenApiJson, words));
  };
  const options = { io: "input", uri: (id: string) => REF + id, override: overrideInner } as const;
  const generated = z.toJSONSchema(registry, options).schemas;
  return Object.fromEntries(
    named.map(({ name, schema, words }) => {
      const { $schema, $id, ...rest } = generated[name] as OpenApiJson;
      return [name, withNotes({ ...rest, ...discriminator(schema, registry) }, words)];
    }),
  );
}

/** Returns the schemas that the parts reference, directly or through other schemas. */
export function reachableSchemas(
  schemas: Readonly<Record<string, OpenApiJson>>,
  parts: readonly unknown[],
): Record<string, OpenApiJson> {
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

export function queryParameters(query: z.ZodMiniObject): OpenApiJson[] {
  const words = schemaDescriptionOf(query)!.fields;
  const { properties } = z.toJSONSchema(query, { io: "input", override });
  return Object.entries(properties as Record<string, OpenApiJson>).map(([name, schema]) => {
    const { examples, ...keywords } = noteKeywords(words[name]!.note);
    return {
      name,
      in: "query",
      ...keywords,
      schema: { ...schema, ...(examples === undefined ? {} : { examples }) },
    };
  });
}

function withNotes(schema: OpenApiJson, { note, fields }: SchemaDescription): OpenApiJson {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, OpenApiJson>>).map(
    ([name, property]) => [name, { ...property, ...noteKeywords(fields[name]!.note) }],
  );
  return {
    ...schema,
    ...noteKeywords(note),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
  };
}

function noteKeywords(note: Note): OpenApiJson {
  if (typeof note === "string") return note === "" ? {} : { description: note };
  return {
    ...note.jsonSchema,
    description: note.description,
    ...(note.examples === undefined ? {} : { examples: note.examples }),
    ...(note.assumption === undefined ? {} : { [ASSUMPTION_KEY]: note.assumption }),
  };
}

function discriminator(schema: z.core.$ZodType, names: z.core.$ZodRegistry<{ id: string }>): OpenApiJson {
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

const AMOUNT: OpenApiJson = { type: "string", pattern: "^(?=.*[1-9])(0|[1-9]\\d{0,29}){{fraction}}$" };
const DURATION: OpenApiJson = { type: "string", pattern: DURATION_PATTERN.source, maxLength: 100 };

const HTTP_URL: OpenApiJson = {
  type: "string",
  format: "uri",
  pattern: "^[Hh][Tt][Tt][Pp][Ss]?://.",
  maxLength: MAX_LENGTHS.url,
};

/** Replacements of zod's JSON Schema, which omits refinements and has obscure patterns. */
const OVERRIDES = new Map<z.core.$ZodType, OpenApiJson>([
  [amountSchema, AMOUNT],
  [
    timestampSchema,
    {
      type: "string",
      format: "date-time",
      pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
    },
  ],
  [phoneSchema, { type: "string", pattern: "^(?=\\+|{{country calling codes}})\\+?[1-9]\\d{6,14}$" }],
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
      // JSON Schema counts characters, not bytes, so it allows some texts that the service refuses.
      propertyNames: { maxLength: METADATA_MAX_BYTES },
      additionalProperties: { type: "string", maxLength: METADATA_MAX_BYTES },
    },
  ],
  [
    pageQuerySchema.shape.limit,
    { type: "integer", minimum: 1, maximum: LIST_LIMIT_MAX, default: LIST_LIMIT_DEFAULT },
  ],
  [pageQuerySchema.shape.offset, { type: "integer", minimum: 0, default: 0 }],
]);

function override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  const schema = jsonSchema as OpenApiJson;
  const other = OVERRIDES.get(zodSchema);
  if (other !== undefined) {
    for (const keyword of Object.keys(schema)) delete schema[keyword];
    Object.assign(schema, structuredClone(other));
  }
  // Some type generators read a constant as any text.
  if (Object.hasOwn(schema, "const")) {
    schema.enum = [schema.const];
    delete schema.const;
  }
  // Some tools require `items` for tuples too.
  const { prefixItems } = schema as { prefixItems?: readonly unknown[] };
  if (prefixItems !== undefined && schema.items === undefined)
    Object.assign(schema, { items: {}, minItems: prefixItems.length, maxItems: prefixItems.length });
  // zod adds these limits to every integer.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // Property names are always strings.
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
}
