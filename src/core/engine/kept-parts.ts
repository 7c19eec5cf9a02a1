/*
 * An object within a new record, such as how a charge is to be paid, has much in common with that in the record before:
 * fields, and the beginning and end of its texts.
 */

import { isWrittenLater } from "../domain/charge.js";
import { type Fields, isSame } from "./kept-fields.js";

/**
 * What sets an object apart from its model, which has the same fields in the same order: other fields, and texts that are
 * other within.
 */
export type KeptPart = readonly [fields: Fields, texts: Readonly<Record<string, KeptText>>];

/** So many characters of the beginning, what is between, so many of the end. */
type KeptText = readonly [start: number, between: string, end: number];

export type KeptParts = Readonly<Record<string, KeptPart>>;

/** Texts that have less in common are written out. */
const LEAST_ALIKE = 40;

/** The fields apart, of those the objects that go by parts of the model's. */
export function partsOf(
  model: Fields,
  fields: Fields,
): { readonly fields: Fields; readonly parts: KeptParts | undefined } {
  if (!Object.values(fields).some(isObject)) return { fields, parts: undefined };
  const whole: [string, unknown][] = [];
  const parts: [string, KeptPart][] = [];
  for (const [name, value] of Object.entries(fields)) {
    const part = partOf(model[name], value);
    if (part === undefined) whole.push([name, value]);
    else parts.push([name, part]);
  }
  if (parts.length === 0) return { fields, parts: undefined };
  return { fields: Object.fromEntries(whole), parts: Object.fromEntries(parts) };
}

/** Undefined where that would save nothing, or would not be the same to the byte. */
function partOf(model: unknown, value: unknown): KeptPart | undefined {
  if (isWrittenLater(model)) return partOf(model.toJSON(), value);
  if (isWrittenLater(value)) return partOf(model, value.toJSON());
  if (!isPlain(model) || !isPlain(value)) return undefined;
  const names = Object.keys(value);
  const others = Object.keys(model);
  if (names.length !== others.length || names.some((name, place) => name !== others[place])) return undefined;
  const different = Object.entries(value).filter(([name, own]) => !isSame(model[name], own));
  // JSON has no undefined.
  if (Object.values(model).includes(undefined) || Object.values(value).includes(undefined)) return undefined;
  const texts = different.flatMap(([name, own]) => {
    const text = textOf(model[name], own);
    return text === undefined ? [] : [[name, text] as const];
  });
  if (texts.length === 0 && different.length === names.length) return undefined;
  const isText = new Set(texts.map(([name]) => name));
  return [Object.fromEntries(different.filter(([name]) => !isText.has(name))), Object.fromEntries(texts)];
}

function textOf(model: unknown, text: unknown): KeptText | undefined {
  if (typeof model !== "string" || typeof text !== "string") return undefined;
  const most = Math.min(model.length, text.length);
  let start = 0;
  while (start < most && model.charCodeAt(start) === text.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < most - start &&
    model.charCodeAt(model.length - 1 - end) === text.charCodeAt(text.length - 1 - end)
  )
    end++;
  return start + end < LEAST_ALIKE ? undefined : [start, text.slice(start, text.length - end), end];
}

/** The model's fields that go by parts, as they are. */
export function fromParts(model: Fields, parts: KeptParts = {}): Fields {
  return Object.fromEntries(
    Object.entries(parts).map(([name, [fields, texts]]) => {
      const held = model[name];
      const own = (isWrittenLater(held) ? held.toJSON() : held) as Fields;
      const whole = Object.entries(texts).map(([field, [start, between, end]]) => {
        const text = own[field] as string;
        return [field, text.slice(0, start) + between + text.slice(text.length - end)] as const;
      });
      return [name, { ...own, ...fields, ...Object.fromEntries(whole) }];
    }),
  );
}

function isPlain(value: unknown): value is Fields {
  return isObject(value) && !Array.isArray(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
