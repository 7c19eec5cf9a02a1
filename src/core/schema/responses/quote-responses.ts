import * as z from "zod/mini";
import { timestampSchema } from "../common.js";
import { assumedField, currencyNote, FEES_NOTE, field, RATE_NOTE, shape } from "../descriptions.js";
import {
  currencyCodeSchema,
  exchangeRateSchema,
  moneySchema,
  nullableText,
  text,
} from "./response-fields.js";

export const feeBreakdownSchema = shape("FeeBreakdown", "The parts of the fee.", {
  platform_fee: field(moneySchema, "The platform fee."),
  gateway_fee: field(moneySchema, "The gateway fee."),
});
export const feesSchema = shape("Fees", "What a payment costs.", {
  total_fee: field(moneySchema, "The sum of the parts."),
  fee_breakdown: field(feeBreakdownSchema, "The parts."),
});

export const railField = assumedField(nullableText, "The bank network or operator, if there is one.", {
  examples: ["simba_pesa"],
});

export const quoteSchema = shape("Quote", "A price locked for a limited time.", {
  quote_id: field(text, "The ID a checkout refers to.", { examples: ["qt_2a1e58a0b2be40422e267c4f"] }),
  payment_method: assumedField(text, "The method it is for."),
  payment_rail: railField,
  base_currency: assumedField(currencyCodeSchema, "Currency the price was given in."),
  base_amount: assumedField(moneySchema, "The price in that currency."),
  amount: field(moneySchema, "What the customer pays, fees included.", { examples: ["3305.63"] }),
  currency: field(currencyCodeSchema, currencyNote("Currency the customer pays in.")),
  exchange_rate: field(exchangeRateSchema, RATE_NOTE),
  fees: field(feesSchema, FEES_NOTE),
  settlement_amount: assumedField(moneySchema, "What the merchant will receive: the amount less the fees."),
  expires_at: field(timestampSchema, "Until when a checkout may use it: {{quote valid}}.", {
    assumption: "Valid while sandbox time is earlier than this.",
  }),
  locked_until: assumedField(
    timestampSchema,
    "Until when rate, fees and total are locked: {{quote locked}}.",
  ),
  created_at: assumedField(timestampSchema, "When it was made."),
  wallet_address: assumedField(z.optional(text), "Crypto only: the wallet the instructions will name."),
  network: assumedField(z.optional(text), "Crypto only: the network to send on."),
});
