import type * as z from "zod/mini";
import type { Note, Words } from "../../schema/words.js";

/** A named schema whose words are said here, beside it. */
export interface Component extends Words {
  readonly name: string;
  readonly schema: z.core.$ZodType;
}

/** A note for every field of an object schema: one that is missing does not compile. */
export type NotesOf<Schema extends { readonly shape: object }> = {
  readonly [Name in keyof Schema["shape"]]: Note;
};

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
