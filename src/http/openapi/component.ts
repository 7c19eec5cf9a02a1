import type * as z from "zod/mini";
import { type Json, type Note, type NotesOf, noteKeywords } from "./types.js";

/** A named schema of the document, and what is said of it and of each of its fields. */
export interface Component {
  readonly name: string;
  readonly schema: z.core.$ZodType;
  readonly note: Note;
  readonly fields: Readonly<Record<string, Note>>;
}

/** An object: every field needs its note. */
export function object<Schema extends z.core.$ZodType & { readonly shape: object }>(
  name: string,
  schema: Schema,
  note: Note,
  fields: NotesOf<Schema>,
): Component {
  return { name, schema, note, fields: fields as Readonly<Record<string, Note>> };
}

/** Anything that is no object: an enumeration, a union. */
export function named(name: string, schema: z.core.$ZodType, note: Note): Component {
  return { name, schema, note, fields: {} };
}

/** Writes the notes of a component into the schema made of it. */
export function annotate(made: Json, { note, fields }: Pick<Component, "note" | "fields">): Json {
  const properties = made.properties as Readonly<Record<string, Json>> | undefined;
  return {
    ...made,
    ...noteKeywords(note),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [
              name,
              { ...property, ...noteKeywords(fields[name]!) },
            ]),
          ),
        }),
  };
}

/** Names the component of each `type`. */
export function discriminator(components: Readonly<Record<string, string>>) {
  const mapping = Object.fromEntries(
    Object.entries(components).map(([type, name]) => [type, `#/components/schemas/${name}`]),
  );
  return { propertyName: "type", mapping };
}
