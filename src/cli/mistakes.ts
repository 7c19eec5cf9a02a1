import type { CommanderError } from "commander";
import { SandboxError } from "../core/schema/sandbox-error.js";
import { UserError } from "../core/schema/user-error.js";
import { sayJson, tellLine } from "./terminal.js";

/** What a program is told of a mistake besides its message. */
interface Advice {
  readonly code: string;
  /** What to do, as far as it can be said without knowing more; mostly a command. */
  readonly fix: string | null;
  /** The page of the documentation that has more. */
  readonly doc: string;
}

/** A mistake whose mending is known. */
export class KnownMistake extends UserError {
  constructor(
    message: string,
    readonly advice: Advice,
  ) {
    super(message);
  }
}

const CONTROL = "docs/control-api.md";

/** What to do about a refusal of the sandbox, by its code. */
const FIXES: Readonly<Record<string, string>> = {
  NOT_FOUND: "list what there is: payments-sandbox charges, withdrawals, deliveries, scenario list",
  INVALID_TRANSITION: "see what it may become: payments-sandbox next SELECTOR",
  VALIDATION_ERROR: "correct the fields that details names",
  CLOCK_BUSY: "try again when the current advance has finished",
  FORBIDDEN: "pass the token that start printed: --control-token VALUE",
};

function adviceOf(error: Error): Advice {
  if (error instanceof KnownMistake) return error.advice;
  if (error instanceof SandboxError)
    return { code: error.code, fix: FIXES[error.code] ?? null, doc: CONTROL };
  return { code: "NOT_DONE", fix: null, doc: "docs/command-line.md" };
}

let isJsonAsked = false;

/** With `--json`, mistakes are JSON on standard output too. */
export function askForJson(isAsked: boolean): void {
  isJsonAsked = isAsked;
}

/** One line a fault, on standard error. */
export function tell(error: Error): void {
  for (const line of error.message.split("\n")) tellLine(line);
}

/** The same for what a command ends with instead of its result; where JSON is asked for, for programs too. */
export function refuse(error: Error): void {
  tell(error);
  if (!isJsonAsked) return;
  const { code, fix, doc } = adviceOf(error);
  const details = error instanceof SandboxError ? error.details : undefined;
  sayJson({ error: { code, message: error.message, details, fix, doc } });
}

/** What the user can mend is told in a line; anything else is a bug of ours and keeps its stack. */
export function isUserMistake(error: Error): boolean {
  return error instanceof UserError || error instanceof SandboxError || error.name === "StoreError";
}

/** What commander found wrong with a command line, in one line: what it is, and where to read on. */
export function usageMistake({ message }: CommanderError, command: string): KnownMistake {
  const what = message
    .replace(/^error: /, "")
    .replace(/\n\(Did you mean (.+)\)$/, "; did you mean $1")
    .replace(/^option ('.+') argument missing$/, "option $1 needs a value")
    .replace(/\. Expected (\d+) arguments? but got (\d+)\.$/, ": it takes $1, not $2")
    .replaceAll("\n", " ");
  return badUsage(what, `payments-sandbox ${command} --help`);
}

/** A command line that cannot be understood, and where to read on. */
export function badUsage(what: string, fix: string): KnownMistake {
  return new KnownMistake(`${what} (run ${fix})`, { code: "USAGE", fix, doc: "docs/command-line.md" });
}
