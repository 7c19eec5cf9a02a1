import * as z from "zod/mini";
import {
  amountSchema,
  CURRENCY_CODE_PATTERN,
  chargeStatusSchema,
  countrySchema,
  emailSchema,
  httpUrlSchema,
  metadataSchema,
  phoneSchema,
} from "./common.js";
import {
  allowedOnlyIf,
  assumedField,
  assumedFieldNote,
  CHECKOUT_LIFETIME_NOTE,
  currencyNote,
  field,
  lazyShape,
  METADATA_NOTE,
  METHOD_ASSUMPTION,
  methodNote,
  namedSchema,
  queryShape,
  redirectNote,
  requiredIf,
} from "./descriptions.js";
import { normalizeWebhookUrl, WEBHOOK_URL_MESSAGE } from "./option-schemas.js";
import {
  charactersAtMost,
  entriesAtMost,
  eventGlobsSchema,
  MAX_LENGTHS,
  minLength,
  nonEmptyText,
} from "./schema-checks.js";

/*
 * Request bodies and queries of the service, read by `domain/requests` and the OpenAPI document. Unknown fields are
 * ignored, and null in an optional field is as absent. `domain/requests` makes the checks that need fixtures (currencies, decimals, enabled methods). A response
 * reports schema errors and errors against fixtures together.
 */

export const pricingSchema = lazyShape(
  "Pricing",
  {
    description: "The price the merchant charges.",
    jsonSchema: allowedOnlyIf("local_pricing", { base_currency: "USD" }),
  },
  () => ({
    base_currency: field(z.string(), currencyNote("Currency the price is given in.")),
    amount: field(
      amountSchema,
      "The price in the base currency: a decimal string; a JSON number is rejected.",
      {
        assumption:
          "More than 0, at most 30 digits before the point, and no more after it than the currency has.",
        examples: ["25.00"],
      },
    ),
    local_pricing: field(
      z.nullish(z.record(z.string(), amountSchema)),
      "The merchant's own prices in other currencies, by code. Only with `USD` as base currency.",
      {
        assumption:
          "A local price in the currency paid in becomes the settlement amount to the digit; it is not converted.",
        examples: [{ KES: "3200.00" }],
        jsonSchema: { propertyNames: { pattern: CURRENCY_CODE_PATTERN.source } },
      },
    ),
  }),
);

export const quoteRequestSchema = lazyShape("QuoteRequest", "A price to lock before a checkout.", () => ({
  pricing: field(pricingSchema, "The price the merchant charges."),
  payment_method: field(z.string(), methodNote("How the customer will pay.", METHOD_ASSUMPTION)),
  to_currency: field(
    z.nullish(z.string()),
    currencyNote("Currency the customer pays in.", {
      assumption: "Optional; without it the customer pays in the base currency.",
    }),
  ),
  payment_rail: assumedField(
    z.nullish(z.string()),
    "The bank network or operator to use; by default the first one of the method and currency.",
    { examples: "{{some rails}}" },
  ),
  customer_email: field(z.nullish(emailSchema), "Who will pay.", { examples: ["ada@shop.test"] }),
}));
export type QuoteBody = z.infer<typeof quoteRequestSchema>;

const accountNumberSchema = nonEmptyText(MAX_LENGTHS.account);
const nameSchema = z.string().check(charactersAtMost(MAX_LENGTHS.name));

/** Error message if `expires_in_minutes` is out of range (specification: Limits). */
const EXPIRES_MESSAGE = "must be a whole number between 1 and 1440";
export const expiresInMinutesSchema = z
  .int(EXPIRES_MESSAGE)
  .check(z.gte(1, EXPIRES_MESSAGE), z.lte(1_440, EXPIRES_MESSAGE));

const sharedCheckoutFields = () => ({
  success_url: field(z.nullish(httpUrlSchema), redirectNote("after success")),
  cancel_url: field(z.nullish(httpUrlSchema), redirectNote("after cancelling")),
  metadata: field(z.nullish(metadataSchema), METADATA_NOTE),
  expires_in_minutes: field(z.nullish(expiresInMinutesSchema), CHECKOUT_LIFETIME_NOTE),
});

export const whitelabelRequestSchema = lazyShape(
  "WhitelabelRequest",
  {
    description: "A payment to start at once, at the price of a quote.",
    jsonSchema: {
      ...requiredIf({ payment_method: "{{a mobile money method}}" }, "payment_method", ["phone_number"]),
      else: requiredIf({ payment_method: "{{a bank transfer method}}" }, "payment_method", [
        "bank_account_number",
      ]),
    },
  },
  () => ({
    pricing: field(pricingSchema, "The price, as in the quote.", {
      assumption: "A pricing that differs in value from the quote's is refused: 400 `details.pricing`.",
    }),
    customer_email: field(emailSchema, "Who pays.", { examples: ["ada@shop.test"] }),
    customer_name: field(z.nullish(nameSchema), "The customer's full name.", { examples: ["Ada Obi"] }),
    quote_id: field(z.string(), "One of your quotes, created less than {{quote valid}} ago.", {
      assumption: "A quote may be used for several checkouts until it expires.",
    }),
    payment_method: field(
      z.string(),
      methodNote("The quote's method; any other is rejected.", METHOD_ASSUMPTION),
    ),
    payment_rail: field(z.nullish(z.string()), "The quote's rail; any other is rejected.", {
      assumption: "Optional; the field is known only from the refusal of a rail that differs.",
      examples: "{{some rails}}",
    }),
    phone_number: field(
      z.nullish(phoneSchema),
      "The customer's phone with its country code; needed for mobile money.",
      {
        assumption:
          "7 to 15 digits that begin with a country code. The plus is optional if the code is that of a currency's country; the number is stored with it.",
        examples: ["+254700000001"],
      },
    ),
    bank_account_number: field(
      z.nullish(accountNumberSchema),
      "The customer's bank account; needed for a bank transfer.",
      { assumption: "Any text of 1 to 64 characters.", examples: ["0123456789"] },
    ),
    ...sharedCheckoutFields(),
  }),
);
export type WhitelabelBody = z.infer<typeof whitelabelRequestSchema>;

/** Standard checkout (specification: Checkout). */
export const checkoutRequestSchema = lazyShape(
  "CheckoutRequest",
  "A payment the customer completes on a hosted page.",
  () => ({
    pricing: field(pricingSchema, "The price the merchant charges."),
    customer_email: field(z.nullish(emailSchema), "Who pays.", { examples: ["ada@shop.test"] }),
    customer_name: assumedField(z.nullish(nameSchema), "The customer's full name.", {
      examples: ["Ada Obi"],
    }),
    quote_id: field(z.nullish(z.string()), "The quote that sets the price.", {
      assumption:
        "Younger than {{quote valid}} when the checkout is made. Its price then holds while it is locked, {{quote locked}}, and the customer can pay by its method in its currency only.",
    }),
    payment_methods: field(
      z.nullish(z.array(z.string()).check(minLength(1, "must name at least one method"), entriesAtMost(100))),
      "The methods the customer may choose from.",
      {
        assumption: "The name of the filter; without it all methods the organization has enabled.",
        examples: ["{{two methods}}"],
      },
    ),
    ...sharedCheckoutFields(),
  }),
);
export type CheckoutBody = z.infer<typeof checkoutRequestSchema>;

/** The customer's choice on the hosted page, or in `…/checkouts/{id}/pay`. */
export const methodChoiceSchema = z.object({
  payment_method: z.string(),
  currency: z.optional(z.string()),
  phone_number: z.optional(phoneSchema),
  bank_account_number: z.optional(accountNumberSchema),
});
export type MethodChoice = z.infer<typeof methodChoiceSchema>;

const requiredTextSchema = nonEmptyText(MAX_LENGTHS.name);

/** Type of destination → its fields besides type, currency and country; all but `network` are required. */
export const DESTINATION_FIELDS = {
  bank_account: ["bank_code", "account_number", "account_name"],
  mobile_money: ["phone_number", "provider"],
  crypto_wallet: ["wallet_address", "network"],
} as const;

const DESTINATION_TYPE_NOTE = assumedFieldNote(
  "A bank account or mobile money wallet for fiat, a crypto wallet for crypto.",
);

const sharedDestinationFields = () => ({
  currency: field(z.string(), {
    ...currencyNote(""),
    ...assumedFieldNote("Currency it takes.", { examples: "{{payout currencies}}" }),
  }),
  country: assumedField(
    z.nullish(countrySchema),
    "Two-letter code; by default the organization's (none for crypto).",
    { examples: ["KE"] },
  ),
});

const bankAccountRequestSchema = lazyShape(
  "BankAccountDestinationRequest",
  "A bank account to register.",
  () => ({
    type: field(z.literal("bank_account"), DESTINATION_TYPE_NOTE),
    ...sharedDestinationFields(),
    bank_code: assumedField(requiredTextSchema, "The bank.", { examples: ["058"] }),
    account_number: assumedField(requiredTextSchema, "The account.", { examples: ["0123456789"] }),
    account_name: assumedField(requiredTextSchema, "Who holds the account.", { examples: ["Ada Obi"] }),
  }),
);

const mobileMoneyRequestSchema = lazyShape(
  "MobileMoneyDestinationRequest",
  "A mobile money wallet to register.",
  () => ({
    type: field(z.literal("mobile_money"), DESTINATION_TYPE_NOTE),
    ...sharedDestinationFields(),
    phone_number: assumedField(phoneSchema, "With its country code, the plus optional.", {
      examples: ["+254700000001"],
    }),
    provider: assumedField(requiredTextSchema, "The operator.", { examples: ["SimbaPesa Sandbox"] }),
  }),
);

const cryptoWalletRequestSchema = lazyShape(
  "CryptoWalletDestinationRequest",
  "A crypto wallet to register.",
  () => ({
    type: field(z.literal("crypto_wallet"), DESTINATION_TYPE_NOTE),
    ...sharedDestinationFields(),
    wallet_address: assumedField(requiredTextSchema, "Its address.", {
      examples: ["TSandboxFakeMoneyX4oDm3XXiLNAZ2Lvq"],
    }),
    network: assumedField(
      z.nullish(requiredTextSchema),
      "The network it is on; if given, must be the currency's.",
      { examples: ["TRC20"] },
    ),
  }),
);

export const destinationRequestSchema = namedSchema(
  "DestinationRequest",
  "A payout destination. The fields depend on its type.",
  z.discriminatedUnion("type", [
    bankAccountRequestSchema,
    mobileMoneyRequestSchema,
    cryptoWalletRequestSchema,
  ]),
);

/** The fields of all types; with one check of them a response names every fault. `domain/requests` requires those of the type. */
export const destinationFieldsSchema = lazyShape(undefined, "", () => {
  const { currency, country, bank_code, account_number, account_name } = bankAccountRequestSchema.shape;
  const { phone_number, provider } = mobileMoneyRequestSchema.shape;
  const { wallet_address, network } = cryptoWalletRequestSchema.shape;
  return {
    type: field(z.enum(["bank_account", "mobile_money", "crypto_wallet"]), ""),
    currency: field(currency, ""),
    country: field(country, ""),
    bank_code: field(z.nullish(bank_code), ""),
    account_number: field(z.nullish(account_number), ""),
    account_name: field(z.nullish(account_name), ""),
    phone_number: field(z.nullish(phone_number), ""),
    provider: field(z.nullish(provider), ""),
    wallet_address: field(z.nullish(wallet_address), ""),
    network: field(network, ""),
  };
});
export type DestinationBody = z.infer<typeof destinationFieldsSchema>;

export const withdrawalRequestSchema = lazyShape(
  "WithdrawalRequest",
  "Money to send out of the balance.",
  () => ({
    destination_id: assumedField(z.string(), "The payout destination to send it to."),
    amount: assumedField(
      amountSchema,
      "The amount that arrives, as a decimal string; the fee comes on top. At least the currency's minimum.",
      { examples: ["1000.00"] },
    ),
    currency: field(
      z.string(),
      currencyNote("Currency of balance and destination.", {
        examples: "{{payout currencies}}",
        assumption: "Must be the destination's; withdrawals exist in the currencies with a stated minimum.",
      }),
    ),
    reference: assumedField(z.nullish(requiredTextSchema), "Your own reference.", { examples: ["rent-1"] }),
    metadata: field(z.nullish(metadataSchema), METADATA_NOTE),
  }),
);
export type WithdrawalBody = z.infer<typeof withdrawalRequestSchema>;

/** Requires an absolute URL. The start options also accept an address without a host, such as `3000/webhooks`. */
export const receiverUrlSchema = httpUrlSchema.check(
  z.refine((text) => normalizeWebhookUrl(text) !== undefined, WEBHOOK_URL_MESSAGE),
);

export const webhookRequestSchema = lazyShape("WebhookRequest", "A webhook endpoint to register.", () => ({
  url: assumedField(receiverUrlSchema, "The receiver: an absolute http or https URL.", {
    examples: ["http://localhost:3000/webhooks"],
  }),
  events: assumedField(z.nullish(eventGlobsSchema), "Event types to receive, as globs; by default all.", {
    examples: [["charge.*"]],
  }),
}));
export const webhookPatchSchema = lazyShape(
  "WebhookUpdate",
  "The fields to change; others keep their values.",
  () => ({
    url: assumedField(z.nullish(receiverUrlSchema), "The receiver: an absolute http or https URL."),
    events: assumedField(z.nullish(eventGlobsSchema), "Event types it receives, as globs.", {
      examples: [["charge.completed", "charge.failed"]],
    }),
    enabled: assumedField(z.nullish(z.boolean()), "Whether it is sent events."),
  }),
);

export const LIST_LIMIT_MAX = 100;
export const LIST_LIMIT_DEFAULT = 50;
/** Length at which a page of the control API ends. Unread pages of large records would fill the memory. */
export const PAGE_CHARS_MAX = 8 * 1024 * 1024;
const LIMIT_MESSAGE = `must be between 1 and ${LIST_LIMIT_MAX}`;
const OFFSET_MESSAGE = "must be non-negative";

/** Integer query parameter. Not `z.coerce`: it accepts "", " 1" and "1e1". */
function queryInteger(message: string) {
  return z.string().check(z.regex(/^\d+$/, message));
}

const page = {
  limit: field(
    z.optional(
      queryInteger(LIMIT_MESSAGE).check(
        z.refine((text) => Number(text) >= 1 && Number(text) <= LIST_LIMIT_MAX, LIMIT_MESSAGE),
      ),
    ),
    "Maximum number of items to return.",
  ),
  offset: field(z.optional(queryInteger(OFFSET_MESSAGE)), "Number of items to skip."),
};
export const pageQuerySchema = queryShape(page);

export const payinQuerySchema = queryShape({
  ...page,
  status_filter: field(z.optional(chargeStatusSchema), "Only items with this status.", {
    assumption: "Another value is refused with 400.",
  }),
});

export const railQuerySchema = queryShape({
  payment_method: field(z.optional(z.string()), "Only those of this method.", { examples: ["mobile_money"] }),
  currency: field(z.optional(z.string()), "Only those of this currency.", { examples: ["KES"] }),
});
