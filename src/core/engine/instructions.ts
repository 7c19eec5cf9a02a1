import type { InstructionsWrittenLater, PaymentInstructions } from "../domain/charge.js";
import { type InstructionsInput, METHOD_KINDS } from "../domain/method-kinds.js";
import type { MethodFixture } from "../schema/fixtures.js";
import { passingDigestOf } from "./ids.js";

/** What they are made from; the charge's id decides every number in them. */
type Given = Omit<InstructionsInput, "digest"> & {
  readonly kind: MethodFixture["kind"];
  readonly chargeId: string;
};

/** What was written last: a new charge's are asked for several times, and once more where the journal holds the next against it. */
interface Written {
  readonly of: LaterInstructions;
  readonly instructions: PaymentInstructions;
}
let last: Written | undefined;
let other: Written | undefined;

/**
 * How a charge is to be paid, written when somebody asks: of most charges nobody does again, and the text is a fifth of what
 * one takes. What it is made from the charge has anyway. In JSON it is PaymentInstructions like any other.
 */
export class LaterInstructions implements InstructionsWrittenLater {
  readonly #kind: Given["kind"];
  readonly #rail: Given["rail"];
  readonly #currency: Given["currency"];
  readonly #amount: string;
  readonly #reference: string;
  readonly #merchantName: string;
  readonly #walletAddress: string | null;
  readonly #phoneNumber: string | null;
  readonly #diallingCode: string | undefined;
  readonly #chargeId: string;

  constructor(given: Given) {
    // Each by itself: an object around them would stay for as long as the charge does.
    this.#kind = given.kind;
    this.#rail = given.rail;
    this.#currency = given.currency;
    this.#amount = given.amount;
    this.#reference = given.reference;
    this.#merchantName = given.merchantName;
    this.#walletAddress = given.walletAddress;
    this.#phoneNumber = given.phoneNumber;
    this.#diallingCode = given.diallingCode;
    this.#chargeId = given.chargeId;
  }

  toJSON(): PaymentInstructions {
    if (last?.of === this) return last.instructions;
    const written = other?.of === this ? other : { of: this, instructions: this.#write() };
    other = last;
    last = written;
    return written.instructions;
  }

  #write(): PaymentInstructions {
    return METHOD_KINDS[this.#kind].instruct({
      rail: this.#rail,
      currency: this.#currency,
      amount: this.#amount,
      reference: this.#reference,
      merchantName: this.#merchantName,
      walletAddress: this.#walletAddress,
      phoneNumber: this.#phoneNumber,
      diallingCode: this.#diallingCode,
      digest: passingDigestOf(this.#chargeId),
    });
  }
}
