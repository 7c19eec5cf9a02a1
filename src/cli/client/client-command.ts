import { didYouMean } from "../../core/schema/nearest.js";
import { UserError } from "../../core/schema/user-error.js";
import type { Connection, ConnectionFlags, Json } from "./connection.js";

/** The command line of a client command: sandbox, flags, and the words after the command's name. */
export interface ClientCall {
  readonly connection: Connection;
  readonly flags: ConnectionFlags & Readonly<Record<string, string | boolean | undefined>>;
  readonly words: readonly (string | undefined)[];
}

/** The action of a command. */
export interface Action {
  /** Calls the sandbox. Undefined if everything has been printed. */
  readonly call: (asked: ClientCall) => Promise<Json | undefined>;
  /** Progress text on a terminal, for long actions. */
  readonly doing?: string;
  /** Prints the result without `--json`; default: each field of it. */
  readonly print?: (answer: Json, asked: ClientCall) => string;
}

/** A command that calls a running sandbox. */
export interface ClientCommand {
  /** Its arguments in the help; `verb` or `what` is one of `verbs`. */
  readonly usage: string;
  readonly says: string;
  readonly example: string;
  readonly options?: readonly (readonly [flags: string, says: string])[];
  readonly verbs?: Readonly<Record<string, Action>>;
  /** Its action without a verb. */
  readonly plain?: Action;
}

/** A required value; `what` names it in the error. */
export function required(value: string | undefined, what: string): string {
  if (value === undefined) throw new UserError(`missing argument: ${what}`);
  return value;
}

/** A value of a flag that takes one. */
export function textOf(value: string | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** The word. Throws unless it is known. */
export function knownWord(known: readonly string[], command: string, word: string): string {
  if (known.includes(word)) return word;
  const near = didYouMean(word, known);
  const rest = near === "" ? "; use" : `${near} Use`;
  throw new UserError(`unknown action "${word}" for ${command}${rest} one of: ${known.join(", ")}`);
}

/** Calls the path of the thing that the second word names; `what` describes it where the word is missing. */
export function callNamed(
  method: "get" | "post" | "delete",
  path: string,
  what: string,
  rest = "",
): Action["call"] {
  return async ({ connection, words: [, name] }) =>
    connection[method](`${path}/${encodeURIComponent(required(name, what))}${rest}`);
}
