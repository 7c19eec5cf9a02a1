import * as r from "../../../schema/responses.js";
import { type Component, discriminator, named, object } from "../component.js";
import type { Note } from "../types.js";

/** What to tell the customer, by kind of method. */
export function instructionComponents(): Component[] {
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
