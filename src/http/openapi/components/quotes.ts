import * as r from "../../../schema/responses.js";
import { type Component, object } from "../component.js";
import type { Facts } from "../facts.js";
import { currency } from "../phrases.js";
import { unshown } from "../types.js";
import { FEES_NOTE, RAIL_ID_NOTE, RATE_NOTE } from "./charge-notes.js";

/** Quotes and fees. */
export function quoteComponents(facts: Facts): Component[] {
  return [
    object("FeeBreakdown", r.feeBreakdownSchema, "The parts of the fee.", {
      platform_fee: "The platform's part.",
      gateway_fee: "The gateway's part.",
    }),
    object("Fees", r.feesSchema, "What a payment costs.", {
      total_fee: "The sum of the parts.",
      fee_breakdown: "The parts.",
    }),
    object("Quote", r.quoteSchema, "A price that is held for a while.", {
      quote_id: { says: "What a checkout names it by.", examples: ["qt_2a1e58a0b2be40422e267c4f"] },
      payment_method: unshown("The method it is for."),
      payment_rail: RAIL_ID_NOTE,
      base_currency: unshown("Currency the price was given in."),
      base_amount: unshown("The price in that currency."),
      amount: { says: "What the customer pays, fees included.", examples: ["3305.63"] },
      currency: currency(facts, "Currency the customer pays in."),
      exchange_rate: RATE_NOTE,
      fees: FEES_NOTE,
      settlement_amount: unshown("What the merchant will receive: amount less fees."),
      expires_at: {
        says: `Until when a checkout may name it: ${facts.quoteValid}.`,
        assumed: "Valid while sandbox time is earlier than this.",
      },
      locked_until: unshown(`Until when rate, fees and total are held: ${facts.quoteLocked}.`),
      created_at: unshown("When it was made."),
      wallet_address: unshown("Crypto only: the wallet the instructions will name."),
      network: unshown("Crypto only: the network to send on."),
    }),
  ];
}
