import * as z from "zod/mini";
import { assumedField, field, methodNote, shape } from "../descriptions.js";
import { currencyCodeSchema, moneySchema, nullableText, text } from "./response-fields.js";

export const paymentMethodSchema = shape("PaymentMethod", "A way to pay.", {
  id: field(text, methodNote("The name requests use for it.")),
  display_name: field(text, "Its display name."),
  icon: field(text, "Which icon to show."),
  description: field(text, "What it is, in a few words."),
  type: field(z.enum(["fiat", "crypto"]), "Whether it moves fiat money or crypto."),
  enabled_by_default: field(z.boolean(), "Whether new organizations have it."),
  currencies: field(z.array(currencyCodeSchema), "Codes of the currencies it takes."),
});
export const paymentMethodListSchema = shape("PaymentMethodList", "The payment methods.", {
  payment_methods: field(
    z.array(paymentMethodSchema),
    "In no particular order. Read it again from time to time: the list may grow.",
  ),
});

export const currencyCodesSchema = shape("CurrencyCodes", "Currency codes, grouped by kind.", {
  fiat: field(z.array(currencyCodeSchema), "ISO 4217 codes.", { examples: [["KES", "USD"]] }),
  crypto: field(
    z.array(currencyCodeSchema),
    "The asset, and its network after an underscore where it has several.",
    { examples: [["BTC", "USDT_TRC20"]] },
  ),
});

export const paymentRailSchema = shape("PaymentRail", "A bank network or operator a payment can use.", {
  id: assumedField(text, "The name requests use for it.", { examples: ["simba_pesa"] }),
  display_name: assumedField(text, "Its display name."),
  payment_method: assumedField(text, "The method it belongs to."),
  currency: assumedField(currencyCodeSchema, "The currency it moves."),
  country: assumedField(nullableText, "Two-letter code; null for crypto."),
  min_amount: assumedField(moneySchema, "The minimum amount."),
  max_amount: assumedField(z.nullable(moneySchema), "The maximum amount; null for no limit."),
});
export const paymentRailListSchema = shape("PaymentRailList", "The matching rails.", {
  payment_rails: assumedField(
    z.array(paymentRailSchema),
    "The first of a method and currency is the one used when none is named.",
  ),
});
