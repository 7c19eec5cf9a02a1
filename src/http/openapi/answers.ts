import { chargeStatusSchema, withdrawalStatusSchema } from "../../schema/common.js";
import * as r from "../../schema/responses.js";
import { type Component, named, object } from "./component.js";
import type { Facts } from "./facts.js";
import { currency, method } from "./phrases.js";
import { type Note, unshown } from "./types.js";

/** What the service answers about payments and accounts. */
export function answerComponents(facts: Facts): Component[] {
  return [...catalogue(facts), ...pricing(facts), ...instructions(), ...payments(facts), ...account(facts)];
}

const STATUS_SAYS = `Where a payment stands.

- \`PENDING\`: the customer has yet to act.
- \`AWAITING_PAYMENT\`: the customer has begun, the confirmation is to come.
- \`PROCESSING\`: it is being processed.
- \`COMPLETED\`: it is paid.
- \`FAILED\`: it did not work.
- \`CANCELLED\`: the customer gave up.
- \`EXPIRED\`: its time ran out.
- \`REFUNDED\`: the money went back.`;

const STATUS_ASSUMED =
  "What may follow what: PENDING → any but REFUNDED; AWAITING_PAYMENT → PROCESSING, COMPLETED, FAILED, CANCELLED, " +
  "EXPIRED; PROCESSING → COMPLETED, FAILED; EXPIRED → PROCESSING, COMPLETED (paid late); COMPLETED → REFUNDED. " +
  "The rest are final.";

const RATE_NOTE: Note = {
  says: "Units of the currency paid in for one of the base currency.",
  assumed: "Carried to 12 significant digits, and that string is the multiplier; `1` within one currency.",
  examples: ["129"],
};
const SETTLEMENT_NOTE: Note = {
  says: "What the merchant receives: the amount less all fees, in the same currency. Account by this one.",
  assumed: "The base amount times the rate, rounded half-up to the currency's decimals.",
  examples: ["3225.00"],
};
const FEES_NOTE: Note = {
  says: "What is taken out of the amount, part by part.",
  assumed: "Percentages of the settlement amount by method, each part rounded half-up by itself.",
};
const PROVIDER_NOTE: Note = "Always null: the interface hides who processes the payment.";
const REFERENCE_NOTE: Note = {
  says: "Reference the customer must quote when paying.",
  examples: ["PSBH8FHMUK5GL"],
};
const RAIL_ID_NOTE: Note = unshown("The bank network or operator, if there is one.", {
  examples: ["simba_pesa"],
});

function catalogue(facts: Facts): Component[] {
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

function pricing(facts: Facts): Component[] {
  return [
    object("FeeBreakdown", r.feeBreakdownSchema, "The parts of the fee.", {
      platform_fee: "The platform's part.",
      gateway_fee: "The gateway's part.",
    }),
    object("Fees", r.feesSchema, "What a payment costs.", {
      total_fee: "The sum of the parts.",
      fee_breakdown: "The parts.",
    }),
    object("Quote", r.quoteSchema, "A price that is held for a while.", {
      quote_id: { says: "What a checkout names it by.", examples: ["qt_2a1e58a0b2be40422e267c4f"] },
      payment_method: unshown("The method it is for."),
      payment_rail: RAIL_ID_NOTE,
      base_currency: unshown("Currency the price was given in."),
      base_amount: unshown("The price in that currency."),
      amount: { says: "What the customer pays, fees included.", examples: ["3305.63"] },
      currency: currency(facts, "Currency the customer pays in."),
      exchange_rate: RATE_NOTE,
      fees: FEES_NOTE,
      settlement_amount: unshown("What the merchant will receive: amount less fees."),
      expires_at: {
        says: "Until when a checkout may name it: 30 seconds.",
        assumed: "Valid while sandbox time is earlier than this.",
      },
      locked_until: unshown("Until when rate, fees and total are held: 10 minutes."),
      created_at: unshown("When it was made."),
      wallet_address: unshown("Crypto only: the wallet the instructions will name."),
      network: unshown("Crypto only: the network to send on."),
    }),
  ];
}

function instructions(): Component[] {
  const reference: Note = "Reference to quote when paying.";
  const text: Note =
    "All of it in a sentence for the customer. In the sandbox nothing must be sent anywhere.";
  return [
    object("BankTransferInstructions", r.bankTransferInstructionsSchema, "Pay by bank transfer.", {
      type: "Tells the variants apart.",
      bank_name: "The bank to pay to.",
      account_number: "The account to pay to.",
      account_name: "Who holds that account.",
      reference,
      instructions: text,
    }),
    object("MobileMoneyInstructions", r.mobileMoneyInstructionsSchema, "Pay by mobile money.", {
      type: "Tells the variants apart.",
      provider: "The operator the customer knows.",
      phone_number: "The number to pay to.",
      reference,
      instructions: text,
    }),
    object("CryptoInstructions", r.cryptoInstructionsSchema, "Pay in crypto.", {
      type: "Tells the variants apart.",
      network: {
        says: "The network to send on.",
        assumed: "The currency's suffix, or the asset where it has one network only.",
        examples: ["TRC20"],
      },
      wallet_address: "The wallet to pay to: the quote's.",
      amount: "How much to send.",
      currency: { says: "The asset, without its network.", examples: ["USDT"] },
      reference,
      instructions: text,
    }),
    object(
      "CardInstructions",
      r.cardInstructionsSchema,
      {
        says: "Pay by card.",
        assumed: "The interface shows no variant for cards; this one carries what all variants share.",
      },
      { type: "Tells the variants apart.", reference, instructions: text },
    ),
    named("PaymentInstructions", r.paymentInstructionsSchema, {
      says: "What to show the customer; `type` says which variant it is.",
      adds: { discriminator: discriminator(INSTRUCTION_TYPES) },
    }),
  ];
}

const INSTRUCTION_TYPES = {
  bank_transfer: "BankTransferInstructions",
  mobile_money: "MobileMoneyInstructions",
  crypto: "CryptoInstructions",
  card: "CardInstructions",
};

/** Names the component of each `type`. */
export function discriminator(components: Readonly<Record<string, string>>) {
  const mapping = Object.fromEntries(
    Object.entries(components).map(([type, name]) => [type, `#/components/schemas/${name}`]),
  );
  return { propertyName: "type", mapping };
}

function payments(facts: Facts): Component[] {
  const summary = {
    charge_id: {
      says: "The charge: what to poll, and what webhooks name.",
      examples: ["ch_0fe6adcf135a11e36eb247bc"],
    },
    checkout_id: "The checkout it came from.",
    organization_id: "Whose it is.",
    amount: { says: "What the customer pays, fees included.", examples: ["3305.63"] },
    currency: currency(facts, "Currency paid in."),
    status: "Where it stands.",
    payment_provider: PROVIDER_NOTE,
    provider_reference: REFERENCE_NOTE,
    created_at: "When it was made.",
    updated_at: "When it last changed.",
  };
  return [
    named("ChargeStatus", chargeStatusSchema, { says: STATUS_SAYS, assumed: STATUS_ASSUMED }),
    object("WhitelabelResult", r.whitelabelResultSchema, "A payment that has begun.", {
      checkout_id: "The checkout.",
      charge_id: { says: "The charge: what to poll.", examples: ["ch_0fe6adcf135a11e36eb247bc"] },
      status: {
        says: "How the charge begins.",
        assumed:
          "Always `PENDING` in this answer, even when a scenario moves the charge at the same instant.",
      },
      amount: { says: "What the customer must pay, fees included.", examples: ["3305.63"] },
      currency: currency(facts, "Currency to pay in."),
      payment_method: "The method used.",
      payment_provider: PROVIDER_NOTE,
      provider_reference: REFERENCE_NOTE,
      payment_instructions: "What to show the customer.",
      expires_at: "Until when it can be paid.",
      created_at: "When it was made.",
    }),
    object("Checkout", r.checkoutSchema, "A hosted page waiting for the customer.", {
      checkout_id: unshown("The checkout."),
      checkout_url: {
        says: "Where to send the customer.",
        assumed: "The interface does not name the field that holds the URL.",
        examples: ["http://127.0.0.1:4402/checkout/co_f2a5ed6a38de6871f3183cfa"],
      },
      charge_id: unshown("The charge, which exists from the start."),
      status: unshown("Where the charge stands: `PENDING`."),
      amount: unshown("The price as it was given; fees are known once the customer picks a method."),
      currency: unshown("The base currency of the price."),
      payment_methods: unshown("The methods the customer may choose from."),
      metadata: "As sent.",
      expires_at: "Until when the page takes a payment.",
      created_at: unshown("When it was made."),
    }),
    object("PayinSummary", r.payinSummarySchema, "A payment in a list.", summary),
    object("PayinList", r.payinListSchema, "A page of payments.", {
      total: "How many there are that match, on all pages.",
      items: "Newest first.",
    }),
    object("StatusChange", r.statusChangeSchema, "A step in the life of a charge.", {
      status: unshown("What it became."),
      at: unshown("When."),
      reason: unshown("Why, where there is a reason.", { examples: ["declined_by_operator"] }),
    }),
    object("Charge", r.chargeDetailSchema, CHARGE_NOTE, {
      ...summary,
      payment_method: unshown("The method; null until the customer of a hosted page has picked one."),
      payment_rail: RAIL_ID_NOTE,
      customer_email: unshown("Who pays."),
      customer_name: unshown("The customer's name."),
      metadata: "As sent with the checkout.",
      fees: { ...(FEES_NOTE as object), says: "What is taken out; null until it is priced." } as Note,
      exchange_rate: unshown("The rate it was priced at; null until it is priced."),
      settlement_amount: SETTLEMENT_NOTE,
      settled_at: {
        says: "When the funds became available; null before.",
        assumed:
          "Fiat settles with completion, crypto after its confirmations; later settlement makes no event.",
      },
      failure_reason: unshown("Why it failed; null otherwise.", { examples: ["insufficient_funds"] }),
      payment_instructions: unshown(
        "What the customer was told; null until the customer has picked a method.",
      ),
      expires_at: unshown("Until when it can be paid."),
      status_history: {
        says: "What it went through, oldest first.",
        assumed: "The shape of its elements.",
      },
    }),
  ];
}

const CHARGE_NOTE: Note = {
  says: "A payment in full. `charge` and `payin` are two words for one thing.",
  assumed: "The charge of a hosted page has null for what is not known before the customer picks a method.",
};

function account(facts: Facts): Component[] {
  return [
    object("Balance", r.balanceSchema, "What is held in one currency.", {
      currency: currency(facts, "Which currency."),
      available_balance: { says: "Ready to be withdrawn.", examples: ["3225.00"] },
      pending_balance: { says: "Still being confirmed or settled.", examples: ["0.00"] },
    }),
    object("Balances", r.balancesSchema, "All balances of the organization.", {
      success: "Always true.",
      account_id: "The organization.",
      balances: "One for each currency; a currency without funds may be missing.",
      total_balance_usd: {
        says: "Everything, available and pending, in US dollars at today's rates: an estimate.",
        assumed: "Summed exactly and rounded once.",
        examples: ["75.00"],
      },
    }),
    object("Organization", r.organizationSchema, "The merchant.", {
      organization_id: unshown("The organization."),
      name: unshown("Its name."),
      country: {
        says: "Two-letter code; its currency has a balance.",
        assumed: "The field's name.",
        examples: ["NG"],
      },
      status: unshown("A deactivated organization is answered 404 everywhere."),
      verified: unshown("Verified merchants may use more methods."),
      enabled_payment_methods: { says: "Ids of the methods it may use.", examples: [facts.methods] },
      created_at: unshown("When it was made."),
    }),
  ];
}

/** What the service answers about payouts, webhooks and errors: all of it assumed but the shape of errors. */
export function assumedComponents(facts: Facts): Component[] {
  const common = {
    type: unshown("Tells the variants apart."),
    destination_id: unshown("What withdrawals name it by."),
    currency: unshown("Currency it takes.", { examples: facts.payoutCurrencies }),
    country: unshown("Two-letter code; null for crypto."),
    created_at: unshown("When it was registered."),
  };
  const list = (of: string) => ({
    total: unshown("How many there are, on all pages."),
    items: unshown(`${of}, newest first.`),
  });
  return [
    object("BankAccountDestination", r.bankAccountDestinationSchema, "A bank account.", {
      ...common,
      bank_code: unshown("The bank."),
      account_number: unshown("The account."),
      account_name: unshown("Who holds it."),
    }),
    object("MobileMoneyDestination", r.mobileMoneyDestinationSchema, "A mobile money wallet.", {
      ...common,
      phone_number: unshown("Its number, in E.164."),
      provider: unshown("The operator."),
    }),
    object("CryptoWalletDestination", r.cryptoWalletDestinationSchema, "A crypto wallet.", {
      ...common,
      wallet_address: unshown("Its address."),
      network: unshown("The network it is on."),
    }),
    named("Destination", r.destinationSchema, {
      says: "Where withdrawals may go; `type` says which variant it is.",
      assumed: "The whole record.",
      adds: { discriminator: discriminator(DESTINATION_TYPES) },
    }),
    object("DestinationList", r.destinationListSchema, "A page of destinations.", list("Destinations")),
    named("WithdrawalStatus", withdrawalStatusSchema, {
      says: "Where a withdrawal stands.",
      assumed: "PENDING → PROCESSING → COMPLETED or FAILED; PENDING → CANCELLED. The rest are final.",
    }),
    object(
      "Withdrawal",
      r.withdrawalSchema,
      { says: "Money on its way out of the balance.", assumed: "The whole record." },
      {
        withdrawal_id: unshown("The withdrawal.", { examples: ["wd_bc7f60c88949b7849b107b21"] }),
        destination_id: unshown("Where it goes."),
        organization_id: unshown("Whose it is."),
        amount: unshown("What arrives."),
        fee: unshown("What it costs on top; comes back with the amount if the withdrawal fails."),
        currency: unshown("Currency of both."),
        status: unshown("Where it stands."),
        failure_reason: unshown("Why it failed; null otherwise."),
        reference: unshown("Your own name for it, if you gave one."),
        metadata: unshown("As sent; empty if nothing was."),
        created_at: unshown("When it was made."),
        updated_at: unshown("When it last changed."),
      },
    ),
    object("WithdrawalList", r.withdrawalListSchema, "A page of withdrawals.", list("Withdrawals")),
    object(
      "Webhook",
      r.webhookSchema,
      { says: "A receiver of events.", assumed: "The whole record. It hears the events of its key's mode." },
      {
        webhook_id: unshown("The endpoint."),
        url: unshown("Where events are sent."),
        events: unshown("Globs of the types it wants."),
        secret: unshown("What its events are signed with."),
        enabled: unshown("Whether it is sent anything; an answer 410 turns it off."),
        created_at: unshown("When it was registered."),
      },
    ),
    object("WebhookList", r.webhookListSchema, "A page of endpoints.", list("Endpoints")),
    object("WebhookDeleted", r.webhookDeletedSchema, "An endpoint that is gone.", {
      webhook_id: unshown("Which it was."),
      deleted: unshown("Always true."),
    }),
    object("ErrorInfo", r.errorInfoSchema, "What went wrong.", {
      code: { says: "For programs.", examples: ["VALIDATION_ERROR"] },
      message: { says: "For people.", examples: ["Invalid request parameters"] },
      details: {
        says: "For each field at fault, what is wrong with it.",
        assumed: "A field within an object has a dotted path; all faults come together.",
        examples: [{ "pricing.amount": "must be more than 0" }],
      },
    }),
    object("Error", r.errorSchema, "The body of every error.", { error: "What went wrong." }),
    ...events(),
  ];
}

const DESTINATION_TYPES = {
  bank_account: "BankAccountDestination",
  mobile_money: "MobileMoneyDestination",
  crypto_wallet: "CryptoWalletDestination",
};

function events(): Component[] {
  const envelope = {
    id: unshown("The event; the same in every attempt at telling it.", {
      examples: ["evt_bf97a3a164010d696c2bec1f"],
    }),
    type: unshown("What happened."),
    timestamp: unshown("When, in sandbox time."),
    mode: unshown("Test or live: that of the key the object was made with."),
  };
  return [
    object("ChargeEvent", r.chargeEventSchema, "A charge changed its status.", {
      ...envelope,
      data: unshown("The charge as a read of it answered at that moment."),
    }),
    object("WithdrawalEvent", r.withdrawalEventSchema, "A withdrawal changed its status.", {
      ...envelope,
      data: unshown("The withdrawal as a read of it answered at that moment."),
    }),
    object("TestEvent", r.testEventSchema, "An event to try a receiver with.", {
      ...envelope,
      data: unshown("Whatever it was made with."),
    }),
  ];
}
