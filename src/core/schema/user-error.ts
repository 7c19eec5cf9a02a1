/**
 * A mistake of the person who runs the sandbox: a file that cannot be read, an option that makes no sense.
 * Shown as it is, one line a fault, never with a stack trace.
 */
export class UserError extends Error {
  /** For programs that see the name only. */
  override readonly name = "UserError";

  /** The exit code of a command that ends with it; 1 unless it says which. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
