import * as z from "zod/mini";
import { MAX_INSTANT_MS } from "../time.js";

/** Records never change in place: a change puts a new one where the old one was. */
export type Kept<Value> = Value extends readonly (infer Item)[]
  ? readonly Kept<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Kept<Value[Name]> }
    : Value;

export const text = z.string();
export const textOrNull = z.nullable(text);
export const texts = z.array(text);

/** The largest number anything is counted by: the order of tasks is made of their numbers, and needs the room. */
export const MAX_COUNT = 2 ** 48;
export const count = z.int().check(z.gte(0, "must not be negative"), z.lte(MAX_COUNT, "is too large"));
/** What records are numbered by, from 1. */
export const ordinal = count.check(z.gte(1, "must be more than 0"));

const OUT_OF_TIME = "must be an instant of the years 1970 to 9999, in milliseconds";
export const instantMs = z.int().check(z.gte(0, OUT_OF_TIME), z.lte(MAX_INSTANT_MS, OUT_OF_TIME));
export const spanMs = z.number().check(z.gte(0, "must not be negative"));

/** An amount that may be below zero. */
export const signedMoney = text.check(z.regex(/^-?\d+(\.\d+)?$/, "must be a decimal string"));

/** Text that is JSON of such a value. */
export function jsonText(isRight: (value: unknown) => boolean, message: string) {
  return text.check(
    z.refine((json) => {
      try {
        return isRight(JSON.parse(json));
      } catch {
        return false;
      }
    }, message),
  );
}
