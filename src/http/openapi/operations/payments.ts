import { payinQuerySchema } from "../../../schema/requests.js";
import * as example from "../examples.js";
import { type OperationDoc, query } from "../operation-doc.js";
import { CREATES, INVALID, LIMIT_NOTE, OFFSET_NOTE, QUOTE_GONE } from "./common.js";

export const PAYMENTS_DOCS: Readonly<Record<string, OperationDoc>> = {
  createQuote: {
    tag: "Payments",
    summary: "Create a quote",
    says: "Locks rate, fees and total of a payment. A checkout may name the quote until it expires.",
    assumed: `Fields beyond pricing, method, \`to_currency\` and e-mail. ${CREATES}`,
    headers: ["Sandbox-Scenario"],
    body: { component: "QuoteRequest", examples: { "dollars paid in shillings": example.QUOTE_REQUEST } },
    answer: {
      component: "Quote",
      says: "The price.",
      examples: { "mobile money": example.QUOTE, crypto: example.CRYPTO_QUOTE },
    },
    invalid: {
      "nothing left": {
        code: "VALIDATION_ERROR",
        message: INVALID,
        details: { "pricing.amount": "must be more than 0" },
      },
    },
  },
  createWhitelabel: {
    tag: "Payments",
    summary: "Create a whitelabel checkout",
    says:
      "Makes a checkout and begins its payment in one call, at the price of a valid quote. Show the customer the " +
      "instructions, then learn the outcome from webhooks or by polling the charge.",
    headers: ["Sandbox-Scenario"],
    body: {
      component: "WhitelabelRequest",
      examples: { "mobile money": example.WHITELABEL_REQUEST },
    },
    answer: {
      component: "WhitelabelResult",
      says: "The payment has begun.",
      examples: { "mobile money": example.WHITELABEL_RESULT },
    },
    invalid: {
      "quote expired or unknown": QUOTE_GONE,
      "another method than the quote's": {
        code: "VALIDATION_ERROR",
        message: INVALID,
        details: { payment_method: "does not match the quote" },
      },
    },
  },
  createCheckout: {
    tag: "Payments",
    summary: "Create a standard checkout",
    says: "Makes a hosted page where the customer picks a method and pays. Redirect the customer to its URL.",
    assumed: `Fields beyond pricing, e-mail, metadata and life; the shape of the answer. ${CREATES} The charge is there from the start and gets its price when the customer picks a method.`,
    headers: ["Sandbox-Scenario"],
    body: { component: "CheckoutRequest", examples: { "two methods": example.CHECKOUT_REQUEST } },
    answer: {
      component: "Checkout",
      says: "The page is there.",
      examples: { "two methods": example.CHECKOUT },
    },
    invalid: { "quote expired or unknown": QUOTE_GONE },
  },
  listPayins: {
    tag: "Payments",
    summary: "List payments",
    says: "The organization's payments in the key's mode, newest first.",
    query: query(payinQuerySchema, {
      limit: LIMIT_NOTE,
      offset: OFFSET_NOTE,
      status_filter: { says: "Only those in this status.", assumed: "Another value is refused with 400." },
    }),
    answer: { component: "PayinList", says: "A page.", examples: { "one payment": example.PAYIN_LIST } },
    invalid: {
      "limit out of range": {
        code: "VALIDATION_ERROR",
        message: "Invalid query parameters",
        details: { limit: "must be between 1 and 100" },
      },
    },
  },
  getPayin: {
    tag: "Payments",
    summary: "Read a payment by its charge id",
    says: "The same record as reading the charge.",
    answer: { component: "Charge", says: "The payment.", examples: { completed: example.CHARGE } },
    missing: "There is no such charge in the organization and mode of the key",
  },
  getCharge: {
    tag: "Payments",
    summary: "Read a charge",
    says: "A payment in full. Poll it as a complement to webhooks, less and less often, for 10 to 15 minutes at most.",
    answer: { component: "Charge", says: "The charge.", examples: { completed: example.CHARGE } },
    missing: "There is no such charge in the organization and mode of the key",
  },
};
