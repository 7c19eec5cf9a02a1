/** A mistake of the user, such as an unreadable file or an invalid option. Printed without a stack trace. */
export class UserError extends Error {
  /** Name for programs that cannot use `instanceof`. */
  override readonly name = "UserError";

  /** Exit code of the command; default 1. */
  readonly exitCode: number;

  /** Error code for programs, such as `LOOKS_AT_NOTHING`; undefined for most errors. */
  readonly code: string | undefined;

  constructor(message: string, exitCode = 1, code?: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}
