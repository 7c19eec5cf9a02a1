import { railQuerySchema } from "../../../schema/requests.js";
import * as example from "../examples.js";
import { type OperationDoc, query } from "../operation-doc.js";
import { ALL_ASSUMED } from "./common.js";

export const CATALOGUE_DOCS: Readonly<Record<string, OperationDoc>> = {
  listPaymentMethods: {
    tag: "Catalogue",
    summary: "List payment methods",
    says: "The ways to pay. With a key, those its organization may use; without one, all there are.",
    assumed: "With a key: the methods the key's organization has enabled. A key that is sent must be valid.",
    answer: {
      component: "PaymentMethodList",
      says: "The methods.",
      examples: { methods: example.PAYMENT_METHOD_LIST },
    },
  },
  listSupportedCurrencies: {
    tag: "Catalogue",
    summary: "List currencies for payments",
    says: "The currencies customers can pay in: the same for everyone, in both modes.",
    answer: {
      component: "CurrencyCodes",
      says: "The codes, sorted.",
      examples: { currencies: example.CURRENCY_CODES },
    },
  },
  listPaymentRails: {
    tag: "Catalogue",
    summary: "List payment rails",
    says: "The bank networks and operators a method can take in a currency. Both filters are optional.",
    assumed: ALL_ASSUMED,
    query: query(railQuerySchema, {
      payment_method: { says: "Only those of this method.", examples: ["mobile_money"] },
      currency: { says: "Only those of this currency.", examples: ["KES"] },
    }),
    answer: {
      component: "PaymentRailList",
      says: "The rails; none, if there is none that fits.",
      examples: { rails: example.PAYMENT_RAIL_LIST },
    },
    invalid: {
      "unknown currency": {
        code: "VALIDATION_ERROR",
        message: "Invalid query parameters",
        details: { currency: "must be one of USD, NGN, GHS, KES" },
      },
    },
  },
  listPayoutCurrencies: {
    tag: "Catalogue",
    summary: "List currencies for payouts",
    says: "The currencies withdrawals can be made in: fewer than payments.",
    assumed: `${ALL_ASSUMED} They are the currencies with a stated minimum withdrawal.`,
    answer: {
      component: "CurrencyCodes",
      says: "The codes, sorted.",
      examples: { currencies: example.PAYOUT_CURRENCY_CODES },
    },
  },
};
