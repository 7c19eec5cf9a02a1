import type * as z from "zod/mini";
import { unknownEventTypeMessage } from "./event-types.js";
import { didYouMean } from "./nearest.js";

/** Kinds of names that belong to a known set; error messages contain the kind. */
export type NameKind =
  | "operation"
  | "event type"
  /** An event type, or the configured name that webhooks use instead. */
  | "event name"
  | "HTTP method"
  | "path"
  | "currency"
  | "payment method"
  | "payment rail";

const kinds = new WeakMap<z.core.$ZodType, NameKind | undefined>();

/** Clones a schema and sets the kind of names in the clone's text. `undefined` means that the text has no names. */
export function withNameKind<Schema extends z.ZodMiniType>(
  kind: NameKind | undefined,
  schema: Schema,
): Schema {
  const clone = schema.clone() as Schema;
  kinds.set(clone, kind);
  return clone;
}

/** Kind of the names in a field, by field name. `withNameKind` takes precedence over this table. */
const BY_FIELD: ReadonlyMap<string, NameKind> = new Map([
  ["operation", "operation"],
  ["currency", "currency"],
  ["base_currency", "currency"],
  ["to_currency", "currency"],
  ["payment_method", "payment method"],
  ["payment_rail", "payment rail"],
]);

export function nameKindOf(schema: z.core.$ZodType, field: string | undefined): NameKind | undefined {
  if (kinds.has(schema) || field === undefined) return kinds.get(schema);
  return BY_FIELD.get(field);
}

export function unknownNameMessage(kind: NameKind, name: string, known: readonly string[]): string {
  if (kind === "event type") return unknownEventTypeMessage(name, known);
  if (kind === "event name") return `${unknownEventTypeMessage(name, known)}. Any other needs force`;
  return `there is no ${kind} ${name}${didYouMean(name, known, `; known: ${known.join(", ")}`)}`;
}
