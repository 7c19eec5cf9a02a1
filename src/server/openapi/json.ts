import type { Note } from "../../core/schema/words.js";

/** A JSON Schema, and any other part of a document: plain JSON. */
export type Json = { [name: string]: unknown };

/** The extension that marks what the interface leaves open and this sandbox decided. */
export const ASSUMPTION = "x-sandbox-assumption";

/** A note as keywords that stand beside a schema's own. */
export function noteKeywords(note: Note): Json {
  if (typeof note === "string") return note === "" ? {} : { description: note };
  return {
    ...note.adds,
    description: note.says,
    ...(note.examples === undefined ? {} : { examples: note.examples }),
    ...(note.assumed === undefined ? {} : { [ASSUMPTION]: note.assumed }),
  };
}
