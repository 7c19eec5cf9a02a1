import * as z from "zod/mini";
import { metadataSchema } from "../common.js";
import { METADATA_SAYS } from "../phrases.js";
import { type FieldNote, field, named, shape, unshown } from "../words.js";

/** An amount as the service writes it: plain decimals, padded to its currency's, of any size. */
export const moneySchema = z.string().check(z.regex(/^\d+(\.\d+)?$/));
/** The quotient of two rates, to 12 significant digits, without an exponent. */
export const exchangeRateSchema = z.string().check(z.regex(/^\d+(\.\d+)?$/));
/** Currency code: upper case, a network after an underscore where an asset has several. */
export const currencyCodeSchema = z.string().check(z.regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)?$/));

export const text = z.string();
export const nullableText = z.nullable(text);

/** A page of a list: how many records it holds in all, and the page itself. */
export function pageOf<Item extends z.core.$ZodType>(name: string, of: string, item: Item) {
  return shape(name, `A page of ${of}.`, {
    total: field(totalSchema, unshown("Number of items on all pages.")),
    items: field(z.array(item), unshown(`${of[0]!.toUpperCase()}${of.slice(1)}, newest first.`)),
  });
}
export const totalSchema = z.int().check(z.gte(0));

named(
  "Metadata",
  {
    says: METADATA_SAYS,
    assumed: "The limit of 10 KB is 10,240 bytes of UTF-8, keys and values counted together.",
    examples: [{ order_id: "1042" }],
  },
  metadataSchema,
);

/** Which variant of several a record is. */
export function variant<Type extends string>(type: Type, says: FieldNote | string = "The variant.") {
  return field(z.literal(type), says);
}
