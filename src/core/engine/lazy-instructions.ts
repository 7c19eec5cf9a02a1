import type { LazyInstructions, PaymentInstructions } from "../domain/charge-transition.js";
import { type InstructionsInput, METHOD_KINDS } from "../domain/method-kinds.js";
import type { MethodFixture } from "../schema/fixtures-file.js";
import { sharedDigestOf } from "./ids.js";

/** The charge's id decides every number in the instructions. */
type Source = Omit<InstructionsInput, "digest"> & {
  readonly kind: MethodFixture["kind"];
  readonly chargeId: string;
};

/** Cached, because a new charge's instructions are read several times, and again to encode the next charge. */
interface CacheEntry {
  readonly of: DeferredInstructions;
  readonly instructions: PaymentInstructions;
}
let last: CacheEntry | undefined;
let previous: CacheEntry | undefined;

/** Payment instructions, written when read: the text would be a fifth of a charge's memory, and most are never read. */
export class DeferredInstructions implements LazyInstructions {
  readonly #kind: Source["kind"];
  readonly #rail: Source["rail"];
  readonly #currency: Source["currency"];
  readonly #amount: string;
  readonly #reference: string;
  readonly #merchantName: string;
  readonly #walletAddress: string | null;
  readonly #phoneNumber: string | null;
  readonly #diallingCode: string | undefined;
  readonly #chargeId: string;

  constructor(source: Source) {
    // Separate fields: an object around them would stay in memory with the charge.
    this.#kind = source.kind;
    this.#rail = source.rail;
    this.#currency = source.currency;
    this.#amount = source.amount;
    this.#reference = source.reference;
    this.#merchantName = source.merchantName;
    this.#walletAddress = source.walletAddress;
    this.#phoneNumber = source.phoneNumber;
    this.#diallingCode = source.diallingCode;
    this.#chargeId = source.chargeId;
  }

  toJSON(): PaymentInstructions {
    if (last?.of === this) return last.instructions;
    const written = previous?.of === this ? previous : { of: this, instructions: this.#write() };
    previous = last;
    last = written;
    return written.instructions;
  }

  #write(): PaymentInstructions {
    return METHOD_KINDS[this.#kind].createInstructions({
      rail: this.#rail,
      currency: this.#currency,
      amount: this.#amount,
      reference: this.#reference,
      merchantName: this.#merchantName,
      walletAddress: this.#walletAddress,
      phoneNumber: this.#phoneNumber,
      diallingCode: this.#diallingCode,
      digest: sharedDigestOf(this.#chargeId),
    });
  }
}
