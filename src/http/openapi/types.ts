/** A JSON Schema, and any other part of the document: plain JSON. */
export type Json = { [name: string]: unknown };

/** The extension that marks what the interface leaves open and this sandbox decided. */
export const ASSUMPTION = "x-sandbox-assumption";

/** What the document says of a field or parameter beyond its type. */
export interface FieldNote {
  readonly says: string;
  /** What is assumed about it, where the interface does not say. */
  readonly assumed?: string;
  readonly examples?: readonly unknown[];
  /** Constraints that its zod schema checks by a refinement, or that depend on the fixtures. */
  readonly adds?: Json;
}
export type Note = string | FieldNote;

/** A note for every field of an object schema: one that is missing does not compile. */
export type NotesOf<Schema extends { readonly shape: object }> = {
  readonly [Name in keyof Schema["shape"]]: Note;
};

/** The note as keywords that stand beside a schema's own. */
export function noteKeywords(note: Note): Json {
  if (typeof note === "string") return { description: note };
  return {
    ...note.adds,
    description: note.says,
    ...(note.examples === undefined ? {} : { examples: note.examples }),
    ...(note.assumed === undefined ? {} : { [ASSUMPTION]: note.assumed }),
  };
}

/** What is assumed of a field that the interface does not show at all. */
export const UNSHOWN = "The interface does not show this field; that it exists is assumed.";

/** A field that the interface does not show at all. */
export function unshown(says: string, more: Omit<FieldNote, "says" | "assumed"> = {}): FieldNote {
  return { says, assumed: UNSHOWN, ...more };
}
