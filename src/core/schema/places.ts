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

type Path = readonly (string | number)[];

/** The field names of each shape a schema has at a path, as far as it can be followed there. */
function shapesAt(schema: Schema, path: Path): string[][] {
  let places = placesOf(schema);
  for (const part of path)
    places = places.flatMap((place) => {
      const inner = partOf(place, part);
      return inner === undefined ? [] : placesOf(inner);
    });
  return places.flatMap(({ def }) => (def.type === "object" ? [Object.keys(def.shape)] : []));
}

/** The first part of a path that a schema does not have, and what it has there. */
export function strayPart(
  schema: Schema,
  path: readonly string[],
): { readonly part: string; readonly known: readonly string[] } | undefined {
  let places = placesOf(schema);
  for (const [depth, part] of path.entries()) {
    const inner = places.flatMap((place) => partOf(place, part) ?? []);
    if (inner.length === 0) {
      // Where anything may be, anything may be in it.
      if (places.some(({ def }) => def.type === "unknown")) return undefined;
      return { part, known: knownKeys(schema, path.slice(0, depth)) };
    }
    places = inner.flatMap(placesOf);
  }
  return undefined;
}

/** The field names a schema knows at a path. */
export function knownKeys(schema: Schema, path: Path): string[] {
  return [...new Set(shapesAt(schema, path).flat())];
}

/** Those of the fields given that no shape has which has this one: where shapes are chosen from, one excludes another. */
export function notBeside(schema: Schema, path: Path, key: string, given: readonly string[]): string[] {
  const [first = [], ...others] = shapesAt(schema, path).filter((shape) => shape.includes(key));
  return given.filter((name) => !first.includes(name) && !others.some((shape) => shape.includes(name)));
}

/** What to say of a field that is not known there: the one that was probably meant, else those there are. */
export function unknownField(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return `unknown field; did you mean ${near}?`;
  return known.length > 0 ? `unknown field; known: ${known.join(", ")}` : "unknown field";
}
