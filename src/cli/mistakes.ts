import { UserError } from "../schema/user-error.js";

/** One line a fault, on standard error. */
export function tell(error: Error): void {
  for (const line of error.message.split("\n")) process.stderr.write(`payments-sandbox: ${line}\n`);
}

/** What the user can mend is told in a line; anything else is a bug of ours and keeps its stack. */
export function isUserMistake(error: Error): boolean {
  return error instanceof UserError || error.name === "StoreError";
}
