import { type ErrorCode, type Refusal, refusalText } from "./refusals.js";

/** A refusal of the sandbox, thrown by the library's methods. */
export class SandboxError extends Error {
  /** Name for programs that cannot use `instanceof`. */
  override readonly name = "SandboxError";
  /** The error code, as in a response body. */
  readonly code: ErrorCode;
  /** Dotted field → message; undefined if no field is at fault. */
  readonly details: Readonly<Record<string, string>> | undefined;

  /** @internal `subject` is the refused call or object, for the message. */
  constructor(refusal: Refusal, subject?: string) {
    super(refusalText(refusal) + (subject === undefined ? "" : `: ${subject}`));
    this.code = refusal.code;
    this.details = refusal.details;
  }
}
