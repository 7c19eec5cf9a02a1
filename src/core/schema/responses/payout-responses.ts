import * as z from "zod/mini";
import { metadataSchema, timestampSchema, withdrawalStatusSchema } from "../common.js";
import { assumedFieldNote, field, namedSchema, shape } from "../descriptions.js";
import {
  currencyCodeSchema,
  listShape,
  moneySchema,
  nullableText,
  text,
  variantField,
} from "./response-fields.js";

const destination = {
  destination_id: field(text, assumedFieldNote("The ID withdrawals use.")),
  currency: field(
    currencyCodeSchema,
    assumedFieldNote("Currency it takes.", { examples: "{{payout currencies}}" }),
  ),
  country: field(nullableText, assumedFieldNote("Two-letter code; null for crypto.")),
  created_at: field(timestampSchema, assumedFieldNote("When it was registered.")),
};
const destinationType = assumedFieldNote("The variant.");
export const bankAccountDestinationSchema = shape("BankAccountDestination", "A bank account.", {
  type: variantField("bank_account", destinationType),
  ...destination,
  bank_code: field(text, assumedFieldNote("The bank.")),
  account_number: field(text, assumedFieldNote("The account.")),
  account_name: field(text, assumedFieldNote("Who holds it.")),
});
export const mobileMoneyDestinationSchema = shape("MobileMoneyDestination", "A mobile money wallet.", {
  type: variantField("mobile_money", destinationType),
  ...destination,
  phone_number: field(text, assumedFieldNote("Its number, in E.164.")),
  provider: field(text, assumedFieldNote("The operator.")),
});
export const cryptoWalletDestinationSchema = shape("CryptoWalletDestination", "A crypto wallet.", {
  type: variantField("crypto_wallet", destinationType),
  ...destination,
  wallet_address: field(text, assumedFieldNote("Its address.")),
  network: field(text, assumedFieldNote("The network it is on.")),
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

export const withdrawalFields = {
  withdrawal_id: field(
    text,
    assumedFieldNote("The withdrawal.", { examples: ["wd_bc7f60c88949b7849b107b21"] }),
  ),
  destination_id: field(text, assumedFieldNote("Where it goes.")),
  organization_id: field(text, assumedFieldNote("The organization that owns it.")),
  amount: field(moneySchema, assumedFieldNote("What arrives.")),
  fee: field(
    moneySchema,
    assumedFieldNote("The fee on top; returned with the amount if the withdrawal fails."),
  ),
  currency: field(currencyCodeSchema, assumedFieldNote("Currency of both.")),
  status: field(withdrawalStatusSchema, assumedFieldNote("Its status.")),
  failure_reason: field(nullableText, assumedFieldNote("Why it failed; null otherwise.")),
  reference: field(nullableText, assumedFieldNote("Your own reference, if you gave one.")),
  metadata: field(metadataSchema, assumedFieldNote("As sent; empty if none was.")),
  created_at: field(timestampSchema, assumedFieldNote("When it was made.")),
  updated_at: field(timestampSchema, assumedFieldNote("When it last changed.")),
};
export const withdrawalSchema = shape(
  "Withdrawal",
  { description: "A payout from the balance.", assumption: "The whole record." },
  withdrawalFields,
);
export const withdrawalListSchema = listShape("WithdrawalList", "withdrawals", withdrawalSchema);
