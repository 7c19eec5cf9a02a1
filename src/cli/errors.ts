import type { Command, CommanderError } from "commander";
import { errorText } from "../core/schema/error-text.js";
import { didYouMean } from "../core/schema/nearest.js";
import { SandboxError } from "../core/schema/refusals.js";
import { UserError } from "../core/schema/user-error.js";
import { printErrorLine, printErrorText, printJson } from "./terminal.js";

interface Advice {
  readonly code: string;
  readonly fix: string | null;
  readonly doc: string;
}

export class ErrorWithFix extends UserError {
  constructor(
    message: string,
    readonly advice: Advice,
  ) {
    super(message);
  }
}

const CONTROL = "docs/control-api.md";

const FIXES: Readonly<Record<string, string>> = {
  NOT_FOUND: "list what there is: npx payments-sandbox charges, withdrawals, deliveries, scenario list",
  INVALID_TRANSITION: "see what it may become: npx payments-sandbox next SELECTOR",
  VALIDATION_ERROR: "correct the fields that details names",
  CLOCK_BUSY: "try again when the current advance has finished",
  FORBIDDEN: "pass the token that start printed: --control-token VALUE",
};

function adviceOf(error: Error): Advice {
  if (error instanceof ErrorWithFix) return error.advice;
  if (error instanceof SandboxError)
    return { code: error.code, fix: FIXES[error.code] ?? null, doc: CONTROL };
  const { code = "NOT_DONE" } = error as Partial<UserError>;
  return { code, fix: null, doc: "docs/command-line.md" };
}

const BUG: Advice = { code: "INTERNAL_ERROR", fix: null, doc: "CONTRIBUTING.md" };

let wantsJson = false;

export function setJsonErrors(isAsked: boolean): void {
  wantsJson = isAsked;
}

export function printErrorMessage(error: unknown): void {
  for (const line of messageOf(error).split("\n"))
    if (line.trim() !== "") printErrorLine(line, undefined, "red");
  const { stack = "" } = (error ?? {}) as Partial<Error>;
  if (!isFixableByUser(error) && stack !== "") printErrorText(stack);
}

function messageOf(error: unknown): string {
  return isFixableByUser(error) ? errorText(error) : `internal error: ${errorText(error)}`;
}

/** Ends a command with an error; after a bug at once, because it may have left work open. */
export function endWithError(error: unknown, exitCode: number): void {
  reportError(error);
  process.exitCode = exitCode;
  if (!isFixableByUser(error)) process.exit();
}

/** Prints the error that ends a command on standard error. With `--json`, prints it as JSON on standard output too. */
export function reportError(error: unknown): void {
  printErrorMessage(error);
  if (!wantsJson) return;
  const { code, fix, doc } = isFixableByUser(error) ? adviceOf(error) : BUG;
  const details = error instanceof SandboxError ? error.details : undefined;
  printJson({ error: { code, message: messageOf(error), details, fix, doc } });
}

/** Returns true if the user can fix the error. Returns false for a bug, which keeps its stack trace. */
export function isFixableByUser(error: unknown): error is Error {
  const { name } = (error ?? {}) as Partial<Error>;
  return error instanceof UserError || error instanceof SandboxError || name === "StoreError";
}

/** Converts commander's error into one line that names the help command. */
export function toUsageError({ message }: CommanderError, given: Command): ErrorWithFix {
  const command = given.name();
  const missing = given.registeredArguments.find((one) => message.endsWith(` argument '${one.name()}'`));
  const known = missing?.argChoices ?? (missing?.name() === "selector" ? ["an id", "last"] : []);
  const help = `npx payments-sandbox ${command} --help`;
  // A negative duration looks like an option.
  const [, negative] = /^error: unknown option '(-\d.*)'$/.exec(message) ?? [];
  if (command === "clock" && negative !== undefined)
    return usageError(`time only moves forward, not by ${negative}`, help);
  // Commander suggests options of `start`, the default command, but none of the root.
  const [, option] = /^error: unknown option '(.+)'/.exec(message) ?? [];
  const near = command === "start" && option !== undefined ? didYouMean(option, ["--version"]) : "";
  const what = message
    .replace(/^error: /, "")
    .replace(/\n\(Did you mean (.+)\)$/, near === "" ? "; did you mean $1" : "")
    .replace(/^option ('.+') argument missing$/, "option $1 needs a value")
    .replace(/\. Expected (\d+) arguments? but got (\d+)\.$/, ": it takes $1, not $2")
    .replaceAll("\n", " ");
  return usageError(what + near + (known.length === 0 ? "" : `; use one of: ${known.join(", ")}`), help);
}

/** Error of an invalid command line; `fix` is the command that shows the help. */
export function usageError(what: string, fix: string): ErrorWithFix {
  return new ErrorWithFix(`${what} (run ${fix})`, { code: "USAGE", fix, doc: "docs/command-line.md" });
}
