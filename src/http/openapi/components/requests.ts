import { metadataSchema } from "../../../schema/common.js";
import {
  checkoutRequestSchema,
  destinationRequestSchema,
  pricingSchema,
  quoteRequestSchema,
  webhookPatchSchema,
  webhookRequestSchema,
  whitelabelRequestSchema,
  withdrawalRequestSchema,
} from "../../../schema/requests.js";
import { type Component, named, object } from "../component.js";
import type { Facts } from "../facts.js";
import { currency, life, METADATA_NOTE, METADATA_SAYS, method, redirect } from "../phrases.js";
import { type FieldNote, type Json, unshown } from "../types.js";

/** What the service is asked, from the schemas that check it. */
export function requestComponents(facts: Facts): Component[] {
  return [
    named("Metadata", metadataSchema, {
      says: METADATA_SAYS,
      assumed: "The limit of 10 KB is 10,240 bytes of UTF-8, keys and values counted together.",
      examples: [{ order_id: "1042" }],
    }),
    object(
      "Pricing",
      pricingSchema,
      {
        says: "What the merchant asks for.",
        adds: { allOf: [LOCAL_PRICING_NEEDS_USD] },
      },
      {
        base_currency: currency(facts, "Currency the price is given in."),
        amount: {
          says: "The price in the base currency: a string of decimals, for a JSON number is refused.",
          assumed:
            "More than 0, at most 30 digits before the point, and no more after it than the currency has.",
          examples: ["25.00"],
        },
        local_pricing: {
          says: "Prices of the merchant's own in other currencies, by code. Only with `USD` as base currency.",
          assumed:
            "A local price in the currency paid in becomes the settlement amount to the digit; it is not converted.",
          examples: [{ KES: "3200.00" }],
          adds: { propertyNames: { pattern: "^[A-Z][A-Z0-9]*(_[A-Z0-9]+)?$" } },
        },
      },
    ),
    object("QuoteRequest", quoteRequestSchema, "A price to lock before a checkout.", {
      pricing: "What the merchant asks for.",
      payment_method: method(facts, "How the customer will pay.", METHOD_ASSUMED),
      to_currency: currency(
        facts,
        "Currency the customer pays in.",
        "Optional; without it the customer pays in the base currency.",
      ),
      payment_rail: unshown(
        "The bank network or operator to use; without it the first of the method and currency.",
        {
          examples: facts.rails.slice(0, 3),
        },
      ),
      customer_email: { says: "Who will pay.", examples: ["ada@shop.test"] },
    }),
    whitelabel(facts),
    checkout(facts),
    destination(facts),
    object("WithdrawalRequest", withdrawalRequestSchema, "Money to send out of the balance.", {
      destination_id: unshown("Where it goes: a payout destination of yours."),
      amount: unshown(
        "What arrives, as a string of decimals; the fee comes on top. No less than the currency's minimum.",
        { examples: ["1000.00"] },
      ),
      currency: {
        ...currency(facts, "Currency of balance and destination."),
        examples: facts.payoutCurrencies,
        assumed: "Must be the destination's; withdrawals exist in the currencies with a stated minimum.",
      },
      reference: unshown("Your own name for it.", { examples: ["rent-1"] }),
      metadata: METADATA_NOTE,
    }),
    object("WebhookRequest", webhookRequestSchema, "An address that shall hear of events.", {
      url: unshown("The receiver: an absolute http or https URL.", {
        examples: ["http://localhost:3000/webhooks"],
      }),
      events: unshown("Event types it wants, as globs; without it all of them.", {
        examples: [["charge.*"]],
      }),
    }),
    object("WebhookUpdate", webhookPatchSchema, "What should change; the rest stays.", {
      url: unshown("The receiver: an absolute http or https URL."),
      events: unshown("Event types it wants, as globs.", {
        examples: [["charge.completed", "charge.failed"]],
      }),
      enabled: unshown("Whether it is sent anything."),
    }),
  ];
}

const LOCAL_PRICING_NEEDS_USD: Json = {
  if: { required: ["local_pricing"] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { properties: { base_currency: { const: "USD" } } },
};

const METHOD_ASSUMED =
  "A method the key's organization has not enabled is refused like one nobody knows: 400 `details.payment_method`.";
const NAME_NOTE: FieldNote = { says: "The customer's full name.", examples: ["Ada Obi"] };

/** Demands `field` when `payment_method` is one of these. */
function needs(methods: readonly string[], field: string): Json[] {
  if (methods.length === 0) return [];
  return [
    {
      if: { properties: { payment_method: { enum: methods } }, required: ["payment_method"] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { required: [field] },
    },
  ];
}

function whitelabel(facts: Facts): Component {
  const conditions = [
    ...needs(facts.needPhone, "phone_number"),
    ...needs(facts.needBankAccount, "bank_account_number"),
  ];
  return object(
    "WhitelabelRequest",
    whitelabelRequestSchema,
    {
      says: "A payment to begin at once, at the price of a quote.",
      ...(conditions.length === 0 ? {} : { adds: { allOf: conditions } }),
    },
    {
      pricing: {
        says: "What the merchant asks for, as in the quote.",
        assumed: "A pricing that differs in value from the quote's is refused: 400 `details.pricing`.",
      },
      customer_email: { says: "Who pays.", examples: ["ada@shop.test"] },
      customer_name: NAME_NOTE,
      quote_id: {
        says: `A quote of yours, made less than ${facts.quoteValid} ago.`,
        assumed: "A quote may be used for several checkouts until it expires.",
      },
      payment_method: method(facts, "The quote's method; another is refused.", METHOD_ASSUMED),
      payment_rail: {
        says: "The quote's rail; another is refused.",
        assumed: "Optional; the field is known only from the refusal of a rail that differs.",
        examples: facts.rails.slice(0, 3),
      },
      phone_number: {
        says: "The customer's phone with its country code; needed for mobile money.",
        assumed: "E.164: a plus and 7 to 15 digits.",
        examples: ["+254700000001"],
      },
      bank_account_number: {
        says: "The customer's bank account; needed for a bank transfer.",
        assumed: "Any text of 1 to 64 characters.",
        examples: ["0123456789"],
      },
      success_url: redirect("after success"),
      cancel_url: redirect("after giving up"),
      metadata: METADATA_NOTE,
      expires_in_minutes: life(facts),
    },
  );
}

function checkout(facts: Facts): Component {
  return object(
    "CheckoutRequest",
    checkoutRequestSchema,
    "A payment the customer completes on a hosted page.",
    {
      pricing: "What the merchant asks for.",
      customer_email: { says: "Who pays.", examples: ["ada@shop.test"] },
      customer_name: unshown("The customer's full name.", { examples: ["Ada Obi"] }),
      quote_id: {
        says: "A quote whose price shall hold.",
        assumed: `Younger than ${facts.quoteValid} when the checkout is made; its price then holds while it is locked, ${facts.quoteLocked}.`,
      },
      payment_methods: {
        says: "The methods the customer may choose from.",
        assumed: "The name of the filter; without it all methods the organization has enabled.",
        examples: [facts.methods.slice(0, 2)],
      },
      success_url: redirect("after success"),
      cancel_url: redirect("after giving up"),
      metadata: METADATA_NOTE,
      expires_in_minutes: life(facts),
    },
  );
}

function destination(facts: Facts): Component {
  const demanded = Object.entries(DESTINATION_NEEDS).map(([type, required]) => ({
    if: { properties: { type: { const: type } }, required: ["type"] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { required },
  }));
  return object(
    "DestinationRequest",
    destinationRequestSchema,
    {
      says: "Where withdrawals may go. Which fields it needs depends on its type.",
      adds: { allOf: demanded },
    },
    {
      type: unshown("A bank account or mobile money wallet for fiat, a crypto wallet for crypto."),
      currency: { ...unshown("Currency it takes."), ...payout(facts) },
      country: unshown("Two-letter code; without it the organization's (none for crypto).", {
        examples: ["KE"],
      }),
      bank_code: unshown("The bank. Bank accounts only.", { examples: ["058"] }),
      account_number: unshown("Bank accounts only.", { examples: ["0123456789"] }),
      account_name: unshown("Who holds the account. Bank accounts only.", { examples: ["Ada Obi"] }),
      phone_number: unshown("In E.164. Mobile money only.", { examples: ["+254700000001"] }),
      provider: unshown("The operator. Mobile money only.", { examples: ["SimbaPesa Sandbox"] }),
      wallet_address: unshown("Crypto wallets only.", { examples: ["TSandboxFakeMoneyX4oDm3XXiLNAZ2Lvq"] }),
      network: unshown("Must be the currency's, if given. Crypto wallets only.", { examples: ["TRC20"] }),
    },
  );
}

function payout(facts: Facts): Pick<FieldNote, "examples" | "adds"> {
  const { adds } = currency(facts, "");
  return { examples: facts.payoutCurrencies, ...(adds === undefined ? {} : { adds }) };
}

/** As `readDestinationRequest` demands them; the tests hold the two against each other. */
const DESTINATION_NEEDS = {
  bank_account: ["bank_code", "account_number", "account_name"],
  mobile_money: ["phone_number", "provider"],
  crypto_wallet: ["wallet_address"],
};
