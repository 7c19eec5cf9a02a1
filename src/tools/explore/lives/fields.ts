import { isJsonObject } from "../../../core/schema/json-objects.js";

/** A customer's order in the app: the id is the order's, the e-mail address the customer's. */
export interface LifeOrder {
  readonly id: string;
  readonly email: string;
}

/** A view of an order in the app. */
export interface LifeView {
  readonly name: string;
  readonly body: unknown;
  readonly status: number;
}

export type Value = string | number | boolean | null | undefined;
/** Fields of all views, by dotted path. A list counts as its length. */
export type Fields = ReadonlyMap<string, Value>;

/** Returns the fields of the views, without what names the order or its customer. */
export function fieldsOf(views: readonly LifeView[], { id, email }: LifeOrder): Fields {
  const fields = new Map<string, Value>();
  const add = (path: string, value: unknown): void => {
    if (Array.isArray(value)) fields.set(`${path}.length`, value.length);
    else if (isJsonObject(value))
      for (const [key, part] of Object.entries(value)) add(`${path}.${key}`, part);
    else if (typeof value === "string") fields.set(path, value.replaceAll(email, "…").replaceAll(id, "…"));
    else fields.set(path, value as Value);
  };
  for (const { name, body, status } of views)
    if (status >= 400) fields.set(name, `fails with ${status}`);
    else add(name, body);
  return fields;
}

export function pathsOf(...all: readonly Fields[]): string[] {
  return [...new Set(all.flatMap((fields) => [...fields.keys()]))];
}

/** Reads a number, or an amount in text; NaN for anything else. */
export function sizeOf(value: Value): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
}
