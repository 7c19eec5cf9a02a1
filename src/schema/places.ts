import type * as z from "zod/mini";
import { nearest } from "./nearest.js";
import { own } from "./own.js";

type Schema = z.core.$ZodType;

/** What a kind of schema is made of, as far as it is looked into. */
interface Def {
  readonly type: string;
  readonly innerType: Schema;
  readonly options: readonly Schema[];
  readonly getter: () => Schema;
  readonly shape: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly element: Schema;
  readonly valueType: Schema;
  readonly entries: Readonly<Record<string, string | number>>;
}

/** What a schema says once what may be left out, or is chosen from several, has been looked through. */
export interface Place {
  readonly schema: Schema;
  readonly def: Def;
}

function placeOf(schema: Schema): Place {
  return { schema, def: schema._zod.def as unknown as Def };
}

/** What a schema holds its value against directly: the wrapped one, or each of a choice; itself where it is plain. */
export function within(schema: Schema): readonly Schema[] | undefined {
  const { def } = placeOf(schema);
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
      return [def.innerType];
    case "union":
      return def.options;
    case "lazy":
      return [def.getter()];
    default:
      return undefined;
  }
}

/** Every plain schema that a value may be held against. */
export function placesOf(schema: Schema): Place[] {
  return within(schema)?.flatMap(placesOf) ?? [placeOf(schema)];
}

/** What stands in a place under a key; nothing where it has none. */
export function partOf({ def }: Place, key: string | number): Schema | undefined {
  if (def.type === "object") return own(def.shape, String(key)) ?? def.catchall;
  if (def.type === "array") return def.element;
  return def.type === "record" ? def.valueType : undefined;
}

/** The field names a schema knows at a path, as far as it can be followed there. */
export function knownKeys(schema: Schema, path: readonly (string | number)[]): string[] {
  let places = placesOf(schema);
  for (const part of path)
    places = places.flatMap((place) => {
      const inner = partOf(place, part);
      return inner === undefined ? [] : placesOf(inner);
    });
  return [...new Set(places.flatMap(({ def }) => (def.type === "object" ? Object.keys(def.shape) : [])))];
}

/** What to say of a field that is not known there: the one that was probably meant, else those there are. */
export function unknownField(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return `unknown field; did you mean ${near}?`;
  return known.length > 0 ? `unknown field; known: ${known.join(", ")}` : "unknown field";
}
