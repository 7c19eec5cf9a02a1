import { withdrawalStatusSchema } from "../../../schema/common.js";
import * as r from "../../../schema/responses.js";
import { type Component, discriminator, named, object } from "../component.js";
import type { Facts } from "../facts.js";
import { listOf } from "../phrases.js";
import { unshown } from "../types.js";

/** Payout destinations and withdrawals. */
export function payoutComponents(facts: Facts): Component[] {
  const common = {
    type: unshown("Tells the variants apart."),
    destination_id: unshown("What withdrawals name it by."),
    currency: unshown("Currency it takes.", { examples: facts.payoutCurrencies }),
    country: unshown("Two-letter code; null for crypto."),
    created_at: unshown("When it was registered."),
  };
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
    object("DestinationList", r.destinationListSchema, "A page of destinations.", listOf("Destinations")),
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
    object("WithdrawalList", r.withdrawalListSchema, "A page of withdrawals.", listOf("Withdrawals")),
  ];
}

const DESTINATION_TYPES = {
  bank_account: "BankAccountDestination",
  mobile_money: "MobileMoneyDestination",
  crypto_wallet: "CryptoWalletDestination",
};
