import * as z from "zod/mini";
import {
  CHARGE_STATUSES,
  chargeStatusSchema,
  httpUrlSchema,
  metadataSchema,
  timestampSchema,
} from "../common.js";
import { assumedFieldNote, currencyNote, FEES_NOTE, field, namedSchema, shape } from "../descriptions.js";
import { CHARGE_STATUS_TABLE } from "../statuses.js";
import { paymentInstructionsSchema } from "./payment-instructions.js";
import { feesSchema, railField } from "./quote-responses.js";
import {
  currencyCodeSchema,
  exchangeRateSchema,
  moneySchema,
  nullableText,
  text,
  totalSchema,
} from "./response-fields.js";

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
  payment_provider: field(nullableText, "Always null: the service hides who processes the payment."),
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

export const chargeDetailFields = {
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
