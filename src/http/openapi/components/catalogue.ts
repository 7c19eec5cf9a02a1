import * as r from "../../../schema/responses.js";
import { type Component, object } from "../component.js";
import type { Facts } from "../facts.js";
import { method } from "../phrases.js";
import { unshown } from "../types.js";

/** Methods, currencies and rails. */
export function catalogueComponents(facts: Facts): Component[] {
  return [
    object("PaymentMethod", r.paymentMethodSchema, "A way to pay.", {
      id: method(facts, "What requests call it."),
      display_name: "Its name for people.",
      icon: "Which icon to show.",
      description: "What it is, in a few words.",
      type: "Whether it moves fiat money or crypto.",
      enabled_by_default: "Whether new organizations have it.",
      currencies: "Codes of the currencies it takes.",
    }),
    object("PaymentMethodList", r.paymentMethodListSchema, "The methods there are.", {
      payment_methods: "In no order that means anything; read it anew, for the list may grow.",
    }),
    object("CurrencyCodes", r.currencyCodesSchema, "Currency codes, apart by kind.", {
      fiat: { says: "ISO 4217 codes.", examples: [["KES", "USD"]] },
      crypto: {
        says: "The asset, and its network after an underscore where it has several.",
        examples: [["BTC", "USDT_TRC20"]],
      },
    }),
    object("PaymentRail", r.paymentRailSchema, "A bank network or operator a payment can take.", {
      id: unshown("What requests call it.", { examples: ["simba_pesa"] }),
      display_name: unshown("Its name for people."),
      payment_method: unshown("The method it belongs to."),
      currency: unshown("The currency it moves."),
      country: unshown("Two-letter code; null for crypto."),
      min_amount: unshown("The least it takes."),
      max_amount: unshown("The most it takes; null is no limit."),
    }),
    object("PaymentRailList", r.paymentRailListSchema, "The rails asked for.", {
      payment_rails: unshown("The first of a method and currency is the one used when none is named."),
    }),
  ];
}
