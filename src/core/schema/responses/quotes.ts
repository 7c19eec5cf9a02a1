import * as z from "zod/mini";
import { timestampSchema } from "../common.js";
import { currency, FEES, RATE } from "../phrases.js";
import { field, shape, unshown } from "../words.js";
import { currencyCodeSchema, exchangeRateSchema, moneySchema, nullableText, text } from "./parts.js";

export const feeBreakdownSchema = shape("FeeBreakdown", "The parts of the fee.", {
  platform_fee: field(moneySchema, "The platform fee."),
  gateway_fee: field(moneySchema, "The gateway fee."),
});
export const feesSchema = shape("Fees", "What a payment costs.", {
  total_fee: field(moneySchema, "The sum of the parts."),
  fee_breakdown: field(feeBreakdownSchema, "The parts."),
});

export const rail = field(
  nullableText,
  unshown("The bank network or operator, if there is one.", { examples: ["simba_pesa"] }),
);

export const quoteSchema = shape("Quote", "A price locked for a limited time.", {
  quote_id: field(text, { says: "The ID a checkout refers to.", examples: ["qt_2a1e58a0b2be40422e267c4f"] }),
  payment_method: field(text, unshown("The method it is for.")),
  payment_rail: rail,
  base_currency: field(currencyCodeSchema, unshown("Currency the price was given in.")),
  base_amount: field(moneySchema, unshown("The price in that currency.")),
  amount: field(moneySchema, { says: "What the customer pays, fees included.", examples: ["3305.63"] }),
  currency: field(currencyCodeSchema, currency("Currency the customer pays in.")),
  exchange_rate: field(exchangeRateSchema, RATE),
  fees: field(feesSchema, FEES),
  settlement_amount: field(moneySchema, unshown("What the merchant will receive: the amount less the fees.")),
  expires_at: field(timestampSchema, {
    says: "Until when a checkout may use it: {{quote valid}}.",
    assumed: "Valid while sandbox time is earlier than this.",
  }),
  locked_until: field(
    timestampSchema,
    unshown("Until when rate, fees and total are locked: {{quote locked}}."),
  ),
  created_at: field(timestampSchema, unshown("When it was made.")),
  wallet_address: field(z.optional(text), unshown("Crypto only: the wallet the instructions will name.")),
  network: field(z.optional(text), unshown("Crypto only: the network to send on.")),
});
