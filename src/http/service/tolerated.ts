import * as z from "zod/mini";
import { globMatches } from "../../domain/glob.js";
import { ALL_EVENT_TYPES } from "../../schema/event-types.js";
import { didYouMean } from "../../schema/nearest.js";
import { own } from "../../schema/own.js";
import { cut } from "./journal.js";
import type { Operation } from "./operation.js";

/** A call as it was sent, as far as the service passes over parts of it. */
interface Sent {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** What events are called that are sent under another name. */
  readonly eventNames: Readonly<Record<string, string>>;
}

/** So many notes of one call are kept, and so much of a name. */
const MOST_NOTES = 10;
const MOST_OF_A_NAME = 64;

/** What the service passes over without a word, as it does; a place and what is odd about it, a line each. */
export function toleratedIn(operation: Operation, sent: Sent): string[] {
  const notes: string[] = [];
  for (const note of strays(operation, sent)) if (notes.push(note) === MOST_NOTES) break;
  return notes;
}

function* strays(
  operation: Operation,
  { url, body, idempotencyKey, eventNames }: Sent,
): Generator<string, void> {
  const schema = operation.rawBody ?? operation.body;
  if (schema !== undefined) yield* strayFields(schema, body, "body");
  yield* strayParameters(operation, url);
  if (idempotencyKey !== null) yield* strayKey(operation);
  if (operation.id === "createWebhook" || operation.id === "updateWebhook")
    yield* strayTypes(body.events, eventNames);
}

function* strayFields(schema: z.core.$ZodType, value: object, place: string): Iterable<string> {
  const object = schema instanceof z.ZodMiniOptional ? schema.def.innerType : schema;
  if (!(object instanceof z.ZodMiniObject)) return;
  const shape = object.shape as Readonly<Record<string, z.core.$ZodType>>;
  for (const [name, part] of Object.entries(value)) {
    const known = own(shape, name);
    if (known === undefined) yield stray(place, name, "not a field of this call", Object.keys(shape));
    else if (typeof part === "object" && part !== null) yield* strayFields(known, part, `${place}.${name}`);
  }
}

function* strayParameters({ query }: Operation, url: string): Iterable<string> {
  const mark = url.indexOf("?");
  if (mark === -1) return;
  const known = Object.keys(query?.shape ?? {});
  for (const name of new Set(new URLSearchParams(url.slice(mark + 1)).keys()))
    if (!known.includes(name)) yield stray("query", name, "not a parameter of this call", known);
}

function stray(place: string, name: string, what: string, known: readonly string[]): string {
  const shown = cut(name, MOST_OF_A_NAME);
  return `${place}.${shown}: ${what}${didYouMean(shown, known)}`;
}

/** A POST that is sent again is done again, whatever its key; the other methods are safe to repeat. */
function* strayKey({ method, headers }: Operation): Iterable<string> {
  if (method === "POST" && !headers?.includes("Idempotency-Key"))
    yield "headers.idempotency-key: not heeded by this call; sent again, it is done again";
}

function* strayTypes(globs: unknown, eventNames: Readonly<Record<string, string>>): Iterable<string> {
  if (!Array.isArray(globs)) return;
  const known = [...ALL_EVENT_TYPES, ...Object.values(eventNames)];
  for (const [index, glob] of globs.entries())
    if (typeof glob === "string" && !known.some((name) => globMatches(glob, name)))
      yield `body.events.${index}: ${cut(glob, MOST_OF_A_NAME)} is no type of event${didYouMean(glob, known)}`;
}
