import * as z from "zod/mini";

/**
 * What the OpenAPI documents say of a shape stands on the shape. A text may hold marks such as `{{methods}}`, in whose
 * place comes what the namespace has that is described. The build leaves the words out of what a start reads.
 */
export interface FieldNote {
  readonly says: string;
  /** What is assumed about it, where the interface does not say. */
  readonly assumed?: string;
  /** A list, or the mark of one. */
  readonly examples?: readonly unknown[] | string;
  /** Constraints that its schema checks by a refinement, or that depend on the fixtures. */
  readonly adds?: Readonly<Record<string, unknown>>;
}
export type Note = string | FieldNote;

/** A field of a shape, with its word. */
export interface Field<Schema extends z.core.$ZodType = z.core.$ZodType> {
  readonly schema: Schema;
  readonly note: Note;
}
export type Fields = Readonly<Record<string, Field>>;

type SchemasOf<All extends Fields> = { -readonly [Name in keyof All]: All[Name]["schema"] };

/** What is said of a schema and, where it is an object, of each of its fields. */
export interface Words {
  /** What the document calls it; nothing where it has no name of its own, as the parameters of a query. */
  readonly name: string | undefined;
  readonly note: Note;
  readonly fields: Fields;
}

const words = new Map<z.core.$ZodType, Words>();

export function field<Schema extends z.core.$ZodType>(schema: Schema, note: Note): Field<Schema> {
  return { schema, note };
}

/** A named object: every field needs its word. */
export function shape<All extends Fields>(name: string, note: Note, fields: All) {
  return spoken(z.object(schemasOf(fields)), { name, note, fields });
}

/** A named object of the control API. Fields of a record, and fields whose names suffice, have no description. */
export function recordShape<const All extends Readonly<Record<string, Field | z.core.$ZodType>>>(
  name: string,
  note: Note,
  fields: All,
) {
  const described = Object.entries(fields).map(([key, one]) => [key, "_zod" in one ? field(one, "") : one]);
  return shape(name, note, Object.fromEntries(described) as DescribedFields<All>);
}
type DescribedFields<All> = {
  readonly [Name in keyof All]: All[Name] extends z.core.$ZodType
    ? Field<All[Name]>
    : Extract<All[Name], Field>;
};

/** Some fields of a record or a shape. */
export function pickFields<All extends object, Name extends keyof All>(
  fields: All,
  ...names: readonly Name[]
): Pick<All, Name> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<All, Name>;
}

/** The same as `shape`, with fields that are made when somebody first looks at them: a start looks at those of no call. */
export function shapeLater<All extends Fields>(name: string, note: Note, make: () => All) {
  let made: All | undefined;
  const fields = () => (made ??= make());
  const schema = new z.ZodMiniObject({
    type: "object",
    get shape() {
      const shape = schemasOf(fields());
      Object.defineProperty(this, "shape", { value: shape });
      return shape;
    },
  }) as unknown as z.ZodMiniObject<SchemasOf<All>, z.core.$strip>;
  return spoken(schema, {
    name,
    note,
    get fields() {
      return fields();
    },
  });
}

/** A named object that takes no field nobody knows. */
export function closedShape<All extends Fields>(name: string | undefined, note: Note, fields: All) {
  return spoken(z.strictObject(schemasOf(fields)), { name, note, fields });
}

/** The parameters of a query. */
export function parameters<All extends Fields>(fields: All) {
  return spoken(z.object(schemasOf(fields)), { name: undefined, note: "", fields });
}

/** A named schema of another kind: an enumeration, a record, a choice. */
export function named<Schema extends z.core.$ZodType>(name: string, note: Note, schema: Schema): Schema {
  return spoken(schema, { name, note, fields: {} });
}

function spoken<Schema extends z.core.$ZodType>(schema: Schema, said: Words): Schema {
  words.set(schema, said);
  return schema;
}

function schemasOf<All extends Fields>(fields: All): SchemasOf<All> {
  const schemas: Record<string, z.core.$ZodType> = {};
  for (const name of Object.keys(fields)) schemas[name] = fields[name]!.schema;
  return schemas as SchemasOf<All>;
}

/** What is said of a schema. */
export function wordsOf(schema: z.core.$ZodType): Words | undefined {
  return words.get(schema);
}

/** Every schema that has a name, in the order they were made. */
export function namedSchemas(): ReadonlyMap<z.core.$ZodType, Words> {
  return words;
}

/** What is assumed of a field that the interface does not show at all. */
export const UNSHOWN = "The interface does not show this field; that it exists is assumed.";

/** A field that the interface does not show at all. */
export function unshown(says: string, more: Omit<FieldNote, "says" | "assumed"> = {}): FieldNote {
  return { says, assumed: UNSHOWN, ...more };
}

/** A condition of JSON Schema: where the properties are like that, all of these fields must be there. */
export function needed(
  properties: Readonly<Record<string, unknown>>,
  where: string,
  required: readonly string[],
): Readonly<Record<string, unknown>> {
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  return { if: { properties, required: [where] }, then: { required } };
}

/** A condition of JSON Schema: the field may be there only where others have these values. */
export function only(
  field: string,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const properties = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { const: value }]),
  );
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  return { if: { required: [field] }, then: { properties } };
}

/** The fields of a shape, to be part of another. */
export function fieldsOf<Schema extends z.core.$ZodType & { readonly shape: object }>(
  schema: Schema,
): { readonly [Name in keyof Schema["shape"]]: Field<Extract<Schema["shape"][Name], z.core.$ZodType>> } {
  const said = words.get(schema);
  if (said === undefined) throw new Error("nothing is said of these fields");
  return said.fields as ReturnType<typeof fieldsOf<Schema>>;
}

/** A shape with checks besides those of its fields; its words are the shape's. */
export function refined<Schema extends z.ZodMiniType>(
  schema: Schema,
  ...checks: Parameters<Schema["check"]>
): Schema {
  const checked = schema.check(...(checks as Parameters<z.ZodMiniType["check"]>)) as Schema;
  const said = words.get(schema);
  if (said !== undefined) words.set(checked, said);
  words.delete(schema);
  return checked;
}

/** A condition of JSON Schema. Generators of types take an `anyOf` beside the fields for a choice of something else. */
export function atLeastOneOf(...names: readonly string[]): Readonly<Record<string, unknown>> {
  return { allOf: [{ anyOf: names.map((name) => ({ required: [name] })) }] };
}

/** `one`, `two` and `three`, as code. */
export function inWords(values: readonly string[]): string {
  const quoted = values.map((value) => `\`${value}\``);
  if (quoted.length < 2) return quoted[0] ?? "none";
  return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}
