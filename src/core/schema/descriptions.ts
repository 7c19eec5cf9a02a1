import * as z from "zod/mini";
import { CURRENCY_CODE_PATTERN } from "./common.js";

/**
 * Description of a field or schema in the OpenAPI documents, attached to its schema. Placeholders such as `{{methods}}`
 * are filled in from the namespace. The build removes descriptions from the bundle (`scripts/words.mjs`), so no code
 * besides `server/openapi` may read them.
 */
export interface FieldNote extends NoteDetails {
  readonly description: string;
}
interface NoteDetails {
  /** An assumption about the service, where its interface says nothing. */
  readonly assumption?: string;
  /** Examples, or a placeholder that the namespace's values replace. */
  readonly examples?: readonly unknown[] | string;
  /** JSON Schema of constraints that the Zod schema does not show: refinements, and values from the fixtures. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
}
export type Note = string | FieldNote;

export interface Field<Schema extends z.core.$ZodType = z.core.$ZodType> {
  readonly schema: Schema;
  readonly note: Note;
}
export type ShapeFields = Readonly<Record<string, Field>>;

type SchemasOf<All extends ShapeFields> = { -readonly [Name in keyof All]: All[Name]["schema"] };

export interface SchemaDescription {
  /** Name in the document; undefined for query parameters, and for schemas that only checks use. */
  readonly name: string | undefined;
  readonly note: Note;
  readonly fields: ShapeFields;
}

const descriptions = new Map<z.core.$ZodType, SchemaDescription>();

/** Attaches a note to a field's schema; `details` override parts of the note. */
export function field<Schema extends z.core.$ZodType>(
  schema: Schema,
  note: Note,
  details?: NoteDetails,
): Field<Schema> {
  if (!details) return { schema, note };
  return { schema, note: { ...(typeof note === "string" ? { description: note } : note), ...details } };
}

export const ASSUMED_FIELD_REASON = "The interface does not show this field; that it exists is assumed.";

/** A field that the service's interface does not show, and that the sandbox assumes. */
export function assumedField<Schema extends z.core.$ZodType>(
  schema: Schema,
  note: Note,
  details?: NoteDetails,
): Field<Schema> {
  return field(schema, note, { assumption: ASSUMED_FIELD_REASON, ...details });
}

/** A named object; every field has a description. */
export function shape<All extends ShapeFields>(name: string, note: Note, fields: All) {
  return describe(z.object(schemasOf(fields)), { name, note, fields });
}

/** A named object of the control API. A field without a note gets an empty description. */
export function recordShape<const All extends Readonly<Record<string, Field | z.core.$ZodType>>>(
  name: string,
  note: Note,
  fields: All,
) {
  const entries = Object.entries(fields).map(([key, value]) => [
    key,
    "_zod" in value ? field(value, "") : value,
  ]);
  return shape(name, note, Object.fromEntries(entries) as DescribedFields<All>);
}
type DescribedFields<All> = {
  readonly [Name in keyof All]: All[Name] extends z.core.$ZodType
    ? Field<All[Name]>
    : Extract<All[Name], Field>;
};

export function pickFields<All extends object, Name extends keyof All>(
  fields: All,
  ...names: readonly Name[]
): Pick<All, Name> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<All, Name>;
}

const COMPILED: z.core.$constructor<z.core.$ZodObject> = z.core.$ZodObjectJIT;
const MINI: z.core.$constructor<z.ZodMiniObject> = z.ZodMiniObject;

/** An object whose parser zod compiles on first use, as the large `zod` does: a check takes a third of the time. */
const CompiledObject = z.core.$constructor<z.ZodMiniObject>("CompiledObject", (schema, def) => {
  COMPILED.init(schema, def);
  MINI.init(schema, def);
});

/** Like `shape`, but creates the fields on first use, because a server start does not need them. */
export function lazyShape<All extends ShapeFields>(name: string | undefined, note: Note, make: () => All) {
  let cached: All | undefined;
  const fields = () => (cached ??= make());
  const schema = new CompiledObject({
    type: "object",
    get shape() {
      const shape = schemasOf(fields());
      Object.defineProperty(this, "shape", { value: shape });
      return shape;
    },
  }) as unknown as z.ZodMiniObject<SchemasOf<All>, z.core.$strip>;
  return describe(schema, {
    name,
    note,
    get fields() {
      return fields();
    },
  });
}

type ClosedObject<All extends ShapeFields> = z.ZodMiniObject<SchemasOf<All>, z.core.$strict>;

export function closedShape<All extends ShapeFields>(
  name: string | undefined,
  note: Note,
  fields: All,
  ...checks: Parameters<ClosedObject<All>["check"]>
): ClosedObject<All> {
  const schema: ClosedObject<All> = z.strictObject(schemasOf(fields));
  return describe(checks.length === 0 ? schema : schema.check(...checks), { name, note, fields });
}

export function queryShape<All extends ShapeFields>(fields: All) {
  return describe(z.object(schemasOf(fields)), { name: undefined, note: "", fields });
}

/** Gives an enumeration, record or union a name and a description in the OpenAPI documents. */
export function namedSchema<Schema extends z.core.$ZodType>(
  name: string,
  note: Note,
  schema: Schema,
): Schema {
  return describe(schema, { name, note, fields: {} });
}

function describe<Schema extends z.core.$ZodType>(schema: Schema, description: SchemaDescription): Schema {
  descriptions.set(schema, description);
  return schema;
}

export function schemasOf<All extends ShapeFields>(fields: All): SchemasOf<All> {
  const schemas: Record<string, z.core.$ZodType> = {};
  for (const name of Object.keys(fields)) schemas[name] = fields[name]!.schema;
  return schemas as SchemasOf<All>;
}

export function schemaDescriptionOf(schema: z.core.$ZodType): SchemaDescription | undefined {
  return descriptions.get(schema);
}

/** All described schemas, in order of creation. */
export function allSchemaDescriptions(): ReadonlyMap<z.core.$ZodType, SchemaDescription> {
  return descriptions;
}

export function assumedFieldNote(text: string, details: NoteDetails = {}): FieldNote {
  return { description: text, assumption: ASSUMED_FIELD_REASON, ...details };
}

/** JSON Schema condition: if `key` is present and `properties` match, the `required` fields must have values. */
export function requiredIf(
  properties: Readonly<Record<string, unknown>>,
  key: string,
  required: readonly string[],
): Readonly<Record<string, unknown>> {
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  return { if: { properties, required: [key] }, then: { required, properties: notNull(required) } };
}

function notNull(names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, { not: { type: "null" } }]));
}

/** JSON Schema condition: if `field` has a value, a field named in `values` accepts only the value from `values`. */
export function allowedOnlyIf(
  field: string,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const properties = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { enum: [value] }]),
  );
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  return { if: { required: [field], properties: notNull([field]) }, then: { properties } };
}

/** The described fields of a schema, to reuse in another. */
export function fieldsOf<Schema extends z.core.$ZodType & { readonly shape: object }>(
  schema: Schema,
): { readonly [Name in keyof Schema["shape"]]: Field<Extract<Schema["shape"][Name], z.core.$ZodType>> } {
  const description = descriptions.get(schema);
  if (description === undefined) throw new Error("the schema has no described fields");
  return description.fields as ReturnType<typeof fieldsOf<Schema>>;
}

export function atLeastOneOf(...names: readonly string[]): Readonly<Record<string, unknown>> {
  return objectCondition({ anyOf: names.map((name) => ({ required: [name] })) });
}

export function exactlyOneOf(...names: readonly string[]): Readonly<Record<string, unknown>> {
  return objectCondition({ oneOf: names.map((name) => ({ required: [name] })) });
}

/**
 * JSON Schema condition that always holds. It stands under `then`, which type generators ignore: a branch of `allOf`,
 * `anyOf` or `oneOf` without a type makes them read the whole schema as `any`.
 */
function objectCondition(condition: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  return { if: { type: "object" }, then: condition };
}

/** Formats values as a list: `one`, `two` and `three`. */
export function markdownCodeList(values: readonly string[]): string {
  const quoted = values.map((value) => `\`${value}\``);
  if (quoted.length < 2) return quoted[0] ?? "none";
  return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

export function currencyNote(text: string, details: Partial<FieldNote> = {}): FieldNote {
  return {
    description: `${text} Upper case; this server knows {{currencies in words}}.`,
    examples: "{{some currencies}}",
    jsonSchema: { pattern: CURRENCY_CODE_PATTERN.source },
    ...details,
  };
}

export function methodNote(text: string, assumed?: string): FieldNote {
  return {
    description: `${text} This server knows {{methods in words}}; more may be added.`,
    examples: "{{methods}}",
    ...(assumed === undefined ? {} : { assumption: assumed }),
  };
}

export const METHOD_ASSUMPTION =
  "A method the key's organization has not enabled is rejected like an unknown one: 400 `details.payment_method`.";

export const METADATA_DESCRIPTION =
  "Your own data, stored with the object and returned in reads and webhooks. It must not hold sensitive data.";

export const METADATA_NOTE: FieldNote = {
  description: `${METADATA_DESCRIPTION} The key \`sandbox_scenario\` picks the scenario that decides what happens.`,
  assumption: "A feature of the sandbox only: the service gives no metadata key a meaning.",
};

/** Omits the keyword `default`: type generators would treat the field as required. */
export const CHECKOUT_LIFETIME_NOTE: FieldNote = {
  description: "Minutes until the checkout expires: {{checkout minutes}} by default.",
  examples: ["{{checkout minutes}}"],
};

export function redirectNote(when: string): FieldNote {
  return {
    description: `Where the customer is sent ${when}.`,
    assumption:
      "Must be an absolute http or https URL; `checkout_id`, `charge_id` and `status` are added to its query.",
    examples: ["https://shop.test/orders/1042"],
  };
}

export const RATE_NOTE: FieldNote = {
  description: "Units of the payment currency per unit of the base currency.",
  assumption: "Carried to 12 significant digits, and that string is the multiplier; `1` within one currency.",
  examples: ["129"],
};

export const FEES_NOTE: FieldNote = {
  description: "The fees deducted from the amount.",
  assumption: "Percentages of the settlement amount by method, each part rounded half-up by itself.",
};
