import type { CurrencyFixture, MethodFixture, RailFixture } from "../schema/fixtures-file.js";
import type { PaymentInstructions } from "./charge-transition.js";
import {
  deriveBankAccountNumber,
  deriveMerchantPhoneNumber,
  deriveWalletAddress,
} from "./fictional-accounts.js";

export interface InstructionsInput {
  readonly rail: Pick<RailFixture, "institution" | "display_name" | "country"> | null;
  readonly currency: Pick<CurrencyFixture, "code" | "asset" | "network" | "name">;
  readonly amount: string;
  readonly reference: string;
  readonly merchantName: string;
  /** Address in the quote; if null, an address is derived from the digest. */
  readonly walletAddress: string | null;
  /** Number from which the customer sends mobile money. */
  readonly phoneNumber: string | null;
  readonly diallingCode: string | undefined;
  /** 32 bytes, from which every number in the instructions is derived. */
  readonly digest: Uint8Array;
}

interface MethodKind {
  /** Customer's input besides the currency; a whitelabel request requires it. */
  readonly customerField?: "phone_number" | "bank_account_number";
  /** The hosted page requires `customerField` too. */
  readonly isRequiredOnPage?: true;
  /** True if customers pay to a wallet address; a quote already includes it. */
  readonly hasWallet?: true;
  /** Makes instructions with fields in the specified order (specification: Payment instructions). */
  readonly createInstructions: (input: InstructionsInput) => PaymentInstructions;
}

export const METHOD_KINDS: Readonly<Record<MethodFixture["kind"], MethodKind>> = {
  bank_transfer: { customerField: "bank_account_number", createInstructions: bankTransfer },
  mobile_money: { customerField: "phone_number", isRequiredOnPage: true, createInstructions: mobileMoney },
  card: { createInstructions: card },
  crypto: { hasWallet: true, createInstructions: crypto },
};

/** Ends the instructions of every method. */
export const NO_REAL_MONEY = "This is a sandbox: no real money moves; do not send any money.";

function bankTransfer({ rail, currency, amount, reference, merchantName, digest }: InstructionsInput) {
  const bank_name = institution(rail, "Sandbox Bank");
  const account_number = deriveBankAccountNumber(rail?.country ?? null, digest);
  const account_name = `${merchantName} (sandbox)`;
  return {
    type: "bank_transfer",
    bank_name,
    account_number,
    account_name,
    reference,
    instructions:
      `Transfer exactly ${amount} ${currency.code} (${currency.name}) to account ${account_number} ` +
      `at ${bank_name}, account name ${account_name}, and quote the reference ${reference}. ${NO_REAL_MONEY}`,
  };
}

function mobileMoney(input: InstructionsInput) {
  const { rail, currency, amount, reference, merchantName, diallingCode, digest } = input;
  const provider = institution(rail, "Sandbox Mobile Money");
  const phone_number = deriveMerchantPhoneNumber(diallingCode, digest);
  const from = input.phoneNumber === null ? "" : ` from ${input.phoneNumber}`;
  return {
    type: "mobile_money",
    provider,
    phone_number,
    reference,
    instructions:
      `Send exactly ${amount} ${currency.code} (${currency.name})${from} with ${provider} to ${phone_number} ` +
      `(${merchantName}), and quote the reference ${reference}. ${NO_REAL_MONEY}`,
  };
}

function crypto({ currency, amount, reference, walletAddress: quoted, digest }: InstructionsInput) {
  const asset = currency.asset ?? currency.code;
  const network = currency.network ?? asset;
  const wallet_address = quoted ?? deriveWalletAddress(network, digest);
  return {
    type: "crypto",
    network,
    wallet_address,
    amount,
    currency: asset,
    reference,
    instructions:
      `Send exactly ${amount} ${asset} (${currency.name}) on the ${network} network to ${wallet_address}, ` +
      `and quote the reference ${reference}. ${NO_REAL_MONEY}`,
  };
}

function card({ currency, amount, reference, merchantName }: InstructionsInput) {
  return {
    type: "card",
    reference,
    instructions:
      `Pay ${amount} ${currency.code} (${currency.name}) to ${merchantName} by card. The reference is ${reference}; ` +
      `no card details are needed. ${NO_REAL_MONEY}`,
  };
}

function institution(rail: InstructionsInput["rail"], otherwise: string): string {
  return rail?.institution ?? rail?.display_name ?? otherwise;
}
