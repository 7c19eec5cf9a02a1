import * as z from "zod/mini";
import { MAX_INSTANT_MS } from "../time.js";

/** Makes all fields readonly at any depth, because records are replaced, never mutated. */
export type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
    : Value;

export const text = z.string();
export const textOrNull = z.nullable(text);
export const textList = z.array(text);

/** Maximum of counters, far below the limit of exact integers. */
const MAX_COUNT = 2 ** 48;
export const boundedCountSchema = z
  .int()
  .check(z.gte(0, "must not be negative"), z.lte(MAX_COUNT, "is too large"));
export const sequenceNumberSchema = boundedCountSchema.check(z.gte(1, "must be more than 0"));

const OUT_OF_TIME = "must be an instant of the years 1970 to 9999, in milliseconds";
export const instantMsSchema = z.int().check(z.gte(0, OUT_OF_TIME), z.lte(MAX_INSTANT_MS, OUT_OF_TIME));
export const durationMsSchema = z.number().check(z.gte(0, "must not be negative"));

export const signedMoneySchema = text.check(z.regex(/^-?\d+(\.\d+)?$/, "must be a decimal string"));

/** JSON text. `isValid` checks the parsed value. */
export function jsonTextSchema(isValid: (value: unknown) => boolean, message: string) {
  return text.check(
    z.refine((json) => {
      try {
        return isValid(JSON.parse(json));
      } catch {
        return false;
      }
    }, message),
  );
}
