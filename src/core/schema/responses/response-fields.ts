import * as z from "zod/mini";
import { CURRENCY_CODE_PATTERN, metadataSchema } from "../common.js";
import {
  assumedField,
  type FieldNote,
  field,
  METADATA_DESCRIPTION,
  namedSchema,
  shape,
} from "../descriptions.js";

/** An amount in responses, padded to its currency's decimals. */
export const moneySchema = z.string().check(z.regex(/^\d+(\.\d+)?$/));
/** The quotient of two rates, to 12 significant digits, without an exponent. */
export const exchangeRateSchema = z.string().check(z.regex(/^\d+(\.\d+)?$/));
export const currencyCodeSchema = z.string().check(z.regex(CURRENCY_CODE_PATTERN));

export const text = z.string();
export const nullableText = z.nullable(text);

export function listShape<Item extends z.core.$ZodType>(name: string, plural: string, item: Item) {
  return shape(name, `A page of ${plural}.`, {
    total: assumedField(totalSchema, "Number of items on all pages."),
    items: assumedField(z.array(item), `${plural[0]!.toUpperCase()}${plural.slice(1)}, newest first.`),
  });
}
export const totalSchema = z.int().check(z.gte(0));

namedSchema(
  "Metadata",
  {
    description: METADATA_DESCRIPTION,
    assumption: "The limit of 10 KB is 10,240 bytes of UTF-8, keys and values counted together.",
    examples: [{ order_id: "1042" }],
  },
  metadataSchema,
);

export function discriminatorField<Type extends string>(
  type: Type,
  note: FieldNote | string = "The variant.",
) {
  return field(z.literal(type), note);
}

/** `code` is any text, since the config may rename codes. */
export const errorInfoSchema = shape("ErrorInfo", "What went wrong.", {
  code: field(text, "For programs.", { examples: ["VALIDATION_ERROR"] }),
  message: field(text, "For people.", { examples: ["Invalid request parameters"] }),
  details: field(z.optional(z.record(z.string(), z.string())), "What is wrong with each invalid field.", {
    assumption: "A field within an object has a dotted path; all faults come together.",
    examples: [{ "pricing.amount": "must be more than 0" }],
  }),
});
export const errorResponseSchema = shape("ApiError", "The body of every error.", {
  error: field(errorInfoSchema, "What went wrong."),
});
