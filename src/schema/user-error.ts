/**
 * A mistake of the person who runs the sandbox: a file that cannot be read, an option that makes no sense.
 * Shown as it is, one line a fault, never with a stack trace.
 */
export class UserError extends Error {
  /** For programs that see the name only. */
  override readonly name = "UserError";

  /** @param exitCode of the command, where it says which */
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
