import type { ControlOperationId } from "../../core/client/operations.js";
import { pickFields } from "../../core/schema/descriptions.js";
import { getOwn } from "../../core/schema/json-objects.js";
import { didYouMean } from "../../core/schema/nearest.js";
import { UserError } from "../../core/schema/user-error.js";
import type { ControlOperations } from "../../library/operation-types.js";
import type { Connection, ConnectionFlags, JsonBody } from "./connection.js";

/** A parsed command line: sandbox, flags, and the words after the command's name by their names in its usage. */
export interface CommandInput {
  readonly connection: Connection;
  readonly flags: ConnectionFlags & Readonly<Record<string, string | boolean | undefined>>;
  readonly words: Readonly<Record<string, string | undefined>>;
}

export interface ClientAction {
  /** Runs the action. Resolves with the result to print, or with undefined if nothing is left to print. */
  readonly call: (asked: CommandInput) => Promise<JsonBody | undefined>;
  readonly progressText?: string;
  /** Formats the result when `--json` is absent; default: a line per field. */
  readonly formatResult?: (answer: JsonBody, asked: CommandInput) => string | Promise<string>;
}

export interface ClientCommand {
  /** Command name and arguments, as in the help. The argument `verb` or `what` selects the action in `verbs`. */
  readonly usage: string;
  readonly summary: string;
  readonly example: string;
  /** Options; one that goes with a single verb names that verb. */
  readonly options?: readonly (readonly [flags: string, says: string, verb?: string])[];
  readonly verbs?: Readonly<Record<string, ClientAction>>;
  /** Throws for words that the check of the verb would explain badly. */
  readonly checkWords?: (words: readonly string[]) => void;
  /** Action of a command line without a verb. */
  readonly defaultAction?: ClientAction;
}

type InputField<Id extends ControlOperationId> = keyof ControlOperations[Id]["input"];
type Input<Id extends ControlOperationId> = Partial<Record<InputField<Id>, unknown>>;

interface OperationAction<Id extends ControlOperationId> extends Omit<ClientAction, "call"> {
  /** Fields that the words or flags of the same names fill. */
  readonly takes?: readonly InputField<Id>[];
  /** The other fields. */
  readonly input?: (asked: CommandInput) => Input<Id> | Promise<Input<Id>>;
  /** Name of the last word in the error for its absence, if this action needs that word. */
  readonly needs?: string;
}

export function runs<Id extends ControlOperationId>(
  id: Id,
  { takes = [], input, needs, ...action }: OperationAction<Id> = {},
): ClientAction {
  return {
    ...action,
    call: async (asked) => {
      const { connection, flags, words } = asked;
      if (needs !== undefined) requireArgument(Object.values(words).at(-1), needs);
      const named = pickFields<JsonBody, string>({ ...flags, ...words }, ...(takes as readonly string[]));
      return connection.run(id, { ...named, ...(await input?.(asked)) });
    },
  };
}

export function requireArgument(value: string | undefined, what: string): string {
  if (value === undefined) throw new UserError(`missing argument: ${what}`);
  return value;
}

export function flagText(value: string | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

export function requireKnownWord(known: readonly string[], command: string, word: string): string {
  if (known.includes(word)) return word;
  const near = didYouMean(word, known);
  const rest = near === "" ? "; use" : `${near} Use`;
  throw new UserError(`unknown action "${word}" for ${command}${rest} one of: ${known.join(", ")}`);
}

/** Parses `a.b=value` pairs into an object. Values are JSON or text. */
export function parseAssignments(pairs: unknown): JsonBody {
  const result: JsonBody = {};
  for (const pair of (pairs as string[] | undefined) ?? []) {
    const at = pair.indexOf("=");
    if (at < 1) throw new UserError(`${JSON.stringify(pair)} is not path=value`);
    const path = pair.slice(0, at).split(".");
    let place = result;
    for (const key of path.slice(0, -1)) {
      const known = getOwn(place, key);
      const inner = typeof known === "object" && known !== null ? (known as JsonBody) : {};
      define(place, key, inner);
      place = inner;
    }
    define(place, path.at(-1)!, parsedValue(pair.slice(at + 1)));
  }
  return result;
}

/** Parses JSON. A number stays text, because 25.00 would lose its decimals. Invalid JSON stays text too. */
function parsedValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" ? text : value;
  } catch {
    return text;
  }
}

/** Defines an own property. An assignment to `__proto__` would set the prototype instead. */
function define(place: object, key: string, value: unknown): void {
  Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true });
}
