import { pageQuerySchema, payinQuerySchema, railQuerySchema } from "../../schema/requests.js";
import * as example from "./examples.js";
import { type OperationDoc, query } from "./operation-doc.js";

const ALL_ASSUMED =
  "The interface names this operation without showing it: path, parameters and bodies are assumed.";
const CREATES = "It is answered 200, as the whitelabel checkout is.";
const LIMIT_NOTE = "How many to answer at most.";
const OFFSET_NOTE = "How many to skip.";
const INVALID = "Invalid request parameters";
const QUOTE_GONE = {
  code: "VALIDATION_ERROR",
  message: INVALID,
  details: { quote_id: "Quote expired or not found. Please get a new quote." },
};

const page = query(pageQuerySchema, { limit: LIMIT_NOTE, offset: OFFSET_NOTE });

/** Every operation's words, by its id; the examples are one story (see `examples.ts`). */
export const OPERATION_DOCS: Readonly<Record<string, OperationDoc>> = {
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
  createQuote: {
    tag: "Payments",
    summary: "Create a quote",
    says: "Locks rate, fees and total of a payment. A checkout may name the quote within 30 seconds.",
    assumed: `Fields beyond pricing, method, \`to_currency\` and e-mail. ${CREATES}`,
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
  getBalances: {
    tag: "Account",
    summary: "Read balances",
    says:
      "What the organization holds, by currency. The first read makes accounts in US dollars and in the currency of " +
      "the organization's country; others come with the first payment in them. Not more often than every 10 seconds.",
    answer: {
      component: "Balances",
      says: "The balances.",
      examples: { "after a payment": example.BALANCES },
    },
  },
  getOrganization: {
    tag: "Account",
    summary: "Read the organization",
    says: "The merchant the key belongs to.",
    assumed: "Fields beyond `enabled_payment_methods`.",
    answer: {
      component: "Organization",
      says: "The organization.",
      examples: { "the sandbox's": example.ORGANIZATION },
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
  createDestination: {
    tag: "Payouts",
    summary: "Create a payout destination",
    says: "Registers once where withdrawals may go.",
    assumed: ALL_ASSUMED,
    body: { component: "DestinationRequest", examples: example.DESTINATION_REQUESTS },
    answer: {
      component: "Destination",
      says: "It is registered.",
      examples: { "mobile money": example.DESTINATION },
    },
    invalid: {
      "a field is missing": {
        code: "VALIDATION_ERROR",
        message: INVALID,
        details: { bank_code: "is required for bank_account" },
      },
    },
  },
  listDestinations: {
    tag: "Payouts",
    summary: "List payout destinations",
    says: "The organization's destinations in the key's mode, newest first.",
    assumed: ALL_ASSUMED,
    query: page,
    answer: {
      component: "DestinationList",
      says: "A page.",
      examples: { "one destination": example.DESTINATION_LIST },
    },
  },
  getDestination: {
    tag: "Payouts",
    summary: "Read a payout destination",
    says: "One destination.",
    assumed: ALL_ASSUMED,
    answer: {
      component: "Destination",
      says: "The destination.",
      examples: { "mobile money": example.DESTINATION },
    },
    missing: "There is no such destination in the organization and mode of the key",
  },
  createWithdrawal: {
    tag: "Payouts",
    summary: "Create a withdrawal",
    says:
      "Sends money from the available balance to a destination. Give it an Idempotency-Key: sent again with the same " +
      "key and body, it is answered as the first time and the money goes once.",
    assumed: `${ALL_ASSUMED} Amount and fee leave the available balance at once, and come back if the withdrawal fails or is cancelled.`,
    headers: ["Idempotency-Key", "Sandbox-Scenario"],
    body: { component: "WithdrawalRequest", examples: { "to mobile money": example.WITHDRAWAL_REQUEST } },
    answer: {
      component: "Withdrawal",
      says: "It is on its way.",
      examples: { pending: example.WITHDRAWAL },
      replayable: true,
    },
    invalid: {
      "too little money": {
        code: "INSUFFICIENT_BALANCE",
        message: "The available balance in KES is too low.",
      },
      "below the minimum": {
        code: "VALIDATION_ERROR",
        message: INVALID,
        details: { amount: "must be at least 500.00 KES" },
      },
    },
  },
  listWithdrawals: {
    tag: "Payouts",
    summary: "List withdrawals",
    says: "The organization's withdrawals in the key's mode, newest first.",
    assumed: ALL_ASSUMED,
    query: page,
    answer: {
      component: "WithdrawalList",
      says: "A page.",
      examples: { "one withdrawal": example.WITHDRAWAL_LIST },
    },
  },
  getWithdrawal: {
    tag: "Payouts",
    summary: "Read a withdrawal",
    says: "One withdrawal, to poll as a complement to webhooks.",
    assumed: ALL_ASSUMED,
    answer: { component: "Withdrawal", says: "The withdrawal.", examples: { pending: example.WITHDRAWAL } },
    missing: "There is no such withdrawal in the organization and mode of the key",
  },
  createWebhook: {
    tag: "Webhooks",
    summary: "Register a webhook",
    says: "An address that shall hear of events in the key's mode. Registered again, an address is updated.",
    assumed: ALL_ASSUMED,
    body: { component: "WebhookRequest", examples: { "charges only": example.WEBHOOK_REQUEST } },
    answer: {
      component: "Webhook",
      says: "It is registered.",
      examples: { "charges only": example.WEBHOOK },
    },
  },
  listWebhooks: {
    tag: "Webhooks",
    summary: "List webhooks",
    says: "The endpoints of the key's mode, newest first; those the sandbox was started with too.",
    assumed: ALL_ASSUMED,
    query: page,
    answer: {
      component: "WebhookList",
      says: "A page.",
      examples: { "one endpoint": example.WEBHOOK_LIST },
    },
  },
  getWebhook: {
    tag: "Webhooks",
    summary: "Read a webhook",
    says: "One endpoint, with its secret.",
    assumed: ALL_ASSUMED,
    answer: { component: "Webhook", says: "The endpoint.", examples: { "charges only": example.WEBHOOK } },
    missing: "There is no such endpoint in the organization and mode of the key",
  },
  updateWebhook: {
    tag: "Webhooks",
    summary: "Change a webhook",
    says: "Changes what is sent; the rest stays.",
    assumed: ALL_ASSUMED,
    body: { component: "WebhookUpdate", examples: { "turn it on": { enabled: true } } },
    answer: { component: "Webhook", says: "The endpoint.", examples: { "charges only": example.WEBHOOK } },
    missing: "There is no such endpoint in the organization and mode of the key",
  },
  deleteWebhook: {
    tag: "Webhooks",
    summary: "Delete a webhook",
    says: "Nothing more is sent to it.",
    assumed: ALL_ASSUMED,
    answer: { component: "WebhookDeleted", says: "It is gone.", examples: { gone: example.WEBHOOK_DELETED } },
    missing: "There is no such endpoint in the organization and mode of the key",
  },
  rotateWebhookSecret: {
    tag: "Webhooks",
    summary: "Rotate a webhook's secret",
    says: "Gives the endpoint a new secret. For 24 hours events are signed with both.",
    assumed: ALL_ASSUMED,
    answer: {
      component: "Webhook",
      says: "The endpoint with its new secret.",
      examples: { "charges only": example.WEBHOOK },
    },
    missing: "There is no such endpoint in the organization and mode of the key",
  },
};
