import * as z from "zod/mini";
import {
  CHARGE_STATUSES,
  chargeStatusSchema,
  httpUrlSchema,
  metadataSchema,
  timestampSchema,
} from "../common.js";
import { currency, FEES } from "../phrases.js";
import { STATUSES } from "../statuses.js";
import { field, named, shape, unshown } from "../words.js";
import { paymentInstructionsSchema } from "./instructions.js";
import {
  currencyCodeSchema,
  exchangeRateSchema,
  moneySchema,
  nullableText,
  text,
  totalSchema,
} from "./parts.js";
import { feesSchema, rail } from "./quotes.js";

named(
  "ChargeStatus",
  {
    says: `Where a payment stands.\n\n${CHARGE_STATUSES.map((status) => `- \`${status}\`: ${STATUSES[status].says}.`).join("\n")}`,
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

/** Standard checkout (specification: Checkout). */
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

/** Charge detail (specification). What has no price yet has null for it. */
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
