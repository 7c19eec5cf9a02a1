import type * as z from "zod/mini";
import { unknownEventType } from "./event-types.js";
import { didYouMean } from "./nearest.js";

/** What a text may name where all there can be are known; the phrase is what a person is told. */
export type NameKind =
  | "operation"
  | "event type"
  /** A type, or the name the config has its events sent under. */
  | "event name"
  | "HTTP method"
  | "path"
  | "currency"
  | "payment method"
  | "payment rail";

const kinds = new WeakMap<z.core.$ZodType, NameKind | undefined>();

/**
 * A schema of its own, whose texts are names of that kind; they may be globs. Of no kind are those of a field that is
 * only called as if.
 */
export function naming<Schema extends z.ZodMiniType>(kind: NameKind | undefined, schema: Schema): Schema {
  const named = schema.clone() as Schema;
  kinds.set(named, kind);
  return named;
}

/** Fields that mean the same wherever they stand: they need no mark. */
const BY_FIELD: ReadonlyMap<string, NameKind> = new Map([
  ["operation", "operation"],
  ["currency", "currency"],
  ["base_currency", "currency"],
  ["to_currency", "currency"],
  ["payment_method", "payment method"],
  ["payment_rail", "payment rail"],
]);

/** What the texts of a field name, by the mark on its schema or by what it is called. */
export function nameKindOf(schema: z.core.$ZodType, field: string | undefined): NameKind | undefined {
  if (kinds.has(schema) || field === undefined) return kinds.get(schema);
  return BY_FIELD.get(field);
}

/** What is wrong with a name that nothing of that kind has, with the one that may have been meant. */
export function unknownName(kind: NameKind, name: string, known: readonly string[]): string {
  if (kind === "event type") return unknownEventType(name, known);
  if (kind === "event name") return `${unknownEventType(name, known)}. Any other needs force`;
  return `there is no ${kind} ${name}${didYouMean(name, known, `; known: ${known.join(", ")}`)}`;
}
