import * as z from "zod/mini";
import { globMatches } from "../../domain/glob.js";
import { ALL_EVENT_TYPES } from "../../schema/event-types.js";
import { didYouMean } from "../../schema/nearest.js";
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
export function toleratedIn(
  operation: Operation,
  { url, body, idempotencyKey, eventNames }: Sent,
): readonly string[] {
  const notes = new Notes();
  const schema = operation.rawBody ?? operation.body;
  const fields = schema === undefined ? ANY : fieldsOf(schema);
  if (fields !== ANY) noteFields(notes, fields, body, "body");
  const mark = url.indexOf("?");
  if (mark !== -1) noteParameters(notes, operation, url.slice(mark + 1));
  if (idempotencyKey !== null) noteKey(notes, operation);
  if (operation.id === "createWebhook" || operation.id === "updateWebhook")
    noteTypes(notes, body.events, eventNames);
  return notes.all;
}

const NONE: readonly string[] = [];

class Notes {
  /** Most calls have none. */
  #all: string[] | undefined;

  get all(): readonly string[] {
    return this.#all ?? NONE;
  }

  get areEnough(): boolean {
    return this.#all?.length === MOST_NOTES;
  }

  add(note: string): void {
    if (this.areEnough) return;
    this.#all ??= [];
    this.#all.push(note);
  }
}

function noteFields(notes: Notes, known: Fields, value: object, place: string): void {
  for (const name of Object.keys(value)) {
    if (notes.areEnough) return;
    const parts = known.get(name);
    if (parts === undefined) notes.add(stray(place, name, "not a field of this call", [...known.keys()]));
    else if (parts !== ANY) {
      const part = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof part === "object" && part !== null) noteFields(notes, parts, part, `${place}.${name}`);
    }
  }
}

/** The fields that a schema knows, and those of each. */
type Fields = ReadonlyMap<string, Fields>;

/** The fields of what may have any. */
const ANY: Fields = new Map();
const FIELDS = new WeakMap<z.core.$ZodType, Fields>();

function fieldsOf(schema: z.core.$ZodType): Fields {
  let fields = FIELDS.get(schema);
  if (fields === undefined) FIELDS.set(schema, (fields = foundFieldsOf(schema)));
  return fields;
}

function foundFieldsOf(schema: z.core.$ZodType): Fields {
  if (schema instanceof z.ZodMiniOptional) return fieldsOf(schema.def.innerType);
  if (!(schema instanceof z.ZodMiniObject)) return ANY;
  const shape = schema.shape as Readonly<Record<string, z.core.$ZodType>>;
  return new Map(Object.entries(shape).map(([name, field]) => [name, fieldsOf(field)]));
}

function noteParameters(notes: Notes, { query }: Operation, sent: string): void {
  const known = Object.keys(query?.shape ?? {});
  for (const name of new Set(new URLSearchParams(sent).keys()))
    if (!known.includes(name)) notes.add(stray("query", name, "not a parameter of this call", known));
}

function stray(place: string, name: string, what: string, known: readonly string[]): string {
  const shown = cut(name, MOST_OF_A_NAME);
  return `${place}.${shown}: ${what}${didYouMean(shown, known)}`;
}

/** A POST that is sent again is done again, whatever its key; the other methods are safe to repeat. */
function noteKey(notes: Notes, { method, headers }: Operation): void {
  if (method === "POST" && !headers?.includes("Idempotency-Key"))
    notes.add("headers.idempotency-key: not heeded by this call; sent again, it is done again");
}

function noteTypes(notes: Notes, globs: unknown, eventNames: Readonly<Record<string, string>>): void {
  if (!Array.isArray(globs)) return;
  const known = [...ALL_EVENT_TYPES, ...Object.values(eventNames)];
  for (const [index, glob] of globs.entries())
    if (typeof glob === "string" && !known.some((name) => globMatches(glob, name)))
      notes.add(
        `body.events.${index}: ${cut(glob, MOST_OF_A_NAME)} is an unknown event type${didYouMean(glob, known)}`,
      );
}
