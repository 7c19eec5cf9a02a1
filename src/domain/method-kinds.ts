import type { MethodFixture } from "../schema/fixtures.js";
import type { PaymentInstructions } from "./charge.js";
import { bankTransfer, card, crypto, type InstructionsInput, mobileMoney } from "./instructions.js";

/** What sets one kind of payment method apart from another. */
export interface MethodKind {
  /** What the customer says besides the currency. */
  readonly field?: "phone_number" | "bank_account_number";
  /** Whether the hosted page insists on it; a whitelabel request always must have it. */
  readonly isRequiredOnPage?: true;
  /** The money goes to a wallet, which a quote names already. */
  readonly wallet?: true;
  /** Tells the customer how to pay. */
  readonly instruct: (input: InstructionsInput) => PaymentInstructions;
}

/** Every kind of method there is, by what fixtures call it. */
export const METHOD_KINDS: Readonly<Record<MethodFixture["kind"], MethodKind>> = {
  bank_transfer: { field: "bank_account_number", instruct: bankTransfer },
  mobile_money: { field: "phone_number", isRequiredOnPage: true, instruct: mobileMoney },
  card: { instruct: card },
  crypto: { wallet: true, instruct: crypto },
};
