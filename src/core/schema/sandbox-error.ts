import { type ErrorCode, type Refusal, refusalText } from "./errors.js";

/** A refusal of the sandbox, thrown by the library's methods: `code` and `details` as on the wire. */
export class SandboxError extends Error {
  /** For programs that see the name only. */
  override readonly name = "SandboxError";
  /** What kind of refusal it is, as the body of the answer says it. */
  readonly code: ErrorCode;
  /** Dotted field → what is wrong with it; undefined where no field is at fault. */
  readonly details: Readonly<Record<string, string>> | undefined;

  /** @internal `asked` is the call or the object that was refused, for the message. */
  constructor(refusal: Refusal, asked?: string) {
    super(refusalText(refusal) + (asked === undefined ? "" : `: ${asked}`));
    this.code = refusal.code;
    this.details = refusal.details;
  }
}
