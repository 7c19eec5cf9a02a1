import { didYouMean } from "../../core/schema/nearest.js";
import { UserError } from "../../core/schema/user-error.js";
import type { Connection, ConnectionFlags, Json } from "./connection.js";

/** What a person asked for: the sandbox meant, the flags, and the words after the command's name. */
export interface Asked {
  readonly connection: Connection;
  readonly flags: ConnectionFlags & Readonly<Record<string, string | boolean | undefined>>;
  readonly words: readonly (string | undefined)[];
}

/** What is done, and what is said of it. */
export interface Action {
  /** Asks the sandbox; undefined when all has been said on the way. */
  readonly call: (asked: Asked) => Promise<Json | undefined>;
  /** What is said on a terminal while it lasts, where that may be long. */
  readonly doing?: string;
  /** What is said where JSON is not asked for; default: each field of the answer. */
  readonly print?: (answer: Json, asked: Asked) => string;
}

/** A command that speaks to a running sandbox. */
export interface ClientCommand {
  /** As its help shows it; the word `verb` or `what` is one of `verbs`. */
  readonly usage: string;
  readonly says: string;
  readonly example: string;
  readonly options?: readonly (readonly [flags: string, says: string])[];
  readonly verbs?: Readonly<Record<string, Action>>;
  /** What it does without a verb. */
  readonly plain?: Action;
}

/** A value that cannot be done without; `what` is how a person is told that it is missing. */
export function need(value: string | undefined, what: string): string {
  if (value === undefined) throw new UserError(`missing argument: ${what}`);
  return value;
}

/** A value of a flag that takes one. */
export function textOf(value: string | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** The word, if it is a known one. */
export function knownWord(known: readonly string[], command: string, word: string): string {
  if (known.includes(word)) return word;
  const near = didYouMean(word, known);
  const rest = near === "" ? "; use" : `${near} Use`;
  throw new UserError(`unknown action "${word}" for ${command}${rest} one of: ${known.join(", ")}`);
}

/** Calls the path of the thing that the second word names; `what` describes it where the word is missing. */
export function named(
  method: "get" | "post" | "delete",
  path: string,
  what: string,
  rest = "",
): Action["call"] {
  return async ({ connection, words: [, name] }) =>
    connection[method](`${path}/${encodeURIComponent(need(name, what))}${rest}`);
}
