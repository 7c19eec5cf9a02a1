import * as z from "zod/mini";
import { field, namedSchema, shape } from "../descriptions.js";
import { withNameKind } from "../name-kinds.js";
import { discriminatorField, moneySchema, text } from "./response-fields.js";

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
