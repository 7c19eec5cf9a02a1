import { type ErrorCode, type Refusal, refusalText } from "./errors.js";

/** A refusal of the sandbox, thrown by the library's methods: `code` and `details` as on the wire. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code: ErrorCode;
  /** Dotted field → what is wrong with it. */
  readonly details: Readonly<Record<string, string>> | undefined;

  constructor(refusal: Refusal) {
    super(refusalText(refusal));
    this.code = refusal.code;
    this.details = refusal.details;
  }
}
