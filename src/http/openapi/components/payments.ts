import { chargeStatusSchema } from "../../../schema/common.js";
import * as r from "../../../schema/responses.js";
import { type Component, named, object } from "../component.js";
import type { Facts } from "../facts.js";
import { currency } from "../phrases.js";
import { type Note, unshown } from "../types.js";
import { FEES_NOTE, PROVIDER_NOTE, RAIL_ID_NOTE, REFERENCE_NOTE, SETTLEMENT_NOTE } from "./charge-notes.js";

/** Checkouts and charges. */
export function paymentComponents(facts: Facts): Component[] {
  const summary = {
    charge_id: {
      says: "The charge: what to poll, and what webhooks name.",
      examples: ["ch_0fe6adcf135a11e36eb247bc"],
    },
    checkout_id: "The checkout it came from.",
    organization_id: "Whose it is.",
    amount: {
      says: "What the customer pays, fees included.",
      assumed:
        "Of a hosted checkout, until a method is picked: the price as it was given, without fees. They hang on the method.",
      examples: ["3305.63"],
    },
    currency: currency(
      facts,
      "Currency paid in; of a hosted checkout, until a method is picked, the base currency.",
    ),
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
          "Always `PENDING` in this answer, even when a scenario moves the charge at the same instant. The real service may answer `AWAITING_PAYMENT`: take both.",
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
      fees: { ...FEES_NOTE, says: "What is taken out; null until it is priced." },
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

const CHARGE_NOTE: Note = {
  says: "A payment in full. `charge` and `payin` are two words for one thing.",
  assumed: "The charge of a hosted page has null for what is not known before the customer picks a method.",
};
