import * as z from "zod/mini";
import {
  CHARGE_STATUSES,
  chargeStatusSchema,
  httpUrlSchema,
  metadataSchema,
  modeSchema,
  timestampSchema,
  withdrawalStatusSchema,
} from "./common.js";
import { currency, FEES, METADATA_SAYS, method, RATE } from "./phrases.js";
import { type FieldNote, field, named, shape, unshown } from "./words.js";

/**
 * What the service answers. Nothing is parsed with these while it runs: the OpenAPI document is made of them, and
 * the test suite holds every answer against that document. Objects are open, for a service may add fields.
 */

/** An amount as the service writes it: plain decimals, padded to its currency's, of any size. */
export const moneySchema = z.string().check(z.regex(/^\d+(\.\d+)?$/));
/** The quotient of two rates, to 12 significant digits, without an exponent. */
export const exchangeRateSchema = z.string().check(z.regex(/^\d+(\.\d+)?$/));
/** Currency code: upper case, a network after an underscore where an asset has several. */
export const currencyCodeSchema = z.string().check(z.regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)?$/));

const text = z.string();
const nullableText = z.nullable(text);

/** A page of a list: how many records it holds in all, and the page itself. */
function pageOf<Item extends z.core.$ZodType>(name: string, of: string, item: Item) {
  return shape(name, `A page of ${of}.`, {
    total: field(totalSchema, unshown("How many there are, on all pages.")),
    items: field(z.array(item), unshown(`${of[0]!.toUpperCase()}${of.slice(1)}, newest first.`)),
  });
}
const totalSchema = z.int().check(z.gte(0));

named(
  "Metadata",
  {
    says: METADATA_SAYS,
    assumed: "The limit of 10 KB is 10,240 bytes of UTF-8, keys and values counted together.",
    examples: [{ order_id: "1042" }],
  },
  metadataSchema,
);

/** Payment method (specification: Payment method). */
export const paymentMethodSchema = shape("PaymentMethod", "A way to pay.", {
  id: field(text, method("What requests call it.")),
  display_name: field(text, "Its name for people."),
  icon: field(text, "Which icon to show."),
  description: field(text, "What it is, in a few words."),
  type: field(z.enum(["fiat", "crypto"]), "Whether it moves fiat money or crypto."),
  enabled_by_default: field(z.boolean(), "Whether new organizations have it."),
  currencies: field(z.array(currencyCodeSchema), "Codes of the currencies it takes."),
});
export const paymentMethodListSchema = shape("PaymentMethodList", "The methods there are.", {
  payment_methods: field(
    z.array(paymentMethodSchema),
    "In no order that means anything; read it anew, for the list may grow.",
  ),
});

/** Codes apart by kind (specification: GET supported-currencies; contract section 2: payout currencies). */
export const currencyCodesSchema = shape("CurrencyCodes", "Currency codes, apart by kind.", {
  fiat: field(z.array(currencyCodeSchema), { says: "ISO 4217 codes.", examples: [["KES", "USD"]] }),
  crypto: field(z.array(currencyCodeSchema), {
    says: "The asset, and its network after an underscore where it has several.",
    examples: [["BTC", "USDT_TRC20"]],
  }),
});

/** Payment rail (contract section 2: rails). */
export const paymentRailSchema = shape("PaymentRail", "A bank network or operator a payment can take.", {
  id: field(text, unshown("What requests call it.", { examples: ["simba_pesa"] })),
  display_name: field(text, unshown("Its name for people.")),
  payment_method: field(text, unshown("The method it belongs to.")),
  currency: field(currencyCodeSchema, unshown("The currency it moves.")),
  country: field(nullableText, unshown("Two-letter code; null for crypto.")),
  min_amount: field(moneySchema, unshown("The least it takes.")),
  max_amount: field(z.nullable(moneySchema), unshown("The most it takes; null is no limit.")),
});
export const paymentRailListSchema = shape("PaymentRailList", "The rails asked for.", {
  payment_rails: field(
    z.array(paymentRailSchema),
    unshown("The first of a method and currency is the one used when none is named."),
  ),
});

/** Fees of a quote or a charge (specification: Quote). */
export const feeBreakdownSchema = shape("FeeBreakdown", "The parts of the fee.", {
  platform_fee: field(moneySchema, "The platform's part."),
  gateway_fee: field(moneySchema, "The gateway's part."),
});
export const feesSchema = shape("Fees", "What a payment costs.", {
  total_fee: field(moneySchema, "The sum of the parts."),
  fee_breakdown: field(feeBreakdownSchema, "The parts."),
});

const rail = field(
  nullableText,
  unshown("The bank network or operator, if there is one.", { examples: ["simba_pesa"] }),
);

/** Quote (specification: Quote; contract section 2). The last two are there for crypto only. */
export const quoteSchema = shape("Quote", "A price that is held for a while.", {
  quote_id: field(text, { says: "What a checkout names it by.", examples: ["qt_2a1e58a0b2be40422e267c4f"] }),
  payment_method: field(text, unshown("The method it is for.")),
  payment_rail: rail,
  base_currency: field(currencyCodeSchema, unshown("Currency the price was given in.")),
  base_amount: field(moneySchema, unshown("The price in that currency.")),
  amount: field(moneySchema, { says: "What the customer pays, fees included.", examples: ["3305.63"] }),
  currency: field(currencyCodeSchema, currency("Currency the customer pays in.")),
  exchange_rate: field(exchangeRateSchema, RATE),
  fees: field(feesSchema, FEES),
  settlement_amount: field(moneySchema, unshown("What the merchant will receive: amount less fees.")),
  expires_at: field(timestampSchema, {
    says: "Until when a checkout may name it: {{quote valid}}.",
    assumed: "Valid while sandbox time is earlier than this.",
  }),
  locked_until: field(
    timestampSchema,
    unshown("Until when rate, fees and total are held: {{quote locked}}."),
  ),
  created_at: field(timestampSchema, unshown("When it was made.")),
  wallet_address: field(z.optional(text), unshown("Crypto only: the wallet the instructions will name.")),
  network: field(z.optional(text), unshown("Crypto only: the network to send on.")),
});

/** Payment instructions (specification: Payment instructions); the card's are assumed. */
const inAllInstructions = {
  reference: field(text, "Reference to quote when paying."),
  instructions: field(
    text,
    "All of it in a sentence for the customer. In the sandbox nothing must be sent anywhere.",
  ),
};
function variant<Type extends string>(type: Type, says: FieldNote | string = "Tells the variants apart.") {
  return field(z.literal(type), says);
}
export const bankTransferInstructionsSchema = shape("BankTransferInstructions", "Pay by bank transfer.", {
  type: variant("bank_transfer"),
  bank_name: field(text, "The bank to pay to."),
  account_number: field(text, "The account to pay to."),
  account_name: field(text, "Who holds that account."),
  ...inAllInstructions,
});
export const mobileMoneyInstructionsSchema = shape("MobileMoneyInstructions", "Pay by mobile money.", {
  type: variant("mobile_money"),
  provider: field(text, "The operator the customer knows."),
  phone_number: field(text, "The number to pay to."),
  ...inAllInstructions,
});
export const cryptoInstructionsSchema = shape("CryptoInstructions", "Pay in crypto.", {
  type: variant("crypto"),
  network: field(text, {
    says: "The network to send on.",
    assumed: "The currency's suffix, or the asset where it has one network only.",
    examples: ["TRC20"],
  }),
  wallet_address: field(text, "The wallet to pay to: the quote's."),
  amount: field(moneySchema, "How much to send."),
  currency: field(text, { says: "The asset, without its network.", examples: ["USDT"] }),
  ...inAllInstructions,
});
export const cardInstructionsSchema = shape(
  "CardInstructions",
  {
    says: "Pay by card.",
    assumed: "The interface shows no variant for cards; this one carries what all variants share.",
  },
  { type: variant("card"), ...inAllInstructions },
);
export const paymentInstructionsSchema = named(
  "PaymentInstructions",
  "What to show the customer; `type` says which variant it is.",
  z.discriminatedUnion("type", [
    bankTransferInstructionsSchema,
    mobileMoneyInstructionsSchema,
    cryptoInstructionsSchema,
    cardInstructionsSchema,
  ]),
);

const STATUS_MEANS: Readonly<Record<(typeof CHARGE_STATUSES)[number], string>> = {
  PENDING: "the customer has yet to act",
  AWAITING_PAYMENT: "the customer has begun, the confirmation is to come",
  PROCESSING: "it is being processed",
  COMPLETED: "it is paid",
  FAILED: "it did not work",
  CANCELLED: "the customer gave up",
  EXPIRED: "its time ran out",
  REFUNDED: "the money went back",
};
named(
  "ChargeStatus",
  {
    says: `Where a payment stands.\n\n${CHARGE_STATUSES.map((status) => `- \`${status}\`: ${STATUS_MEANS[status]}.`).join("\n")}`,
    assumed:
      "What may follow what: PENDING → any but REFUNDED; AWAITING_PAYMENT → PROCESSING, COMPLETED, FAILED, CANCELLED, " +
      "EXPIRED; PROCESSING → COMPLETED, FAILED; EXPIRED → PROCESSING, COMPLETED (paid late); COMPLETED → REFUNDED. " +
      "The rest are final.",
  },
  chargeStatusSchema,
);

const CHARGE_ID_EXAMPLES = ["ch_0fe6adcf135a11e36eb247bc"];
const paid = {
  payment_provider: field(nullableText, "Always null: the interface hides who processes the payment."),
  provider_reference: field(text, {
    says: "Reference the customer must quote when paying.",
    examples: ["PSBH8FHMUK5GL"],
  }),
};

/** Whitelabel checkout result (specification). */
export const whitelabelResultSchema = shape("WhitelabelResult", "A payment that has begun.", {
  checkout_id: field(text, "The checkout."),
  charge_id: field(text, { says: "The charge: what to poll.", examples: CHARGE_ID_EXAMPLES }),
  status: field(chargeStatusSchema, {
    says: "How the charge begins.",
    assumed:
      "Always `PENDING` in this answer, even when a scenario moves the charge at the same instant. The real service may answer `AWAITING_PAYMENT`: take both.",
  }),
  amount: field(moneySchema, { says: "What the customer must pay, fees included.", examples: ["3305.63"] }),
  currency: field(currencyCodeSchema, currency("Currency to pay in.")),
  payment_method: field(text, "The method used."),
  ...paid,
  payment_instructions: field(paymentInstructionsSchema, "What to show the customer."),
  expires_at: field(timestampSchema, "Until when it can be paid."),
  created_at: field(timestampSchema, "When it was made."),
});

/** Standard checkout (specification: Checkout; contract section 2: standard checkout). */
export const checkoutSchema = shape("Checkout", "A hosted page waiting for the customer.", {
  checkout_id: field(text, unshown("The checkout.")),
  checkout_url: field(httpUrlSchema, {
    says: "Where to send the customer.",
    assumed: "The interface does not name the field that holds the URL.",
    examples: ["http://127.0.0.1:4402/checkout/co_f2a5ed6a38de6871f3183cfa"],
  }),
  charge_id: field(text, unshown("The charge, which exists from the start.")),
  status: field(chargeStatusSchema, unshown("Where the charge stands: `PENDING`.")),
  amount: field(
    moneySchema,
    unshown("The price as it was given; fees are known once the customer picks a method."),
  ),
  currency: field(currencyCodeSchema, unshown("The base currency of the price.")),
  payment_methods: field(z.array(text), unshown("The methods the customer may choose from.")),
  metadata: field(metadataSchema, "As sent."),
  expires_at: field(timestampSchema, "Until when the page takes a payment."),
  created_at: field(timestampSchema, unshown("When it was made.")),
});

/** Payin summary (specification). */
const payinSummary = {
  charge_id: field(text, {
    says: "The charge: what to poll, and what webhooks name.",
    examples: CHARGE_ID_EXAMPLES,
  }),
  checkout_id: field(text, "The checkout it came from."),
  organization_id: field(text, "Whose it is."),
  amount: field(moneySchema, {
    says: "What the customer pays, fees included.",
    assumed:
      "Of a hosted checkout, until a method is picked: the price as it was given, without fees. They hang on the method.",
    examples: ["3305.63"],
  }),
  currency: field(
    currencyCodeSchema,
    currency("Currency paid in; of a hosted checkout, until a method is picked, the base currency."),
  ),
  status: field(chargeStatusSchema, "Where it stands."),
  ...paid,
  created_at: field(timestampSchema, "When it was made."),
  updated_at: field(timestampSchema, "When it last changed."),
};
export const payinSummarySchema = shape("PayinSummary", "A payment in a list.", payinSummary);
export const payinListSchema = shape("PayinList", "A page of payments.", {
  total: field(totalSchema, "How many there are that match, on all pages."),
  items: field(z.array(payinSummarySchema), "Newest first."),
});

export const statusChangeSchema = shape("StatusChange", "A step in the life of a charge.", {
  status: field(chargeStatusSchema, unshown("What it became.")),
  at: field(timestampSchema, unshown("When.")),
  reason: field(
    z.optional(text),
    unshown("Why, where there is a reason.", { examples: ["declined_by_operator"] }),
  ),
});

/** Charge detail (specification; contract section 2). What has no price yet has null for it. */
export const chargeDetail = {
  ...payinSummary,
  payment_method: field(
    nullableText,
    unshown("The method; null until the customer of a hosted page has picked one."),
  ),
  payment_rail: rail,
  customer_email: field(nullableText, unshown("Who pays.")),
  customer_name: field(nullableText, unshown("The customer's name.")),
  metadata: field(metadataSchema, "As sent with the checkout."),
  fees: field(z.nullable(feesSchema), { ...FEES, says: "What is taken out; null until it is priced." }),
  exchange_rate: field(
    z.nullable(exchangeRateSchema),
    unshown("The rate it was priced at; null until it is priced."),
  ),
  settlement_amount: field(z.nullable(moneySchema), {
    says: "What the merchant receives: the amount less all fees, in the same currency. Account by this one.",
    assumed: "The base amount times the rate, rounded half-up to the currency's decimals.",
    examples: ["3225.00"],
  }),
  settled_at: field(z.nullable(timestampSchema), {
    says: "When the funds became available; null before.",
    assumed: "Fiat settles with completion, crypto after its confirmations; later settlement makes no event.",
  }),
  failure_reason: field(
    nullableText,
    unshown("Why it failed; null otherwise.", { examples: ["insufficient_funds"] }),
  ),
  payment_instructions: field(
    z.nullable(paymentInstructionsSchema),
    unshown("What the customer was told; null until the customer has picked a method."),
  ),
  expires_at: field(timestampSchema, unshown("Until when it can be paid.")),
  status_history: field(z.array(statusChangeSchema), {
    says: "What it went through, oldest first.",
    assumed: "The shape of its elements.",
  }),
};
export const chargeDetailSchema = shape(
  "Charge",
  {
    says: "A payment in full. `charge` and `payin` are two words for one thing.",
    assumed: "The charge of a hosted page has null for what is not known before the customer picks a method.",
  },
  chargeDetail,
);

/** Balances (specification: Balance, GET balances). */
export const balanceSchema = shape("Balance", "What is held in one currency.", {
  currency: field(currencyCodeSchema, currency("Which currency.")),
  available_balance: field(moneySchema, { says: "Ready to be withdrawn.", examples: ["3225.00"] }),
  pending_balance: field(moneySchema, { says: "Still being confirmed or settled.", examples: ["0.00"] }),
});
export const balancesSchema = shape("Balances", "All balances of the organization.", {
  success: field(z.literal(true), "Always true."),
  account_id: field(text, "The organization."),
  balances: field(z.array(balanceSchema), "One for each currency; a currency without funds may be missing."),
  total_balance_usd: field(moneySchema, {
    says: "Everything, available and pending, in US dollars at today's rates: an estimate.",
    assumed: "Summed exactly and rounded once.",
    examples: ["75.00"],
  }),
});

/** Organization record (specification: Organization; contract section 2). */
export const organizationSchema = shape("Organization", "The merchant.", {
  organization_id: field(text, unshown("The organization.")),
  name: field(text, unshown("Its name.")),
  country: field(text, {
    says: "Two-letter code; its currency has a balance.",
    assumed: "The field's name.",
    examples: ["NG"],
  }),
  status: field(
    z.enum(["active", "deactivated"]),
    unshown("A deactivated organization is answered 404 everywhere."),
  ),
  verified: field(z.boolean(), unshown("Verified merchants may use more methods.")),
  enabled_payment_methods: field(z.array(text), {
    says: "Ids of the methods it may use.",
    examples: ["{{methods}}"],
  }),
  created_at: field(timestampSchema, unshown("When it was made.")),
});

/** Payout destination (contract section 2), by type. */
const destination = {
  destination_id: field(text, unshown("What withdrawals name it by.")),
  currency: field(currencyCodeSchema, unshown("Currency it takes.", { examples: "{{payout currencies}}" })),
  country: field(nullableText, unshown("Two-letter code; null for crypto.")),
  created_at: field(timestampSchema, unshown("When it was registered.")),
};
const destinationType = unshown("Tells the variants apart.");
export const bankAccountDestinationSchema = shape("BankAccountDestination", "A bank account.", {
  type: variant("bank_account", destinationType),
  ...destination,
  bank_code: field(text, unshown("The bank.")),
  account_number: field(text, unshown("The account.")),
  account_name: field(text, unshown("Who holds it.")),
});
export const mobileMoneyDestinationSchema = shape("MobileMoneyDestination", "A mobile money wallet.", {
  type: variant("mobile_money", destinationType),
  ...destination,
  phone_number: field(text, unshown("Its number, in E.164.")),
  provider: field(text, unshown("The operator.")),
});
export const cryptoWalletDestinationSchema = shape("CryptoWalletDestination", "A crypto wallet.", {
  type: variant("crypto_wallet", destinationType),
  ...destination,
  wallet_address: field(text, unshown("Its address.")),
  network: field(text, unshown("The network it is on.")),
});
export const destinationSchema = named(
  "Destination",
  {
    says: "Where withdrawals may go; `type` says which variant it is.",
    assumed: "The whole record.",
  },
  z.discriminatedUnion("type", [
    bankAccountDestinationSchema,
    mobileMoneyDestinationSchema,
    cryptoWalletDestinationSchema,
  ]),
);
export const destinationListSchema = pageOf("DestinationList", "destinations", destinationSchema);

named(
  "WithdrawalStatus",
  {
    says: "Where a withdrawal stands.",
    assumed: "PENDING → PROCESSING → COMPLETED or FAILED; PENDING → CANCELLED. The rest are final.",
  },
  withdrawalStatusSchema,
);

/** Withdrawal (contract section 2). */
export const withdrawal = {
  withdrawal_id: field(text, unshown("The withdrawal.", { examples: ["wd_bc7f60c88949b7849b107b21"] })),
  destination_id: field(text, unshown("Where it goes.")),
  organization_id: field(text, unshown("Whose it is.")),
  amount: field(moneySchema, unshown("What arrives.")),
  fee: field(
    moneySchema,
    unshown("What it costs on top; comes back with the amount if the withdrawal fails."),
  ),
  currency: field(currencyCodeSchema, unshown("Currency of both.")),
  status: field(withdrawalStatusSchema, unshown("Where it stands.")),
  failure_reason: field(nullableText, unshown("Why it failed; null otherwise.")),
  reference: field(nullableText, unshown("Your own name for it, if you gave one.")),
  metadata: field(metadataSchema, unshown("As sent; empty if nothing was.")),
  created_at: field(timestampSchema, unshown("When it was made.")),
  updated_at: field(timestampSchema, unshown("When it last changed.")),
};
export const withdrawalSchema = shape(
  "Withdrawal",
  { says: "Money on its way out of the balance.", assumed: "The whole record." },
  withdrawal,
);
export const withdrawalListSchema = pageOf("WithdrawalList", "withdrawals", withdrawalSchema);

/** Webhook endpoint (contract section 2: webhook registration). */
export const webhookSchema = shape(
  "Webhook",
  { says: "A receiver of events.", assumed: "The whole record. It hears the events of its key's mode." },
  {
    webhook_id: field(text, unshown("The endpoint.")),
    url: field(
      text,
      unshown("Where events are sent; `mailbox:NAME` for one of the sandbox's own, which keeps them."),
    ),
    events: field(z.array(text), unshown("Globs of the types it wants.")),
    secret: field(text, unshown("What its events are signed with.")),
    enabled: field(z.boolean(), unshown("Whether it is sent anything; an answer 410 turns it off.")),
    created_at: field(timestampSchema, unshown("When it was registered.")),
  },
);
export const webhookListSchema = pageOf("WebhookList", "endpoints", webhookSchema);
export const webhookDeletedSchema = shape("WebhookDeleted", "An endpoint that is gone.", {
  webhook_id: field(text, unshown("Which it was.")),
  deleted: field(z.literal(true), unshown("Always true.")),
});

/** Webhook bodies (contract section 3). `data` is what a read of the object answered at that moment. */
const envelope = {
  id: field(
    text,
    unshown("The event; the same in every attempt at telling it.", {
      examples: ["evt_bf97a3a164010d696c2bec1f"],
    }),
  ),
  type: field(text, unshown("What happened.")),
  timestamp: field(timestampSchema, unshown("When, in sandbox time.")),
  mode: field(modeSchema, unshown("Test or live: that of the key the object was made with.")),
};
export const chargeEventSchema = shape("ChargeEvent", "A charge changed its status.", {
  ...envelope,
  data: field(chargeDetailSchema, unshown("The charge as a read of it answered at that moment.")),
});
export const withdrawalEventSchema = shape("WithdrawalEvent", "A withdrawal changed its status.", {
  ...envelope,
  data: field(withdrawalSchema, unshown("The withdrawal as a read of it answered at that moment.")),
});
export const testEventSchema = shape("TestEvent", "An event to try a receiver with.", {
  ...envelope,
  data: field(z.record(z.string(), z.unknown()), unshown("Whatever it was made with.")),
});

/** Error object (specification: Errors). Codes may be renamed, so they are open text. */
export const errorInfoSchema = shape("ErrorInfo", "What went wrong.", {
  code: field(text, { says: "For programs.", examples: ["VALIDATION_ERROR"] }),
  message: field(text, { says: "For people.", examples: ["Invalid request parameters"] }),
  details: field(z.optional(z.record(z.string(), z.string())), {
    says: "For each field at fault, what is wrong with it.",
    assumed: "A field within an object has a dotted path; all faults come together.",
    examples: [{ "pricing.amount": "must be more than 0" }],
  }),
});
export const errorSchema = shape("Error", "The body of every error.", {
  error: field(errorInfoSchema, "What went wrong."),
});
