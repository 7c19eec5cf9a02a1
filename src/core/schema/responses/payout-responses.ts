import * as z from "zod/mini";
import { metadataSchema, timestampSchema, withdrawalStatusSchema } from "../common.js";
import { assumedField, assumedFieldNote, currencyNote, field, namedSchema, shape } from "../descriptions.js";
import type { DeepReadonly } from "../records/record-fields.js";
import {
  currencyCodeSchema,
  discriminatorField,
  listShape,
  moneySchema,
  nullableText,
  text,
} from "./response-fields.js";

const destination = {
  destination_id: assumedField(text, "The ID withdrawals use."),
  currency: assumedField(currencyCodeSchema, "Currency it takes.", { examples: "{{payout currencies}}" }),
  country: assumedField(nullableText, "Two-letter code; null for crypto."),
  created_at: assumedField(timestampSchema, "When it was registered."),
};
const destinationType = assumedFieldNote("The variant.");
export const bankAccountDestinationSchema = shape("BankAccountDestination", "A bank account.", {
  type: discriminatorField("bank_account", destinationType),
  ...destination,
  bank_code: assumedField(text, "The bank."),
  account_number: assumedField(text, "The account."),
  account_name: assumedField(text, "Who holds it."),
});
export const mobileMoneyDestinationSchema = shape("MobileMoneyDestination", "A mobile money wallet.", {
  type: discriminatorField("mobile_money", destinationType),
  ...destination,
  phone_number: assumedField(text, "Its number, in E.164."),
  provider: assumedField(text, "The operator."),
});
export const cryptoWalletDestinationSchema = shape("CryptoWalletDestination", "A crypto wallet.", {
  type: discriminatorField("crypto_wallet", destinationType),
  ...destination,
  wallet_address: assumedField(text, "Its address."),
  network: assumedField(text, "The network it is on."),
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

const withdrawalFields = {
  withdrawal_id: assumedField(text, "The withdrawal.", { examples: ["wd_bc7f60c88949b7849b107b21"] }),
  destination_id: assumedField(text, "Where it goes."),
  organization_id: assumedField(text, "The organization that owns it."),
  amount: assumedField(moneySchema, "What arrives."),
  fee: assumedField(moneySchema, "The fee on top; returned with the amount if the withdrawal fails."),
  currency: assumedField(currencyCodeSchema, "Currency of both."),
  status: assumedField(withdrawalStatusSchema, "Its status."),
  failure_reason: assumedField(nullableText, "Why it failed; null otherwise."),
  reference: assumedField(nullableText, "Your own reference, if you gave one."),
  metadata: assumedField(metadataSchema, "As sent; empty if none was."),
  created_at: assumedField(timestampSchema, "When it was made."),
  updated_at: assumedField(timestampSchema, "When it last changed."),
};
export const withdrawalSchema = shape(
  "Withdrawal",
  { description: "A payout from the balance.", assumption: "The whole record." },
  withdrawalFields,
);
/** A withdrawal, as the service returns it. Amounts are decimal strings; instants are ISO 8601, in UTC. */
export type WithdrawalDetail = DeepReadonly<z.infer<typeof withdrawalSchema>>;
export const withdrawalListSchema = listShape("WithdrawalList", "withdrawals", withdrawalSchema);

export const balanceSchema = shape("Balance", "What is held in one currency.", {
  currency: field(currencyCodeSchema, currencyNote("Which currency.")),
  available_balance: field(moneySchema, "Ready to be withdrawn.", { examples: ["3225.00"] }),
  pending_balance: field(moneySchema, "Still being confirmed or settled.", { examples: ["0.00"] }),
});
export const balancesSchema = shape("Balances", "All balances of the organization.", {
  success: field(z.literal(true), "Always true."),
  account_id: field(text, "The organization."),
  balances: field(z.array(balanceSchema), "One for each currency; a currency without funds may be missing."),
  total_balance_usd: field(
    moneySchema,
    "Everything, available and pending, in US dollars at today's rates: an estimate.",
    { assumption: "Summed exactly and rounded once.", examples: ["75.00"] },
  ),
});

export const organizationSchema = shape("Organization", "The merchant.", {
  organization_id: assumedField(text, "The organization."),
  name: assumedField(text, "Its name."),
  country: field(text, "Two-letter code; its currency has a balance.", {
    assumption: "The field's name.",
    examples: ["NG"],
  }),
  status: assumedField(z.enum(["active", "deactivated"]), "A deactivated organization gets 404 everywhere."),
  verified: assumedField(z.boolean(), "Verified merchants may use more methods."),
  enabled_payment_methods: field(z.array(text), "Ids of the methods it may use.", {
    examples: ["{{methods}}"],
  }),
  created_at: assumedField(timestampSchema, "When it was made."),
});
