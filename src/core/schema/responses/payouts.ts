import * as z from "zod/mini";
import { metadataSchema, timestampSchema, withdrawalStatusSchema } from "../common.js";
import { field, named, shape, unshown } from "../words.js";
import { currencyCodeSchema, moneySchema, nullableText, pageOf, text, variant } from "./parts.js";

const destination = {
  destination_id: field(text, unshown("The ID withdrawals use.")),
  currency: field(currencyCodeSchema, unshown("Currency it takes.", { examples: "{{payout currencies}}" })),
  country: field(nullableText, unshown("Two-letter code; null for crypto.")),
  created_at: field(timestampSchema, unshown("When it was registered.")),
};
const destinationType = unshown("The variant.");
export const bankAccountDestinationSchema = shape("BankAccountDestination", "A bank account.", {
  type: variant("bank_account", destinationType),
  ...destination,
  bank_code: field(text, unshown("The bank.")),
  account_number: field(text, unshown("The account.")),
  account_name: field(text, unshown("Who holds it.")),
});
export const mobileMoneyDestinationSchema = shape("MobileMoneyDestination", "A mobile money wallet.", {
  type: variant("mobile_money", destinationType),
  ...destination,
  phone_number: field(text, unshown("Its number, in E.164.")),
  provider: field(text, unshown("The operator.")),
});
export const cryptoWalletDestinationSchema = shape("CryptoWalletDestination", "A crypto wallet.", {
  type: variant("crypto_wallet", destinationType),
  ...destination,
  wallet_address: field(text, unshown("Its address.")),
  network: field(text, unshown("The network it is on.")),
});
export const destinationSchema = named(
  "Destination",
  {
    says: "A payout destination; `type` is the variant.",
    assumed: "The whole record.",
  },
  z.discriminatedUnion("type", [
    bankAccountDestinationSchema,
    mobileMoneyDestinationSchema,
    cryptoWalletDestinationSchema,
  ]),
);
export const destinationListSchema = pageOf("DestinationList", "destinations", destinationSchema);

named(
  "WithdrawalStatus",
  {
    says: "The status of a withdrawal.",
    assumed: "PENDING → PROCESSING → COMPLETED or FAILED; PENDING → CANCELLED. The rest are final.",
  },
  withdrawalStatusSchema,
);

export const withdrawal = {
  withdrawal_id: field(text, unshown("The withdrawal.", { examples: ["wd_bc7f60c88949b7849b107b21"] })),
  destination_id: field(text, unshown("Where it goes.")),
  organization_id: field(text, unshown("The organization that owns it.")),
  amount: field(moneySchema, unshown("What arrives.")),
  fee: field(moneySchema, unshown("The fee on top; returned with the amount if the withdrawal fails.")),
  currency: field(currencyCodeSchema, unshown("Currency of both.")),
  status: field(withdrawalStatusSchema, unshown("Its status.")),
  failure_reason: field(nullableText, unshown("Why it failed; null otherwise.")),
  reference: field(nullableText, unshown("Your own reference, if you gave one.")),
  metadata: field(metadataSchema, unshown("As sent; empty if none was.")),
  created_at: field(timestampSchema, unshown("When it was made.")),
  updated_at: field(timestampSchema, unshown("When it last changed.")),
};
export const withdrawalSchema = shape(
  "Withdrawal",
  { says: "A payout from the balance.", assumed: "The whole record." },
  withdrawal,
);
export const withdrawalListSchema = pageOf("WithdrawalList", "withdrawals", withdrawalSchema);
