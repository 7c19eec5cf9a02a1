import { didYouMean } from "../../core/schema/nearest.js";
import { UserError } from "../../core/schema/user-error.js";
import type { Connection, ConnectionFlags, JsonBody } from "./connection.js";

/** A parsed command line: sandbox, flags, and the words after the command's name. */
export interface CommandInput {
  readonly connection: Connection;
  readonly flags: ConnectionFlags & Readonly<Record<string, string | boolean | undefined>>;
  readonly positionalArguments: readonly (string | undefined)[];
}

export interface ClientAction {
  /** Runs the action. Resolves with the result to print, or with undefined if nothing is left to print. */
  readonly call: (asked: CommandInput) => Promise<JsonBody | undefined>;
  /** Progress text on a terminal, for long actions. */
  readonly progressText?: string;
  /** Formats the result when `--json` is absent; default: a line per field. */
  readonly formatResult?: (answer: JsonBody, asked: CommandInput) => string | Promise<string>;
}

/** A command that calls a running sandbox. */
export interface ClientCommand {
  /** Command name and arguments, as in the help. The argument `verb` or `what` selects the action in `verbs`. */
  readonly usage: string;
  readonly summary: string;
  readonly example: string;
  readonly options?: readonly (readonly [flags: string, says: string])[];
  readonly verbs?: Readonly<Record<string, ClientAction>>;
  /** Throws for words that the check of the verb would explain badly. */
  readonly checkWords?: (words: readonly string[]) => void;
  /** Action of a command line without a verb. */
  readonly defaultAction?: ClientAction;
}

/** Returns the value. Throws an error that names `what` if the value is missing. */
export function requireArgument(value: string | undefined, what: string): string {
  if (value === undefined) throw new UserError(`missing argument: ${what}`);
  return value;
}

export function flagText(value: string | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** Returns the word. Throws unless it is one of `known`. */
export function requireKnownWord(known: readonly string[], command: string, word: string): string {
  if (known.includes(word)) return word;
  const near = didYouMean(word, known);
  const rest = near === "" ? "; use" : `${near} Use`;
  throw new UserError(`unknown action "${word}" for ${command}${rest} one of: ${known.join(", ")}`);
}

/** Creates a `call` for one resource: `snapshot restore NAME` posts to `/snapshots/NAME/restore`. */
export function createResourceCall(
  method: "get" | "post" | "delete",
  path: string,
  what: string,
  rest = "",
): ClientAction["call"] {
  return async ({ connection, positionalArguments: [, name] }) =>
    connection[method](`${path}/${encodeURIComponent(requireArgument(name, what))}${rest}`);
}
