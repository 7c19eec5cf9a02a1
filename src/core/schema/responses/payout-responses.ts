import * as z from "zod/mini";
import { metadataSchema, timestampSchema, withdrawalStatusSchema } from "../common.js";
import { assumedField, field, namedSchema, shape } from "../descriptions.js";
import {
  currencyCodeSchema,
  listShape,
  moneySchema,
  nullableText,
  text,
  variant,
} from "./response-fields.js";

const destination = {
  destination_id: field(text, assumedField("The ID withdrawals use.")),
  currency: field(
    currencyCodeSchema,
    assumedField("Currency it takes.", { examples: "{{payout currencies}}" }),
  ),
  country: field(nullableText, assumedField("Two-letter code; null for crypto.")),
  created_at: field(timestampSchema, assumedField("When it was registered.")),
};
const destinationType = assumedField("The variant.");
export const bankAccountDestinationSchema = shape("BankAccountDestination", "A bank account.", {
  type: variant("bank_account", destinationType),
  ...destination,
  bank_code: field(text, assumedField("The bank.")),
  account_number: field(text, assumedField("The account.")),
  account_name: field(text, assumedField("Who holds it.")),
});
export const mobileMoneyDestinationSchema = shape("MobileMoneyDestination", "A mobile money wallet.", {
  type: variant("mobile_money", destinationType),
  ...destination,
  phone_number: field(text, assumedField("Its number, in E.164.")),
  provider: field(text, assumedField("The operator.")),
});
export const cryptoWalletDestinationSchema = shape("CryptoWalletDestination", "A crypto wallet.", {
  type: variant("crypto_wallet", destinationType),
  ...destination,
  wallet_address: field(text, assumedField("Its address.")),
  network: field(text, assumedField("The network it is on.")),
});
export const destinationSchema = namedSchema(
  "Destination",
  {
    description: "A payout destination; `type` is the variant.",
    assumption: "The whole record.",
  },
  z.discriminatedUnion("type", [
    bankAccountDestinationSchema,
    mobileMoneyDestinationSchema,
    cryptoWalletDestinationSchema,
  ]),
);
export const destinationListSchema = listShape("DestinationList", "destinations", destinationSchema);

namedSchema(
  "WithdrawalStatus",
  {
    description: "The status of a withdrawal.",
    assumption: "PENDING → PROCESSING → COMPLETED or FAILED; PENDING → CANCELLED. The rest are final.",
  },
  withdrawalStatusSchema,
);

export const withdrawal = {
  withdrawal_id: field(text, assumedField("The withdrawal.", { examples: ["wd_bc7f60c88949b7849b107b21"] })),
  destination_id: field(text, assumedField("Where it goes.")),
  organization_id: field(text, assumedField("The organization that owns it.")),
  amount: field(moneySchema, assumedField("What arrives.")),
  fee: field(moneySchema, assumedField("The fee on top; returned with the amount if the withdrawal fails.")),
  currency: field(currencyCodeSchema, assumedField("Currency of both.")),
  status: field(withdrawalStatusSchema, assumedField("Its status.")),
  failure_reason: field(nullableText, assumedField("Why it failed; null otherwise.")),
  reference: field(nullableText, assumedField("Your own reference, if you gave one.")),
  metadata: field(metadataSchema, assumedField("As sent; empty if none was.")),
  created_at: field(timestampSchema, assumedField("When it was made.")),
  updated_at: field(timestampSchema, assumedField("When it last changed.")),
};
export const withdrawalSchema = shape(
  "Withdrawal",
  { description: "A payout from the balance.", assumption: "The whole record." },
  withdrawal,
);
export const withdrawalListSchema = listShape("WithdrawalList", "withdrawals", withdrawalSchema);
