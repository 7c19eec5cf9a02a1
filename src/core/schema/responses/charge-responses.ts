import * as z from "zod/mini";
import {
  CHARGE_STATUSES,
  chargeStatusSchema,
  httpUrlSchema,
  metadataSchema,
  timestampSchema,
} from "../common.js";
import {
  assumedField,
  assumedFieldNote,
  currencyNote,
  FEES_NOTE,
  field,
  namedSchema,
  RATE_NOTE,
  shape,
} from "../descriptions.js";
import { withNameKind } from "../name-kinds.js";
import type { DeepReadonly } from "../records/record-fields.js";
import { CHARGE_STATUS_TABLE } from "../statuses.js";
import {
  currencyCodeSchema,
  discriminatorField,
  exchangeRateSchema,
  moneySchema,
  nullableText,
  text,
  totalSchema,
} from "./response-fields.js";

export const feeBreakdownSchema = shape("FeeBreakdown", "The parts of the fee.", {
  platform_fee: field(moneySchema, "The platform fee."),
  gateway_fee: field(moneySchema, "The gateway fee."),
});
export const feesSchema = shape("Fees", "What a payment costs.", {
  total_fee: field(moneySchema, "The sum of the parts."),
  fee_breakdown: field(feeBreakdownSchema, "The parts."),
});

const railField = assumedField(nullableText, "The bank network or operator, if there is one.", {
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

const sharedFields = {
  reference: field(text, "Reference to quote when paying."),
  instructions: field(
    text,
    "Everything in one sentence for the customer. In the sandbox no money must be sent anywhere.",
  ),
};
export const bankTransferInstructionsSchema = shape("BankTransferInstructions", "Pay by bank transfer.", {
  type: discriminatorField("bank_transfer"),
  bank_name: field(text, "The bank to pay to."),
  account_number: field(text, "The account to pay to."),
  account_name: field(text, "Who holds that account."),
  ...sharedFields,
});
export const mobileMoneyInstructionsSchema = shape("MobileMoneyInstructions", "Pay by mobile money.", {
  type: discriminatorField("mobile_money"),
  provider: field(text, "The operator the customer knows."),
  phone_number: field(text, "The number to pay to."),
  ...sharedFields,
});
export const cryptoInstructionsSchema = shape("CryptoInstructions", "Pay in crypto.", {
  type: discriminatorField("crypto"),
  network: field(text, "The network to send on.", {
    assumption: "The currency's suffix, or the asset where it has one network only.",
    examples: ["TRC20"],
  }),
  wallet_address: field(text, "The wallet to pay to: the quote's."),
  amount: field(moneySchema, "How much to send."),
  currency: field(withNameKind(undefined, text), "The asset, without its network.", { examples: ["USDT"] }),
  ...sharedFields,
});
export const cardInstructionsSchema = shape(
  "CardInstructions",
  {
    description: "Pay by card.",
    assumption: "The interface shows no variant for cards; this one carries what all variants share.",
  },
  { type: discriminatorField("card"), ...sharedFields },
);
export const paymentInstructionsSchema = namedSchema(
  "PaymentInstructions",
  "What to show the customer; `type` is the variant.",
  z.discriminatedUnion("type", [
    bankTransferInstructionsSchema,
    mobileMoneyInstructionsSchema,
    cryptoInstructionsSchema,
    cardInstructionsSchema,
  ]),
);
/** Tells the customer how to pay; `type` determines the other fields. */
export type PaymentInstructions = DeepReadonly<z.infer<typeof paymentInstructionsSchema>>;

namedSchema(
  "ChargeStatus",
  {
    description: `The status of a payment.\n\n${CHARGE_STATUSES.map((status) => `- \`${status}\`: ${CHARGE_STATUS_TABLE[status].meaning}.`).join("\n")}`,
    assumption: `Transitions: ${CHARGE_STATUSES.filter(
      (status) => CHARGE_STATUS_TABLE[status].next.length > 0,
    )
      .map((status) => `${status} → ${CHARGE_STATUS_TABLE[status].next.join(", ")}`)
      .join("; ")}. The rest are final; a payment after EXPIRED is a late one.`,
  },
  chargeStatusSchema,
);

const CHARGE_ID_EXAMPLES = ["ch_0fe6adcf135a11e36eb247bc"];
const provider = {
  payment_provider: field(
    nullableText as z.ZodMiniType<null>,
    "Always null: the service hides who processes the payment.",
  ),
  provider_reference: field(text, {
    description: "Reference the customer must quote when paying.",
    examples: ["PSBH8FHMUK5GL"],
  }),
};

export const whitelabelResultSchema = shape("WhitelabelResult", "A payment that has started.", {
  checkout_id: field(text, "The checkout."),
  charge_id: field(text, { description: "The charge: the ID to poll.", examples: CHARGE_ID_EXAMPLES }),
  status: field(chargeStatusSchema, {
    description: "The initial status of the charge.",
    assumption:
      "`PENDING`, or `AWAITING_PAYMENT` where the charge's scenario begins with that after 0s: accept both.",
  }),
  amount: field(moneySchema, {
    description: "What the customer must pay, fees included.",
    examples: ["3305.63"],
  }),
  currency: field(currencyCodeSchema, currencyNote("Currency to pay in.")),
  payment_method: field(text, "The method used."),
  ...provider,
  payment_instructions: field(paymentInstructionsSchema, "What to show the customer."),
  expires_at: field(timestampSchema, "When it expires."),
  created_at: field(timestampSchema, "When it was made."),
});

export const checkoutSchema = shape("Checkout", "A hosted page waiting for the customer.", {
  checkout_id: field(text, assumedFieldNote("The checkout.")),
  checkout_url: field(httpUrlSchema, {
    description: "Where to send the customer.",
    assumption: "The interface does not name the field that holds the URL.",
    examples: ["http://127.0.0.1:4402/checkout/co_f2a5ed6a38de6871f3183cfa"],
  }),
  charge_id: field(text, assumedFieldNote("The charge, which exists from the start.")),
  status: field(chargeStatusSchema, assumedFieldNote("The charge's status: `PENDING`.")),
  amount: field(
    moneySchema,
    assumedFieldNote(
      "What the customer pays, fees included, with a quote or where one method in one currency is offered; else the base amount, without fees, until a method is picked.",
    ),
  ),
  currency: field(
    currencyCodeSchema,
    assumedFieldNote("Currency of `amount`: the quote's or the only one offered, else the base currency."),
  ),
  payment_methods: field(z.array(text), assumedFieldNote("The methods the customer may choose from.")),
  metadata: field(metadataSchema, assumedFieldNote("As sent.")),
  expires_at: field(timestampSchema, assumedFieldNote("When the page stops taking payments.")),
  created_at: field(timestampSchema, assumedFieldNote("When it was made.")),
});

const payinSummary = {
  charge_id: field(text, {
    description: "The charge: the ID to poll, used in webhooks too.",
    examples: CHARGE_ID_EXAMPLES,
  }),
  checkout_id: field(text, "The checkout it came from."),
  organization_id: field(text, "The organization that owns it."),
  amount: field(moneySchema, {
    description: "What the customer pays, fees included.",
    assumption:
      "Of a hosted checkout without a quote, where more than one method or currency is offered: the base amount, without fees, until a method is picked. The config's `amounts.before_method` adds the fees of the cheapest or dearest method.",
    examples: ["3305.63"],
  }),
  currency: field(
    currencyCodeSchema,
    currencyNote("The payment currency; the base currency until the charge is priced.", {
      assumption: "A hosted checkout without a quote is in the base currency until a method is picked.",
    }),
  ),
  status: field(chargeStatusSchema, "Its status."),
  ...provider,
  created_at: field(timestampSchema, "When it was made."),
  updated_at: field(timestampSchema, "When it last changed."),
};
export const payinSummarySchema = shape("PayinSummary", "A payment in a list.", payinSummary);
export const payinListSchema = shape("PayinList", "A page of payments.", {
  total: field(totalSchema, "Number of matching items on all pages."),
  items: field(z.array(payinSummarySchema), "Newest first."),
});

export const statusChangeSchema = shape("StatusChange", "A change of a charge's status.", {
  status: field(chargeStatusSchema, assumedFieldNote("What it became.")),
  at: field(timestampSchema, assumedFieldNote("When.")),
  reason: field(
    z.optional(text),
    assumedFieldNote("Why, where there is a reason.", { examples: ["declined_by_operator"] }),
  ),
});

const chargeDetailFields = {
  ...payinSummary,
  payment_method: field(
    nullableText,
    assumedFieldNote("The method; null until the customer of a hosted page has picked one."),
  ),
  payment_rail: railField,
  customer_email: field(nullableText, assumedFieldNote("Who pays.")),
  customer_name: field(nullableText, assumedFieldNote("The customer's name.")),
  metadata: field(metadataSchema, "As sent with the checkout."),
  fees: field(z.nullable(feesSchema), {
    ...FEES_NOTE,
    description: "The fees deducted; null until the charge is priced.",
  }),
  exchange_rate: field(
    z.nullable(exchangeRateSchema),
    assumedFieldNote("The rate used; null until the charge is priced."),
  ),
  settlement_amount: field(z.nullable(moneySchema), {
    description:
      "What the merchant receives: the amount less all fees, in the same currency. Use this one for accounting.",
    assumption:
      "The base amount times the rate, rounded half-up to the currency's decimals. Where `amount_paid` is present: what is left of that after the fees, in `currency_paid`.",
    examples: ["3225.00"],
  }),
  settled_at: field(z.nullable(timestampSchema), {
    description: "When the funds became available; null before.",
    assumption:
      "Fiat settles with completion, crypto after its confirmations; later settlement makes no event.",
  }),
  failure_reason: field(
    nullableText,
    assumedFieldNote("Why it failed; null otherwise.", { examples: ["insufficient_funds"] }),
  ),
  payment_instructions: field(
    z.nullable(paymentInstructionsSchema),
    assumedFieldNote("What the customer is shown; null until the customer has picked a method."),
  ),
  expires_at: field(timestampSchema, assumedFieldNote("When it expires.")),
  status_history: field(z.array(statusChangeSchema), {
    description: "Its statuses, oldest first.",
    assumption: "The shape of its elements.",
  }),
  amount_paid: field(
    z.optional(moneySchema),
    assumedFieldNote(
      "Extension of the sandbox: what the customer has paid, where a scenario says that it is not the amount; `fees` and `settlement_amount` are then of this payment. Absent otherwise.",
    ),
  ),
  currency_paid: field(
    z.optional(currencyCodeSchema),
    assumedFieldNote("Extension of the sandbox: the currency of `amount_paid`; present with it."),
  ),
};
export const chargeDetailSchema = shape(
  "Charge",
  {
    description: "A payment with all its fields. `charge` and `payin` are two names for the same thing.",
    assumption:
      "The charge of a hosted page has null for what is not known before the customer picks a method; with a quote its price is known.",
  },
  chargeDetailFields,
);
/** A charge, as the service returns it. Amounts are decimal strings; instants are ISO 8601, in UTC. */
export type ChargeDetail = DeepReadonly<z.infer<typeof chargeDetailSchema>>;
