/* Encodes objects in a record, such as payment instructions, as differences from the objects of an earlier record. */

import { isLazyInstructions } from "../domain/charge-transition.js";
import { type Fields, isSameJson } from "./encode-fields.js";

/** Differences from an object with the same fields in the same order: fields stored whole, and parts of texts. */
export type ObjectDiff = readonly [fields: Fields, texts: Readonly<Record<string, TextDiff>>];

/** `start` and `end` count the characters that the texts share at their beginning and end. */
type TextDiff = readonly [start: number, between: string, end: number];

export type ObjectDiffs = Readonly<Record<string, ObjectDiff>>;

/** Minimum number of common characters; texts with fewer are stored whole. */
const SHARED_MIN_LENGTH = 40;

/** Splits fields into fields stored whole and objects stored as differences from the same fields of `model`. */
export function diffObjects(
  model: Fields,
  fields: Fields,
): { readonly fields: Fields; readonly parts: ObjectDiffs | undefined } {
  if (!Object.values(fields).some(isObject)) return { fields, parts: undefined };
  const whole: [string, unknown][] = [];
  const parts: [string, ObjectDiff][] = [];
  for (const [name, value] of Object.entries(fields)) {
    const part = diffObject(model[name], value);
    if (part === undefined) whole.push([name, value]);
    else parts.push([name, part]);
  }
  if (parts.length === 0) return { fields, parts: undefined };
  return { fields: Object.fromEntries(whole), parts: Object.fromEntries(parts) };
}

/** Returns undefined if the differences are no shorter than the value or would not restore its JSON byte for byte. */
function diffObject(model: unknown, value: unknown): ObjectDiff | undefined {
  if (isLazyInstructions(model)) return diffObject(model.toJSON(), value);
  if (isLazyInstructions(value)) return diffObject(model, value.toJSON());
  if (!isPlain(model) || !isPlain(value)) return undefined;
  const names = Object.keys(value);
  const others = Object.keys(model);
  if (names.length !== others.length || names.some((name, index) => name !== others[index])) return undefined;
  const different = Object.entries(value).filter(([name, field]) => !isSameJson(model[name], field));
  // Objects with undefined fields are stored whole, because JSON has no undefined.
  if (Object.values(model).includes(undefined) || Object.values(value).includes(undefined)) return undefined;
  const texts = different.flatMap(([name, field]) => {
    const text = diffText(model[name], field);
    return text === undefined ? [] : [[name, text] as const];
  });
  if (texts.length === 0 && different.length === names.length) return undefined;
  const isText = new Set(texts.map(([name]) => name));
  return [Object.fromEntries(different.filter(([name]) => !isText.has(name))), Object.fromEntries(texts)];
}

function diffText(model: unknown, text: unknown): TextDiff | undefined {
  if (typeof model !== "string" || typeof text !== "string") return undefined;
  const limit = Math.min(model.length, text.length);
  let start = 0;
  while (start < limit && model.charCodeAt(start) === text.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < limit - start &&
    model.charCodeAt(model.length - 1 - end) === text.charCodeAt(text.length - 1 - end)
  )
    end++;
  return start + end < SHARED_MIN_LENGTH ? undefined : [start, text.slice(start, text.length - end), end];
}

/** Decodes the objects that are stored as differences. */
export function applyObjectDiffs(model: Fields, parts: ObjectDiffs = {}): Fields {
  return Object.fromEntries(
    Object.entries(parts).map(([name, [fields, texts]]) => {
      const value = model[name];
      const plain = (isLazyInstructions(value) ? value.toJSON() : value) as Fields;
      const whole = Object.entries(texts).map(([field, [start, between, end]]) => {
        const text = plain[field] as string;
        return [field, text.slice(0, start) + between + text.slice(text.length - end)] as const;
      });
      return [name, { ...plain, ...fields, ...Object.fromEntries(whole) }];
    }),
  );
}

function isPlain(value: unknown): value is Fields {
  return isObject(value) && !Array.isArray(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
