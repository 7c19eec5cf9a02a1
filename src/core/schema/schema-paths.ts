import type * as z from "zod/mini";
import { getOwn } from "./json-objects.js";
import { findNearestWord } from "./nearest.js";

type Schema = z.core.$ZodType;

/** The parts of zod's internal definitions that are read here. */
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

/** A schema without optional, nullable, union and lazy wrappers. */
interface SchemaNode {
  readonly schema: Schema;
  readonly def: Def;
}

function nodeOf(schema: Schema): SchemaNode {
  return { schema, def: schema._zod.def as unknown as Def };
}

/** The wrapped schema, or the options of a union; undefined for a plain schema. */
export function innerSchemas(schema: Schema): readonly Schema[] | undefined {
  const { def } = nodeOf(schema);
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

/** All plain schemas inside wrappers and unions. */
export function schemaNodes(schema: Schema): SchemaNode[] {
  return innerSchemas(schema)?.flatMap(schemaNodes) ?? [nodeOf(schema)];
}

export function childSchema({ def }: SchemaNode, key: string | number): Schema | undefined {
  if (def.type === "object") return getOwn(def.shape, String(key)) ?? def.catchall;
  if (def.type === "array") return /^(\d+|length)$/.test(String(key)) ? def.element : undefined;
  return def.type === "record" ? def.valueType : undefined;
}

type Path = readonly (string | number)[];

function shapesAt(schema: Schema, path: Path): string[][] {
  let nodes = schemaNodes(schema);
  for (const part of path)
    nodes = nodes.flatMap((node) => {
      const inner = childSchema(node, part);
      return inner === undefined ? [] : schemaNodes(inner);
    });
  return nodes.flatMap(({ def }) => (def.type === "object" ? [Object.keys(def.shape)] : []));
}

/** The first unknown part of a path, and the known keys there. */
export function findUnknownPathPart(
  schema: Schema,
  path: readonly string[],
): { readonly part: string; readonly known: readonly string[] } | undefined {
  let nodes = schemaNodes(schema);
  for (const [depth, part] of path.entries()) {
    const inner = nodes.flatMap((node) => childSchema(node, part) ?? []);
    if (inner.length === 0) {
      if (nodes.some(({ def }) => def.type === "unknown")) return undefined;
      return { part, known: listKnownKeys(schema, path.slice(0, depth)) };
    }
    nodes = inner.flatMap(schemaNodes);
  }
  return undefined;
}

export function listKnownKeys(schema: Schema, path: Path): string[] {
  return [...new Set(shapesAt(schema, path).flat())];
}

/** Returns the fields that cannot be combined with `key`, because no option of the union has both. */
export function findConflictingFields(
  schema: Schema,
  path: Path,
  key: string,
  fields: readonly string[],
): string[] {
  const [first = [], ...others] = shapesAt(schema, path).filter((shape) => shape.includes(key));
  return fields.filter((name) => !first.includes(name) && !others.some((shape) => shape.includes(name)));
}

export function unknownFieldMessage(word: string, known: readonly string[]): string {
  const suggestion = findNearestWord(word, known);
  if (suggestion !== undefined) return `unknown field; did you mean ${suggestion}?`;
  return known.length > 0 ? `unknown field; known: ${known.join(", ")}` : "unknown field";
}
