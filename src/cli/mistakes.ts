import type { CommanderError } from "commander";
import { SandboxError } from "../schema/sandbox-error.js";
import { UserError } from "../schema/user-error.js";
import { tellLine } from "./terminal.js";

/** One line a fault, on standard error. */
export function tell(error: Error): void {
  for (const line of error.message.split("\n")) tellLine(line);
}

/** What the user can mend is told in a line; anything else is a bug of ours and keeps its stack. */
export function isUserMistake(error: Error): boolean {
  return error instanceof UserError || error instanceof SandboxError || error.name === "StoreError";
}

/** What commander found wrong with a command line, in one line: what it is, and where to read on. */
export function usageMistake({ message }: CommanderError, command: string): UserError {
  const what = message
    .replace(/^error: /, "")
    .replace(/\n\(Did you mean (.+)\)$/, "; did you mean $1")
    .replace(/^option ('.+') argument missing$/, "option $1 needs a value")
    .replace(/\. Expected (\d+) arguments? but got (\d+)\.$/, ": it takes $1, not $2")
    .replaceAll("\n", " ");
  return new UserError(`${what} (payments-sandbox ${command} --help tells what there is)`);
}
